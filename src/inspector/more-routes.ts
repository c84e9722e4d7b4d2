// Requests of the page about push notifications, runs of the judge, mocks, saved agents, recordings and exports.

import { FAULTS } from '../mock/faults/catalogue.ts'
import type { JsonValue } from '../model/json.ts'
import { OPERATIONS, type PushConfig } from '../model/operation.ts'
import { recordingText } from '../trace/record.ts'
import * as asked from './asked.ts'
import { caseOf, scriptOf } from './conversation-script.ts'
import type { Route, RouteCall } from './routes.ts'
import { gradeChoices } from './scenario-view.ts'

const agentOf = ({ lab, body }: RouteCall) => lab.agent(asked.text(body, 'agent'))

export const PUSH_ROUTES: readonly (readonly [string, Route])[] = [
  [
    'POST create-push',
    async (call) => {
      const agent = agentOf(call)
      const webhook = await call.lab.push.webhookOf(agent.id)
      const taskId = asked.text(call.body, 'task')
      const made = await agent.client().createPushConfig({ taskId, ...webhook }, { signal: call.signal })
      return withoutToken(made)
    },
  ],
  [
    'POST list-push',
    async (call) => {
      const request = { taskId: asked.text(call.body, 'task') }
      const { configs } = await agentOf(call).client().listPushConfigs(request, { signal: call.signal })
      return { configs: configs.map(withoutToken) }
    },
  ],
  [
    'POST delete-push',
    (call) => {
      const id = asked.optionalText(call.body, 'id')
      const key = { taskId: asked.text(call.body, 'task'), ...(id === undefined ? {} : { id }) }
      return agentOf(call).client().deletePushConfig(key, { signal: call.signal })
    },
  ],
]

/** What a configuration says, without what it is proven with. */
function withoutToken({ id, taskId, url, authentication }: PushConfig): object {
  return { id, taskId, url, scheme: authentication?.scheme }
}

export const JUDGE_ROUTES: readonly (readonly [string, Route])[] = [
  [
    'POST judge',
    (call) => {
      const options = { quick: call.body.quick === true, only: asked.texts(call.body, 'only') }
      return { run: call.lab.judging.start(agentOf(call), options) }
    },
  ],
  ['GET grade-choices', () => gradeChoices()],
  [
    'POST grade',
    async ({ lab, body }) => {
      const [only, versions, bindings] = [
        asked.texts(body, 'only'),
        asked.texts(body, 'versions'),
        asked.texts(body, 'bindings'),
      ]
      const selection = {
        ...(only.length === 0 ? {} : { only }),
        ...(versions.length === 0 ? {} : { versions }),
        ...(bindings.length === 0 ? {} : { bindings }),
      }
      return { run: await lab.judging.startGrade(selection) }
    },
  ],
  ['GET scenarios', ({ lab, item }) => ({ scenarios: lab.judging.scenarios(item) })],
  ['POST stop-judge', ({ lab, body }) => lab.judging.stop(asked.text(body, 'run'))],
  ['POST open-run', ({ lab, body }) => ({ run: lab.judging.open(asked.text(body, 'text'), asked.text(body, 'name')) })],
  ['GET run', ({ lab, item }) => ({ lines: lab.judging.lines(item) })],
  [
    'GET evidence',
    ({ lab, item }) => {
      const [run = '', number = ''] = item.split('/')
      return lab.judging.evidence(run, Number(number))
    },
  ],
  [
    'POST export-run',
    ({ lab, body }) => ({ text: lab.judging.document(asked.text(body, 'run'), asked.text(body, 'format')) }),
  ],
]

export const MOCK_ROUTES: readonly (readonly [string, Route])[] = [
  [
    'GET fault-names',
    () => ({
      faults: Object.entries(FAULTS).map(([name, { summary }]) => ({ name, summary })),
      operations: OPERATIONS,
    }),
  ],
  [
    'POST start-mock',
    async ({ lab, body }) => {
      const agent = asked.optionalText(body, 'agent')
      const open = agent === undefined ? undefined : lab.agent(agent)
      return { mock: await lab.mocks.start(asked.optionalText(body, 'script'), open) }
    },
  ],
  [
    'POST attach-mock',
    async ({ lab, body }) => ({ mock: await lab.mocks.attach(asked.text(body, 'url'), asked.text(body, 'token')) }),
  ],
  ['POST stop-mock', ({ lab, body }) => lab.mocks.stop(asked.text(body, 'mock'))],
  ['GET mock', ({ lab, item }) => lab.mocks.look(item)],
  ['POST arm-fault', ({ lab, body }) => control(lab, body, 'POST', 'faults', body.fault)],
  ['POST disarm-faults', ({ lab, body }) => control(lab, body, 'DELETE', 'faults')],
  ['POST prime-mock', ({ lab, body }) => control(lab, body, 'POST', 'prime', { responses: body.responses })],
  ['POST clear-journal', ({ lab, body }) => control(lab, body, 'DELETE', 'journal')],
]

function control(lab: RouteCall['lab'], body: RouteCall['body'], method: string, what: string, sent?: JsonValue) {
  return lab.mocks.control(asked.text(body, 'mock'), method, what, sent)
}

export const FILE_ROUTES: readonly (readonly [string, Route])[] = [
  [
    'POST save-agent',
    ({ lab, body }) => {
      const { request } = lab.agent(asked.text(body, 'agent'))
      lab.saveAgent({ name: asked.text(body, 'name'), target: request.target, auth: request.auth })
    },
  ],
  ['POST forget-agent', ({ lab, body }) => lab.forgetAgent(asked.text(body, 'name'))],
  [
    'GET recording',
    ({ lab, item }) => {
      const [id = '', at = '0'] = item.split('/')
      return lab.recordings.find(id).rowsFrom(Number(at) || 0)
    },
  ],
  [
    'GET recorded',
    ({ lab, item }) => {
      const [id = '', row = ''] = item.split('/')
      const found = lab.recordings.find(id).detail(row)
      if (found === undefined) throw asked.badRequest('This exchange is no longer in the recording.')
      return found
    },
  ],
  ['POST begin-recording', ({ lab, body }) => ({ recording: lab.recordings.begin(asked.text(body, 'name')) })],
  ['POST add-recording', ({ lab, item, bytes }) => lab.recordings.add(item, bytes)],
  ['POST drop-recording', ({ lab, body }) => lab.recordings.drop(asked.text(body, 'recording'))],
  ['POST export', (call) => ({ text: exported(call) })],
]

function exported(call: RouteCall): string {
  const { lab, body } = call
  const agent = agentOf(call)
  const turns = lab.conversations.views().filter((turn) => turn.agent === agent.id)
  switch (asked.choice(body.what, ['recording', 'script', 'case'], 'what')) {
    case 'script':
      return scriptOf(turns, agent.view.name, agent.redactor)
    case 'case':
      return caseOf(turns, asked.optionalText(body, 'id') ?? 'from-the-inspector', agent.redactor)
    case 'recording': {
      const ids = new Set(asked.texts(body, 'exchanges'))
      const found = lab.wire.exchanges(
        (logged) => logged.agent === agent.id && (ids.size === 0 || ids.has(logged.exchange.id)),
      )
      const started = new Date(found[0]?.exchange.startedAt ?? Date.now())
      return recordingText(
        found.map(({ exchange, redactor }) => redactor.exchange(exchange)),
        started,
      )
    }
  }
}
