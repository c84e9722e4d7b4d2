// agents.yaml: the agents of a fleet and what holds for all of them. The schema is what editors check it with; an entry
// that cannot be read is reported with its line, and the others stay.

import { choice, described, either, list, mapOf, nonEmptyText, optional, record, refine, text } from '../yaml/shape.ts'
import { PROFILES } from './agent-entry.ts'

const every = refine(
  nonEmptyText,
  (value, report) => (/^\d{1,6}(m|h|d)$/.test(value) ? value : report('must be a duration such as 1h or 1d')),
  { type: 'string', pattern: '^\\d{1,6}(m|h|d)$' },
)
const reference = refine(nonEmptyText, (value) => value, { type: 'string', pattern: '^(\\$\\{\\w+\\}|file:.+)$' })

/** What stands before the agents. */
export const listHeadFields = {
  name: optional(described(nonEmptyText, 'What the fleet is called in its store; the name of the file without it.')),
  profile: optional(described(choice(PROFILES), 'How to test agents that do not set a profile: quick or full.')),
  every: optional(described(every, 'How often to test agents that do not set it: 10m to 365d.')),
  optOut: optional(described(list(nonEmptyText), 'Hosts that are never called, including their subdomains.')),
  contact: optional(
    described(nonEmptyText, 'Contact for operators of the agents, a URL or mailto:, sent in the User-Agent.'),
  ),
}

const agent = record(
  {
    agent: nonEmptyText,
    labels: optional(mapOf(text)),
    credentials: optional(
      record(
        { bearer: optional(reference), apiKey: optional(reference) },
        { bearer: 'A bearer token, by reference.', apiKey: 'An API key, by reference.' },
      ),
    ),
    profile: optional(choice(PROFILES)),
    only: optional(either(text, list(text))),
    every: optional(every),
  },
  {
    agent: 'Host, URL or card URL.',
    labels: 'Anything to filter by.',
    credentials: `By reference: \${NAME} for an environment variable of the worker, file:/path for a file.`,
    profile: 'quick: at most 12 turns of the agent; full: everything.',
    only: 'Only these checks.',
    every: 'How often: 10m to 365d.',
  },
)

export const listShape = record(
  { ...listHeadFields, agents: list(either(nonEmptyText, agent)) },
  { agents: 'Up to 10,000 of them; for more use a file of JSON lines.' },
)
