// Our own cases hold, and each of their expectations can fail: flipped one at a time, every one turns its case red.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { dialectById } from '../../src/dialects/index.ts'
import { parseProxyConfig } from '../../src/proxy/proxy-config.ts'
import type { ExpectedArtifact, ExpectedOutput, ExpectedRequest } from '../../src/scenario/cases/case-shape.ts'
import { type Case, describeVariant, loadCase, parseCase, variantsOf } from '../../src/scenario/cases/load-case.ts'
import { runCase } from '../../src/scenario/cases/run-case.ts'
import { loadCases } from '../../src/scenario/cases/run-cases.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'suites', 'proxy')
const cases = loadCases([FOLDER])

test('there are at least 25 cases', () => {
  expect(readdirSync(FOLDER).length).toBeGreaterThanOrEqual(25)
})

describe.each(cases.map((written) => [written.test_case_id, written] as const))('%s', (_, written) => {
  test.each(variantsOf(written).map((variant) => [describeVariant(variant), variant] as const))(
    '%s',
    async (_, variant) => {
      const result = await runCase(written, variant)
      expect(result.outcome, JSON.stringify(result, null, 2)).toBe('passed')
    },
  )

  test.each(flipsOf(written))('fails when %s is flipped', async (_, flipped) => {
    const [variant] = variantsOf(flipped)
    if (variant === undefined) throw new Error('a case has at least one variant')
    expect((await runCase(flipped, variant)).outcome).toBe('failed')
  })
})

/** What gRPC cannot carry: 0.3 has no names of files there, and bytes are bytes, never bad base64. */
const UNSAYABLE = new Set([
  'proxy_artifact_in_file_part 0.3',
  'proxy_artifact_in_text 0.3',
  'proxy_artifact_out_chunks 0.3',
  'proxy_artifact_out_in_message 0.3',
  'proxy_artifact_out_bad_bytes 1.0',
])

describe('over gRPC, unchanged', () => {
  const everyCase = cases.flatMap((written) =>
    variantsOf(written, { binding: ['grpc'] })
      .filter(({ generation }) => dialectById(generation).grpc !== undefined)
      .filter(({ generation }) => !UNSAYABLE.has(`${written.test_case_id} ${generation}`))
      .map((variant) => [`${written.test_case_id} ${describeVariant(variant)}`, written, variant] as const),
  )
  test.each(everyCase)('%s', async (_, written, variant) => {
    const result = await runCase(written, variant)
    expect(result.outcome, JSON.stringify(result, null, 2)).toBe('passed')
  })
})

describe('the example of the declarative agent, as written', () => {
  const example = loadCase(join(FOLDER, 'artifact-handling.yaml'))
  const everyWay = variantsOf(example, {
    generation: ['0.3', '1.0'],
    streaming: [true, false],
    binding: ['jsonrpc', 'rest', 'grpc'],
  })
  test.each(everyWay.map((variant) => [describeVariant(variant), variant] as const))('%s', async (_, variant) => {
    const result = await runCase(example, variant)
    expect(result.outcome, JSON.stringify(result, null, 2)).toBe('passed')
  })
})

describe('the examples of docs/proxy-agents.md', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'proxy-agents.md'), 'utf8')
  const [config = '', example = ''] = Array.from(text.matchAll(/```yaml\n(.*?)```/gs), ([, block = '']) => block)

  test('the configuration is one', () => {
    vi.stubEnv('REPORTS_TOKEN', 'x')
    vi.stubEnv('SEARCH_SECRET', 'y')
    expect(parseProxyConfig(config).agents.map(({ name }) => name)).toEqual(['reports', 'search'])
    vi.unstubAllEnvs()
  })

  test('the case passes', async () => {
    const written = parseCase(example)
    for (const variant of variantsOf(written)) {
      const result = await runCase(written, variant)
      expect(result.outcome, JSON.stringify(result, null, 2)).toBe('passed')
    }
  })
})

function flipsOf(written: Case): [string, Case][] {
  const flips: [string, Case][] = []
  const outputs = written.expected_gateway_output ?? []
  for (const at of outputs.keys())
    flips.push([
      `expected_gateway_output[${at}]`,
      { ...written, expected_gateway_output: flipAt(outputs, at, flipOutput) },
    ])
  for (const [turn, followUp] of (written.follow_ups ?? []).entries()) {
    const expected = followUp.value.expected_gateway_output ?? []
    for (const at of expected.keys()) {
      const follow_ups = (written.follow_ups ?? []).with(turn, {
        ...followUp,
        value: { ...followUp.value, expected_gateway_output: flipAt(expected, at, flipOutput) },
      })
      flips.push([`follow_ups[${turn}].expected_gateway_output[${at}]`, { ...written, follow_ups }])
    }
  }
  const artifacts = written.expected_artifacts ?? []
  for (const at of artifacts.keys())
    flips.push([`expected_artifacts[${at}]`, { ...written, expected_artifacts: flipAt(artifacts, at, flipArtifact) }])
  const requests = written.expected_downstream_requests
  if (requests?.length === 0) {
    const position = { file: written.file, line: 1, column: 1 }
    flips.push([
      'expected_downstream_requests',
      { ...written, expected_downstream_requests: [{ value: {}, position }] },
    ])
  }
  for (const at of (requests ?? []).keys())
    flips.push([
      `expected_downstream_requests[${at}]`,
      { ...written, expected_downstream_requests: flipAt(requests ?? [], at, flipRequest) },
    ])
  const { oauth2 } = written.downstream_auth ?? {}
  if (oauth2?.expected_token_requests !== undefined) {
    const expected_token_requests = oauth2.expected_token_requests + 1
    flips.push([
      'expected_token_requests',
      { ...written, downstream_auth: { oauth2: { ...oauth2, expected_token_requests } } },
    ])
  }
  return flips
}

function flipAt<T, L extends { value: T }>(list: readonly L[], at: number, flip: (value: T) => T): L[] {
  return list.map((entry, index) => (index === at ? { ...entry, value: flip(entry.value) } : entry))
}

function flipOutput(output: ExpectedOutput): ExpectedOutput {
  if (output.content_parts !== undefined)
    return { ...output, content_parts: [{ type: 'text', text_exact: 'never said' }] }
  if (output.task_state !== undefined)
    return { ...output, task_state: output.task_state === 'working' ? 'failed' : 'working' }
  if (output.error_kind !== undefined) return { ...output, error_kind: 'ParseError' }
  if (output.assert_part_is_uri_reference !== undefined)
    return { ...output, assert_part_is_uri_reference: !output.assert_part_is_uri_reference }
  return { ...output, expected_artifact_name_contains: 'no such name' }
}

function flipArtifact(artifact: ExpectedArtifact): ExpectedArtifact {
  if (artifact.text_exact !== undefined) return { ...artifact, text_exact: `${artifact.text_exact}!` }
  if (artifact.text_contains !== undefined) return { ...artifact, text_contains: 'never written' }
  if (artifact.bytes_base64 !== undefined) return { ...artifact, bytes_base64: 'AAAA' }
  return { ...artifact, version_count: (artifact.version_count ?? 0) + 1 }
}

function flipRequest(request: ExpectedRequest): ExpectedRequest {
  const { headers, parts, continues_task: continues } = request
  if (headers !== undefined)
    return { ...request, headers: new Map([...headers].map(([name, value]) => [name, `${value}x`])) }
  if (continues !== undefined) return { ...request, continues_task: !continues }
  if (parts !== undefined) return { ...request, parts: [{ type: 'file', bytes_text: 'never sent' }] }
  return { ...request, operation: request.operation === 'getExtendedCard' ? 'message' : 'getExtendedCard' }
}
