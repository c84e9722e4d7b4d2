// The cards of the reference agents. Names and skill ids are a contract: existing client programs look for them.

import type { AgentSkill } from '../model/card.ts'
import type { CardInput } from '../server/mount-options.ts'
import { INSTRUCTION_TYPE } from './itk-instruction.ts'

const VERSION = '1.0.0'
const TEXT = ['text/plain']
const PROVIDER = { organization: 'Parley', url: 'https://example.com/parley' }

function skill(id: string, name: string, description: string, example: string, outputModes = TEXT): AgentSkill {
  return { id, name, description, tags: ['reference'], examples: [example], inputModes: TEXT, outputModes }
}

const SPEC_SKILLS: readonly AgentSkill[] = [
  skill('message-only', 'Message only', 'Replies with a message and makes no task.', 'message-only hello'),
  skill(
    'task-lifecycle',
    'Task lifecycle',
    'Runs a task to completion with one artifact.',
    'task-lifecycle process this',
  ),
  skill('task-failure', 'Task failure', 'Runs a task that fails and says why.', 'task-failure please'),
  skill('task-cancel', 'Task cancel', 'Works until it is canceled, at most 30 seconds.', 'task-cancel wait for me'),
  skill('multi-turn', 'Multi-turn', 'Asks for more input until it is told "done".', 'multi-turn start'),
  skill('streaming', 'Streaming', 'Streams one artifact in four chunks.', 'streaming generate'),
  skill('long-running', 'Long running', 'Works in five steps of two seconds each.', 'long-running job'),
  skill('data-types', 'Data types', 'Answers with text, data and file parts.', 'data-types show', [
    'text/plain',
    'application/json',
    'image/svg+xml',
  ]),
]

const MODES = {
  defaultInputModes: ['text/plain', 'application/json', 'image/*', 'application/octet-stream'],
  defaultOutputModes: ['text/plain', 'application/json', 'image/svg+xml'],
}

export const ECHO_CARD: CardInput = {
  name: 'Echo Agent',
  description: 'Repeats what it is told, as a message.',
  version: VERSION,
  provider: PROVIDER,
  capabilities: { streaming: false, pushNotifications: false },
  defaultInputModes: TEXT,
  defaultOutputModes: TEXT,
  skills: [skill('echo', 'Echo', 'Answers with the text it received.', 'hello')],
}

export const SPEC_CARD: CardInput = {
  name: 'Parley Spec Agent',
  description: 'Shows every interaction pattern of A2A; the first word of the message chooses one.',
  version: VERSION,
  provider: PROVIDER,
  capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true },
  ...MODES,
  skills: [...SPEC_SKILLS],
}

export const EXTENDED_SPEC_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Spec Agent (Extended)',
  skills: [
    ...SPEC_SKILLS,
    skill('admin-status', 'Admin status', 'Only authenticated callers see this.', 'admin-status'),
  ],
}

export const PUSH_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Push Agent',
  description: 'The spec agent with push notifications.',
  capabilities: { ...SPEC_CARD.capabilities, pushNotifications: true },
}

export const SECURE_CARD: CardInput = {
  ...PUSH_CARD,
  name: 'Parley Secure Spec Agent',
  description: 'The spec agent behind authentication; this card is public.',
}

/** Clients of the 0.3 generation read one spelling or the other, so the card says both. */
export const SPEC03_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Spec Agent (0.3)',
  capabilities: {
    ...{ streaming: true, pushNotifications: false },
    ...{ supportsStreaming: true, supportsPushNotifications: false },
  },
}

export const LEGACY_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Legacy Agent',
  description: 'The spec agent in the `tasks/send` version.',
  capabilities: { ...{ streaming: true, pushNotifications: true }, ...{ stateTransitionHistory: true } },
}

/** Holds every kind of member the rules of signing treat differently (1.0 §8.4.1), and text beyond ASCII. */
export const SIGNED_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Signed Agent',
  description: 'The spec agent with a signed card: “Grüße, 世界 🌍”.',
  capabilities: {
    streaming: true,
    pushNotifications: false,
    extendedAgentCard: false,
    extensions: [
      {
        uri: 'https://example.com/parley/extensions/limits/v1',
        description: 'States limits of the agent.',
        required: false,
        params: { maxParts: 100, rate: 1.5e-7, total: 1e21, note: '' },
      },
    ],
  },
  documentationUrl: '',
  securityRequirements: [],
}

export const TCK_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Test Kit Agent',
  description: 'Does what test kits ask for by prefix (tck-…) of the message id or text.',
  capabilities: { streaming: true, pushNotifications: true },
  skills: [skill('tck', 'Test kit', 'Behaves as the prefix of the message id or text says.', 'tck-complete-task')],
}

export const TCK03_CARD: CardInput = {
  ...TCK_CARD,
  name: 'Parley Test Kit Agent (0.3)',
  description: 'The same in 0.3, where kits send free text and look for a task.',
}

export const RELAY_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley Relay Agent',
  description: 'Sends its message on to another agent and returns what came back.',
  capabilities: { streaming: true, pushNotifications: false },
  skills: [skill('relay', 'Relay', 'Forwards the message to the configured agent.', 'hello over there')],
}

export const ITK_CARD: CardInput = {
  ...SPEC_CARD,
  name: 'Parley ITK Agent',
  description: 'A peer of the integration test kit: follows its instructions and calls other agents.',
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: [...TEXT, INSTRUCTION_TYPE],
  defaultOutputModes: TEXT,
  skills: [skill('itk', 'Integration test kit', 'Follows an instruction in protobuf.', 'an instruction in base64')],
}
