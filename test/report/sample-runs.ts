// A run of every kind, with the worst things a peer can say where its words end up. Formats must work for all of them.

import { runOfReport } from '../../src/run/conformance-run.ts'
import { plainRun } from '../../src/run/plain-run.ts'
import { RECORD_VERSION, type Run, type RunHeader, type RunKind, type RunResult } from '../../src/run/run.ts'
import { FAILED, NASTY, resultWith, sampleReport } from './sample-report.ts'

function header(kind: RunKind, members: Partial<RunHeader> = {}): RunHeader {
  return {
    schemaVersion: RECORD_VERSION,
    kind,
    id: '00000000-0000-4000-8000-000000000000',
    startedAt: '2026-01-02T03:04:05.678Z',
    parleyVersion: '0.1.0',
    runtime: 'node 24.0.0 linux',
    flags: ['--format'],
    ...members,
  }
}

const target = 'http://127.0.0.1:1'

function suiteResult(members: Partial<RunResult>): RunResult {
  return {
    test: 'GOOD-1',
    key: 's/GOOD-1@1.0/jsonrpc',
    group: 's',
    title: 'A task ends',
    status: 'pass',
    verdict: 'pass',
    level: 'MUST',
    version: '1.0',
    binding: 'jsonrpc',
    duration_ms: 5,
    sections: [],
    requirements: [],
    source: 'suites/s.acts.yaml:8',
    suite: { id: 's', name: 'What it promises', actsVersion: '1.0', specVersion: '1.0' },
    steps: [{ id: 'send', verdict: 'pass', durationMs: 5 }],
    ...members,
  }
}

function caseResult(members: Partial<RunResult>): RunResult {
  return {
    test: 'good',
    key: 'good@1.0/rest/streaming',
    group: 'cases/good.yaml',
    title: 'A good one',
    status: 'pass',
    verdict: 'pass',
    level: 'MUST',
    version: '1.0',
    binding: 'rest',
    mode: 'streaming',
    duration_ms: 7,
    sections: [],
    requirements: [],
    source: 'cases/good.yaml:1',
    problems: [],
    differences: [],
    ...members,
  }
}

const checks = runOfReport(
  sampleReport({ second: sampleReport({ agentUrl: 'http://127.0.0.1:2' }) }),
  header('checks', { target, second: 'http://127.0.0.1:2', specRevision: '1.0.1' }),
)

const suites = plainRun(
  header('suites', { target, files: ['suites/s.acts.yaml'] }),
  [
    suiteResult({}),
    suiteResult({
      test: 'BAD-1',
      key: 's/BAD-1@1.0/jsonrpc',
      title: NASTY,
      status: 'fail',
      verdict: 'fail',
      message: NASTY,
      expected: NASTY,
      actual: NASTY,
      failedStep: 'get',
      path: 'error.code',
      steps: [{ id: 'get', verdict: 'fail', durationMs: 1, failure: { message: NASTY, stepId: 'get' } }],
      transcript: FAILED.transcript,
      reproduction: FAILED.reproduction,
    }),
    suiteResult({
      test: 'LATER-1',
      key: 's/LATER-1@1.0/rest',
      binding: 'rest',
      status: 'skip',
      verdict: 'skip',
      message: NASTY,
      reason: NASTY,
      steps: [],
    }),
    suiteResult({
      test: 'HOOK-1',
      key: 's/HOOK-1@1.0/rest',
      binding: 'rest',
      status: 'skip',
      verdict: 'not-measured',
      message: NASTY,
      reason: NASTY,
    }),
  ],
  { agentUrl: target, agentName: NASTY, agentVersion: '2', durationMs: 1234, exitCode: 1, complete: true },
)

const cases = plainRun(
  header('cases', { files: ['cases'] }),
  [
    caseResult({}),
    caseResult({
      test: 'bad',
      key: 'bad@1.0/rest/blocking',
      mode: 'blocking',
      group: 'cases/bad.yaml',
      status: 'fail',
      verdict: 'fail',
      message: NASTY,
      source: 'cases/bad.yaml:4',
      problems: [
        { line: 4, message: NASTY },
        { line: 5, message: 'another' },
      ],
      differences: [
        {
          turn: 'gateway_input',
          lines: [
            { mark: '-', expected: NASTY },
            { mark: '+', actual: NASTY },
          ],
        },
      ],
      reproduction: { parley: 'parley run cases/bad.yaml', curl: [] },
    }),
    caseResult({
      test: 'later',
      key: 'later@1.0/rest/streaming',
      status: 'skip',
      verdict: 'skip',
      message: NASTY,
      reason: NASTY,
    }),
  ],
  { durationMs: 99, exitCode: 1, complete: true },
)

/** As `parley grade` will record a client: judged like an agent, by what it did on the wire. */
const clients: Run = {
  ...runOfReport(
    sampleReport({ agentUrl: 'node client.js {url}' }),
    header('clients', { target: 'node client.js {url}' }),
  ),
}

/** As `parley matrix` records who works with whom. */
const matrix = plainRun(
  header('matrix', { files: ['matrix.yaml'] }),
  ['js', 'python'].flatMap((client) =>
    ['go', NASTY].map((server): RunResult => {
      const isBad = client === 'js' && server !== 'go'
      return {
        ...resultWith({}),
        test: 'stream',
        key: `${client}→${server} stream@1.0/grpc`,
        group: `${client} → ${server}`,
        category: undefined,
        binding: 'grpc',
        title: 'A stream is read to its end',
        status: isBad ? 'fail' : 'pass',
        verdict: isBad ? 'fail' : 'pass',
        message: isBad ? NASTY : undefined,
        pair: { client, server, blame: isBad ? 'server' : undefined },
        transcript: [
          {
            protocol: 'grpc',
            startedAt: '2026-01-02T03:04:05.678Z',
            request: {
              method: '/lf.a2a.v1.A2AService/SendStreamingMessage',
              url: '127.0.0.1:50051',
              headers: [['a2a-version', '1.0']],
              messages: [{ atMs: 0, data: '{"message":{}}' }],
            },
            response: {
              status: 13,
              message: NASTY,
              headers: [],
              messages: [{ atMs: 4, data: NASTY }],
              trailers: [['x', NASTY]],
            },
          },
        ],
      }
    }),
  ),
  { durationMs: 10, exitCode: 1, complete: true },
)

export const SAMPLE_RUNS: Readonly<Record<Exclude<RunKind, 'fleet'>, Run>> = { checks, suites, cases, clients, matrix }
