// The shapes of the documents that `--format json` prints, with what each member means: of checks (a published shape that
// registries read), suites and cases, and of the other kinds of runs. A test keeps the first equal to ConformanceReport.

import { BINDING_IDS } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { VERDICTS } from '../judge/runner/verdicts.ts'
import type { JsonObject } from '../model/json.ts'
import { publishedSchema } from '../yaml/published-schema.ts'
import {
  boolean,
  choice,
  described,
  type Infer,
  integer,
  list,
  number,
  optional,
  record,
  refine,
  text,
  titled,
} from '../yaml/shape.ts'
import { open } from './record-schema.ts'
import {
  agentShape,
  CATEGORIES,
  CONFORMANCE_LEVELS,
  caseMembers,
  footerShape,
  headerShape,
  resultMembers,
  resultShape,
  subjectMembers,
  suiteFailure,
  suiteSteps,
} from './record-shape.ts'
import { transcriptShape } from './transcript-shape.ts'

const ms = described(number(0, Number.MAX_SAFE_INTEGER), 'How long it took, in milliseconds.')
const version = refine(integer(1), (): 1 => 1, { const: 1, description: 'The version of this document.' })

const conformanceResult = titled(
  record({
    ...resultMembers,
    category: described(choice(CATEGORIES), 'The part of the protocol it is about.'),
    verdict: described(choice(VERDICTS), 'The status in more words.'),
    version: optional(described(choice(DIALECT_IDS), 'The protocol version it was tested on.')),
    binding: optional(described(choice(BINDING_IDS), 'The binding.')),
  }),
  'CheckResult',
)
const results = (description: string) => described(list(conformanceResult), description)

const { summary, levelReasons, exitCode, complete, incompleteReason, diagnosis } = subjectMembers
const { interfaces, findings, coverage, score, staleBaseline, turns, cardUrl, cardSha256 } = subjectMembers

const verdictCounts = described(
  record({
    pass: integer(0),
    fail: integer(0),
    warn: integer(0),
    info: integer(0),
    'spec-conflict': integer(0),
    'not-applicable': integer(0),
    'not-measured': integer(0),
    known: integer(0),
    'harness-error': integer(0),
  }),
  'How many results there are of each verdict.',
)

const reportMembers = {
  agentUrl: described(text, 'The agent, as it was named.'),
  agentName: described(text, 'As its card says.'),
  agentVersion: described(text, 'As its card says.'),
  testDate: described(text, 'When judging it began (ISO 8601).'),
  summary,
  categories: described(
    record({
      agentCard: results('About the card.'),
      lifecycle: results('About messages and tasks.'),
      streaming: results('About streams.'),
      errorHandling: results('About errors.'),
      interop: results('About working with others; what a pair of agents showed is here.'),
    }),
    'All results, by the part of the protocol they are about.',
  ),
  conformanceLevel: described(choice(CONFORMANCE_LEVELS), 'The level of the agent.'),
  schemaVersion: version,
  verdicts: verdictCounts,
  levelReasons,
  exitCode,
  complete,
  incompleteReason,
  diagnosis,
  interfaces,
  findings,
  coverage,
  score,
  staleBaseline,
  provenance: described(
    record({
      parleyVersion: described(text, 'The Parley that judged.'),
      specRevision: described(choice(['1.0.0', '1.0.1']), 'The revision of A2A 1.0 it was judged by.'),
      flags: described(list(text), 'The names of the flags given, without their values.'),
      cardSha256,
      cardUrl,
      tasksCreated: described(integer(0), 'Tasks the run left on the agent.'),
      turns: described(turns, 'Messages that made the agent work.'),
      durationMs: ms,
    }),
    'Where the report comes from.',
  ),
}

export const conformanceShape = titled(
  record({
    ...reportMembers,
    second: optional(described(titled(record(reportMembers), 'SecondReport'), 'The second of two agents.')),
  }),
  'Checks',
)

export const suitesShape = titled(
  record({
    schemaVersion: version,
    target: described(text, 'The agent, as it was named.'),
    agentName: described(text, 'As its card says.'),
    agentVersion: described(text, 'As its card says.'),
    startedAt: described(text, 'When the run began (ISO 8601).'),
    durationMs: ms,
    complete,
    exitCode,
    parleyVersion: described(text, 'The Parley that ran it.'),
    verdicts: subjectMembers.verdicts,
    tests: described(
      list(
        record({
          suite: described(record({ id: text, name: text }), 'The suite it belongs to.'),
          id: described(text, 'The id that --only takes.'),
          name: described(text, 'What it tests.'),
          level: described(choice(['must', 'should', 'may']), 'How binding it is.'),
          verdict: resultShapeVerdict(),
          reason: optional(described(text, 'Why it was left out, or could not be measured.')),
          failure: optional(described(suiteFailure, 'What did not hold.')),
          steps: described(suiteSteps, 'Its steps, in order.'),
          durationMs: ms,
          actsVersion: described(text, 'The version of ACTS its file is written in.'),
          specVersion: described(text, 'The protocol version its file is about.'),
          transport: described(text, 'jsonrpc, rest or grpc.'),
          url: optional(described(text, 'The interface it was run on.')),
          source: described(text, 'File and line.'),
          transcript: optional(described(list(transcriptShape), 'Every exchange of a test that did not pass.')),
          curl: optional(described(list(text), 'What sends them again.')),
        }),
      ),
      'Every test on every interface.',
    ),
  }),
  'Suites',
)

function resultShapeVerdict() {
  return described(choice([...VERDICTS, 'skip']), 'How it ended; skip: left out on purpose.')
}

export const casesShape = titled(
  record({
    ok: described(boolean, 'Whether no case failed.'),
    durationMs: ms,
    results: described(
      list(
        record({
          id: described(text, 'The test_case_id.'),
          file: described(text, 'The file that defines it.'),
          outcome: described(choice(['passed', 'failed', 'skipped']), 'How it ended.'),
          durationMs: ms,
          variant: described(
            record({
              generation: described(text, 'The protocol version.'),
              streaming: described(boolean, 'Streamed, or waited for.'),
              binding: described(text, 'The binding.'),
            }),
            'How it was run.',
          ),
          reason: optional(described(text, 'Why it was skipped.')),
          problems: caseMembers.problems,
          diffs: caseMembers.differences,
        }),
      ),
      'Every case, in every way it was run.',
    ),
  }),
  'Cases',
)

/** The other kinds of runs have no older document: the parts of a run record together. */
export const runShape = titled(
  record({
    header: described(headerShape, 'What was run, by what, how.'),
    agents: described(list(agentShape), 'The agents that were found.'),
    footer: described(footerShape, 'How it ended.'),
    results: described(list(titled(resultShape, 'Result')), 'All results, in order.'),
  }),
  'Run',
)

export type SuitesDocument = Infer<typeof suitesShape>
export type CasesDocument = Infer<typeof casesShape>

export const REPORT_SCHEMA: JsonObject = publishedSchema(
  {
    name: 'report',
    title: 'Parley report',
    description:
      'What --format json prints: for checks, for suites (--suite), for cases (parley run), and for other runs.',
  },
  {
    anyOf: [conformanceShape, suitesShape, casesShape, runShape].map((shape) => open(shape.schema)),
  },
)
