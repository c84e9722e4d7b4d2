// The shape of a run record, line by line, with what each member means: the JSON Schema that editors and other programs
// use, and what a record is checked against before it is read. A test keeps it equal to the types of run.ts.

import { BINDING_IDS } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import { VERDICTS } from '../judge/runner/verdicts.ts'
import { choice, described, integer, list, optional, record, refine, text, titled } from '../yaml/shape.ts'
import { RECORD_VERSION } from './run.ts'
import { count, instant, milliseconds, texts, word, words, yes } from './shape-words.ts'
import { transcriptShape } from './transcript-shape.ts'

const LEVELS = ['MUST', 'SHOULD', 'MAY'] as const
export const CATEGORIES = ['agent-card', 'lifecycle', 'streaming', 'error-handling', 'interop'] as const
export const CONFORMANCE_LEVELS = [
  'full',
  'partial',
  'minimal',
  'non-conformant',
  'at least minimal',
  'not determined',
] as const

const reproduction = titled(
  record({
    parley: words('The command that runs just this again.'),
    curl: texts('What shows it without Parley, one command for each exchange.'),
  }),
  'Reproduction',
)

const summary = described(
  titled(
    record({
      total: count('All results.'),
      passed: count('What passed; a warning passes, unless --strict was given.'),
      failed: count('What counts against the agent.'),
      skipped: count('What could not be measured, does not apply, is known, or was left out.'),
    }),
    'Summary',
  ),
  'How many results there are of each status.',
)

const interfaceShape = titled(
  record({
    version: described(choice(DIALECT_IDS), 'The protocol version spoken.'),
    binding: described(choice(BINDING_IDS), 'The binding.'),
    url: words('Where it listens.'),
  }),
  'Interface',
)

const finding = titled(
  record({
    cause: words('What the results have in common.'),
    recommendation: words('What to change.'),
    level: described(choice(LEVELS), 'The strictest of its requirements.'),
    tests: texts('Keys of the results that fail or warn because of it.'),
    blocks: texts('Keys of the results that are not measured because of it.'),
  }),
  'Finding',
)

const coverage = titled(
  record({
    version: described(choice(DIALECT_IDS), 'The protocol version.'),
    rows: count('Requirements for servers over the bindings that were judged.'),
    measured: count('How many of them were measured.'),
    mustRows: count('How many of them are MUST.'),
    mustMeasured: count('How many MUST were measured.'),
  }),
  'Coverage',
)

const score = titled(
  record({
    version: described(choice(DIALECT_IDS), 'The protocol version.'),
    mustKept: count('MUST requirements that were measured and are met.'),
    mustMeasured: count('MUST requirements that were measured.'),
    areas: described(
      list(
        record({
          area: words('A part of the agent, such as card or streaming.'),
          mustKept: count('Met in this area.'),
          mustMeasured: count('Measured in this area.'),
        }),
      ),
      'The same by area; the areas add up to the whole.',
    ),
  }),
  'Score',
)

const diagnosis = described(
  titled(
    record({
      code: words('A stable name of what is wrong: unreachable, not-a-card, unauthenticated, timeout, …'),
      message: words('What is wrong, in one sentence.'),
      fix: words('What to do about it.'),
      exitCode: count('The exit code it leads to.'),
      curl: word('The request it is about.'),
      transcript: optional(transcriptShape),
      suspects: optional(
        described(
          list(record({ request: words('A request that could be the reason as well.'), curl: words('Sends it.') })),
          'Other requests that could be the reason.',
        ),
      ),
    }),
    'Diagnosis',
  ),
  'Why the agent could not be judged, or not to the end.',
)

/** The members a result of a check has; its verdict and category stand beside them. */
export const resultMembers = {
  test: words('The id that --only takes.'),
  status: described(choice(['pass', 'fail', 'skip']), 'Pass, fail, or skip.'),
  message: word('What was found, in one sentence.'),
  duration_ms: optional(milliseconds('How long it took.')),
  title: words('The claim that was tested.'),
  level: described(choice(LEVELS), 'How binding the requirement is.'),
  area: word('The part of the agent it counts for in the score.'),
  key: words('Unique in a run of checks: get-task-unknown@1.0/jsonrpc.'),
  agent: optional(described(choice(['first', 'second', 'pair']), 'Which of two agents, or both of them together.')),
  sections: texts('Sections of the specification.'),
  requirements: texts('Ids of the requirements it measures.'),
  requirement: word('The requirement in our words.'),
  expected: word('What should have come.'),
  actual: word('What came.'),
  pointer: word('Where in the body: a JSON Pointer; empty is the whole body.'),
  why: word('Why it matters to a client.'),
  recommendation: word('What to change.'),
  notRun: word('Set when the run, not the agent, is why it was not measured.'),
  turns: optional(count('Messages that made the agent work.')),
  wouldNeed: word('What it would need to be measured.'),
  blockedBy: word('The key of the failed result it depends on.'),
  blocks: optional(texts('Keys of the results that are not measured because this one failed.')),
  notes: optional(texts('Observations that change no verdict.')),
  transcript: optional(described(list(transcriptShape), 'The exchanges that prove it, in order.')),
  reproduction: optional(described(reproduction, 'How to see it again.')),
}

export const suiteFailure = titled(
  record({
    message: words('What did not hold.'),
    stepId: word('The step it happened in.'),
    expected: word('What should have come.'),
    actual: word('What came.'),
    path: word('Where in the answer.'),
  }),
  'Failure',
)

const runVerdict = choice([...VERDICTS, 'skip'])

export const suiteSteps = list(
  titled(
    record({
      id: words('The id of the step.'),
      verdict: described(runVerdict, 'How it ended.'),
      durationMs: milliseconds('How long it took.'),
      failure: optional(suiteFailure),
    }),
    'Step',
  ),
)

const difference = titled(
  record({
    turn: words('Which turn of the conversation.'),
    lines: list(
      record({
        mark: described(choice(['=', '-', '+']), '= fits, - did not come, + was not expected.'),
        expected: word('What was expected.'),
        actual: word('What came.'),
      }),
    ),
  }),
  'Difference',
)

/** What only cases have. */
export const caseMembers = {
  problems: described(
    list(record({ line: count('The line of the case.'), message: words('What did not hold.') })),
    'Everything that did not hold.',
  ),
  differences: described(list(difference), 'What was expected beside what came.'),
}

export const resultShape = record({
  ...resultMembers,
  verdict: described(runVerdict, 'The status in more words; skip: left out on purpose by whoever wrote the test.'),
  version: word('The protocol version it was tested on.'),
  binding: word('The binding: jsonrpc, rest or grpc.'),
  group: words('What it belongs to: a category of checks, a suite, a file of cases, a pair of the matrix.'),
  category: optional(described(choice(CATEGORIES), 'Of checks only.')),
  source: word('File and line of the test.'),
  url: word('The interface it was run on.'),
  suite: optional(
    described(
      record({ id: text, name: text, actsVersion: text, specVersion: text }),
      'The ACTS suite the test belongs to.',
    ),
  ),
  failedStep: word('The step of the test that failed.'),
  path: word('Where in the answer of that step.'),
  reason: word('Why it was left out, or could not be measured.'),
  steps: optional(described(suiteSteps, 'The steps of a test of a suite.')),
  mode: optional(described(choice(['streaming', 'blocking']), 'Cases: streamed or waited for.')),
  problems: optional(caseMembers.problems),
  differences: optional(caseMembers.differences),
  pair: optional(
    described(
      record({
        client: words('Who called.'),
        server: words('Who answered.'),
        blame: optional(described(choice(['client', 'server', 'both', 'harness']), 'Which side is wrong.')),
      }),
      'Matrix: who talked to whom.',
    ),
  ),
})

const version = refine(integer(1), (value): typeof RECORD_VERSION => value as typeof RECORD_VERSION, {
  const: RECORD_VERSION,
  description: 'The version of this format. Readers refuse newer ones and ignore members they do not know.',
})

export const headerShape = record({
  schemaVersion: version,
  kind: described(choice(['checks', 'suites', 'cases', 'clients', 'matrix', 'fleet']), 'What kind of run it is.'),
  id: words('Unique to this run.'),
  startedAt: instant('When it began'),
  parleyVersion: words('The Parley that ran it.'),
  runtime: words('What it ran on.'),
  flags: texts('The names of the flags given, without their values.'),
  target: word('What was judged, as it was named.'),
  second: word('The second of two agents.'),
  files: optional(texts('The files of suites, cases or the matrix.')),
  specRevision: word('The revision of A2A 1.0 it was judged by.'),
  seed: word('Only where it seeds something: the same seed repeats the run.'),
})

export const agentShape = titled(
  record({
    agent: optional(described(choice(['first', 'second']), 'Which of two agents.')),
    url: words('As it was named.'),
    name: words('As its card says.'),
    version: words('As its card says.'),
    cardUrl: word('Where the card was found.'),
    cardSha256: word('The SHA-256 of the bytes of the card.'),
    interfaces: described(list(interfaceShape), 'What will be judged.'),
  }),
  'Agent',
)

export const planShape = record({ total: count('How many results there will be.') })

const verdictCounts = described(
  record({
    pass: optional(integer(0)),
    fail: optional(integer(0)),
    warn: optional(integer(0)),
    info: optional(integer(0)),
    'spec-conflict': optional(integer(0)),
    'not-applicable': optional(integer(0)),
    'not-measured': optional(integer(0)),
    known: optional(integer(0)),
    'harness-error': optional(integer(0)),
    skip: optional(integer(0)),
  }),
  'How many results there are of each verdict.',
)

const turns = titled(
  record({
    about: count('How many were expected.'),
    used: count('How many there were.'),
  }),
  'Turns',
)

/** What is said about one agent. */
export const subjectMembers = {
  agentUrl: word('The agent, as it was named.'),
  agentName: word('As its card says.'),
  agentVersion: word('As its card says.'),
  startedAt: instant('When judging it began'),
  durationMs: milliseconds('How long it took.'),
  exitCode: count('The exit code of the process.'),
  complete: yes('False when the run was interrupted, killed, or ran into its deadline.'),
  incompleteReason: word('Why it is not complete.'),
  summary,
  verdicts: verdictCounts,
  conformanceLevel: optional(described(choice(CONFORMANCE_LEVELS), 'The level of the agent; of checks only.')),
  levelReasons: texts('Why the level is what it is.'),
  score: described(list(score), 'Of the MUST that were measured, how many are met, for each protocol version.'),
  coverage: described(list(coverage), 'How much of each protocol version was measured.'),
  findings: described(list(finding), 'What to fix, by cause; the fix that turns most results green first.'),
  interfaces: described(list(interfaceShape), 'What was judged.'),
  diagnosis: optional(diagnosis),
  staleBaseline: optional(texts('Entries of the baseline that no longer fail.')),
  tasksCreated: optional(count('Tasks the run left on the agent.')),
  turns: optional(described(turns, 'Messages that made the agent work.')),
  cardUrl: word('Where the card was found.'),
  cardSha256: word('The SHA-256 of the bytes of the card.'),
}

export const footerShape = record({
  verdict: described(
    choice(['pass', 'fail', 'inconclusive', 'error']),
    'fail: a requirement is broken; inconclusive: too little could be measured; error: ours.',
  ),
  ...subjectMembers,
  second: optional(described(titled(record(subjectMembers), 'Subject'), 'The second of two agents.')),
})
