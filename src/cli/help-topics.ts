// Help that belongs to no single command: what the exit codes, the environment and the words of a report mean.

import type { Verdict } from '../judge/runner/result.ts'
import { EXIT } from '../model/errors.ts'

const EXIT_MEANINGS: { readonly [name in keyof typeof EXIT]: string } = {
  ok: 'success',
  failed: 'a check failed, the agent answered with an error, or a server could not start',
  usage: 'a flag, a file or the configuration is wrong',
  unreachable: 'the agent cannot be reached',
  unauthenticated: 'credentials are missing or not accepted',
  timeout: 'no answer in time, or the run reached its deadline',
  inconclusive: 'nothing could be measured',
  staleBaseline: 'the baseline lists something that no longer fails',
  agentStopped: 'the agent stopped answering during the run',
  bug: 'a bug in Parley',
  interrupted: 'interrupted with Ctrl-C (143: terminated); reports are still written',
}

const VERDICT_MEANINGS: { readonly [verdict in Verdict]: string } = {
  pass: 'the requirement was tested and is met',
  fail: 'a MUST is violated; the exchange that proves it is in the report',
  warn: 'a SHOULD is violated, or a MUST whose text is disputed',
  info: 'a MAY, for your information',
  'spec-conflict': 'the specification contradicts itself here; both readings are accepted (docs/spec-conflicts.md)',
  'not-applicable': 'the agent does not offer what the requirement is about',
  'not-measured': 'it could not be tested; the report says what would be needed',
  known: 'fails, and the baseline says why that is accepted',
  'harness-error': 'Parley itself failed; the result says nothing about the agent',
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length))
  return rows.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}\n`).join('')
}

const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['PARLEY_<FLAG>', 'the value of a flag that is not given: PARLEY_PORT=8080 for --port 8080'],
  ['NO_COLOR', 'no colors, like TERM=dumb and --no-color; FORCE_COLOR=1 turns them on'],
]

export const TOPICS: { readonly [topic: string]: string } = {
  'exit-codes': `Exit codes\n\n${table(
    Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [String(EXIT[name as keyof typeof EXIT]), meaning]),
  )}`,
  environment: `Environment\n\n${table(ENVIRONMENT)}
A value comes from the flag, else from the environment, else from parley.config.yaml (or --config), else from the default.
`,
  statuses: `Statuses of a report\n\n${table(Object.entries(VERDICT_MEANINGS))}`,
}
