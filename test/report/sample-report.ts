// A report that says the worst things a peer can say, in every place where its words end up.

import type { ConformanceReport, ConformanceResult } from '../../src/judge/index.ts'

export const NASTY =
  'a]]>b `tick` | pipe <script>alert(1)</script> & "q" \u0000\u0007\u001b[31m @someone [x](http://y)\nnext =cmd|A1'

export function resultWith(members: Partial<ConformanceResult>): ConformanceResult {
  return {
    test: 'get-task-unknown',
    category: 'error-handling',
    status: 'pass',
    duration_ms: 12,
    title: 'MUST report an unknown task as not found',
    level: 'MUST',
    verdict: 'pass',
    key: 'get-task-unknown@1.0/jsonrpc',
    version: '1.0',
    binding: 'jsonrpc',
    sections: ['3.1.3'],
    requirements: ['get-task-not-found'],
    requirement: 'A task nobody knows is reported as not found.',
    ...members,
  }
}

export const FAILED = resultWith({
  test: 'cancel-completed',
  key: 'cancel-completed@1.0/jsonrpc',
  status: 'fail',
  verdict: 'fail',
  message: NASTY,
  expected: NASTY,
  actual: NASTY,
  pointer: '/error/code',
  blocks: ['s@1.0/rest'],
  recommendation: 'Add a guard for terminal states.',
  transcript: [
    {
      protocol: 'http',
      request: {
        method: 'POST',
        url: 'http://127.0.0.1:1/',
        headers: [['Accept', 'application/json']],
        body: '{"a":1}',
      },
      response: { status: 500, headers: [['X-Odd', NASTY]], body: `\`\`\`\n${NASTY}` },
      startedAt: '2026-01-02T03:04:05.678Z',
    },
  ],
  reproduction: {
    parley: 'parley test http://127.0.0.1:1 --only cancel-completed',
    curl: ["curl -sS -i 'http://127.0.0.1:1/' \\\n  --data-raw '{\"a\":1}'"],
  },
})

const RESULTS: ConformanceResult[] = [
  resultWith({}),
  FAILED,
  resultWith({ key: 'w@1.0/rest', test: 'w', verdict: 'warn', message: NASTY, recommendation: 'Say less.' }),
  resultWith({
    key: 's@1.0/rest',
    test: 's',
    status: 'skip',
    verdict: 'not-measured',
    message: NASTY,
    wouldNeed: 'more',
  }),
  resultWith({ key: 'h@1.0/rest', test: 'h', status: 'skip', verdict: 'harness-error', message: NASTY }),
]

export function sampleReport(members: Partial<ConformanceReport> = {}): ConformanceReport {
  return {
    agentUrl: 'http://127.0.0.1:1',
    agentName: NASTY,
    agentVersion: '1.0.0',
    testDate: '2026-01-02T03:04:05.678Z',
    summary: { total: 5, passed: 2, failed: 1, skipped: 2 },
    categories: { agentCard: [], lifecycle: [], streaming: [], errorHandling: RESULTS, interop: [] },
    conformanceLevel: 'minimal',
    schemaVersion: 1,
    verdicts: {
      pass: 1,
      fail: 1,
      warn: 1,
      info: 0,
      'spec-conflict': 0,
      'not-applicable': 0,
      'not-measured': 1,
      known: 0,
      'harness-error': 1,
    },
    levelReasons: ['core requirements broken: cancel-completed'],
    exitCode: 1,
    complete: true,
    interfaces: [{ version: '1.0', binding: 'jsonrpc', url: 'http://127.0.0.1:1/' }],
    findings: [
      {
        cause: NASTY,
        recommendation: 'Add a guard for terminal states.',
        level: 'MUST',
        tests: ['cancel-completed@1.0/jsonrpc'],
        blocks: ['s@1.0/rest'],
      },
    ],
    coverage: [{ version: '1.0', rows: 10, measured: 5, mustRows: 6, mustMeasured: 4 }],
    score: [
      {
        version: '1.0',
        mustKept: 3,
        mustMeasured: 4,
        areas: [
          { area: 'card', mustKept: 2, mustMeasured: 2 },
          { area: 'errors', mustKept: 1, mustMeasured: 2 },
        ],
      },
    ],
    provenance: {
      parleyVersion: '0.1.0',
      specRevision: '1.0.1',
      flags: ['--only'],
      tasksCreated: 3,
      turns: { about: 5, used: 4 },
      durationMs: 1234,
    },
    ...members,
  }
}
