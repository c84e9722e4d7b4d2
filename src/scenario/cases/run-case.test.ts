import { expect, test } from 'vitest'
import { renderedRun } from '../../../test/report/rendered.ts'
import { beginRun } from '../../run/begin-run.ts'
import { runOfCases } from './case-report.ts'
import { parseCase } from './load-case.ts'
import { type CaseResult, runCase } from './run-case.ts'

const asRun = (...results: CaseResult[]) =>
  runOfCases({ results, durationMs: 5 }, beginRun({ kind: 'cases', flags: [], files: ['case.yaml'] }))
const VARIANT = { generation: '1.0', streaming: true, binding: 'jsonrpc' } as const
const BODY = `
gateway_input: { parts: [{ text: go }] }
downstream_script: { rules: [{ id: a, turns: [[{ status: working, text: Hm. }, { complete: "Done <ok> \\u001b[31m" }]] }] }
`

test('a failure shows what was expected beside what came, with the line', async () => {
  const written = parseCase(`test_case_id: shown${BODY}expected_gateway_output:
  - { type: status_update, content_parts: [{ type: text, text_exact: Hm. }] }
  - { type: artifact_update, expected_artifact_name_contains: a.txt }
  - { type: final_response, task_state: completed }
`)
  const result = await runCase(written, VARIANT)
  expect(result.outcome).toBe('failed')
  const shown = renderedRun('terminal', asRun(result))
  expect(shown).toContain('case.yaml:6: artifact_update name contains "a.txt": no artifact_update came')
  expect(shown).toMatch(/= status_update text = "Hm\." +status_update working "Hm\."/)
  expect(shown).toMatch(/- artifact_update name contains "a\.txt"\n/)
  expect(shown).toMatch(/\+ +status_update submitted/)
  expect(shown).not.toContain('\u001b')
})

test('results are readable by machines', async () => {
  const failing = parseCase(`test_case_id: bad${BODY}expected_gateway_output: [{ type: error }]`)
  const skipped = parseCase(
    `test_case_id: later${BODY}skip: { reason: not "yet" }\nexpected_gateway_output: [{ type: error }]`,
  )
  const results = [await runCase(failing, VARIANT), await runCase(skipped, VARIANT)]
  const run = asRun(...results)
  expect(renderedRun('terminal', run)).toMatch(/\n0 passed, 1 failed, 1 skipped \(1 left out\), in 0\.0 s\.\n$/)
  expect(JSON.parse(renderedRun('json', run))).toMatchObject({
    ok: false,
    results: [{ id: 'bad', outcome: 'failed' }, { outcome: 'skipped' }],
  })
  const xml = renderedRun('junit', run)
  expect(xml).toContain('tests="2" failures="1" errors="0" skipped="1"')
  expect(xml).toContain('<skipped message="not &quot;yet&quot;"/>')
  expect(xml).not.toContain('<ok>')
  expect(xml).not.toContain('\u001b')
})

test('a case that takes too long fails and says so', async () => {
  const written = parseCase(`test_case_id: slow
timeout: 100ms
gateway_input: { parts: [{ text: go }] }
downstream_script: { rules: [{ id: a, turns: [[{ status: working }, { delay: 60s }]] }] }
expected_gateway_output: [{ type: final_response }]`)
  const result = await runCase(written, VARIANT)
  expect(result.problems[0]?.message).toBe('the case did not finish within 100 ms')
})
