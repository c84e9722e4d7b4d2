import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand as runInProcess } from '../../test/peers/recorded-io.ts'
import { runCommand } from './run.ts'

const run = (...args: string[]) => runInProcess(runCommand, args)
const GOOD = `
test_case_id: good
tags: [fast]
gateway_input: { parts: [{ text: go }] }
downstream_script: { rules: [{ id: a, turns: [[{ complete: Done. }]] }] }
expected_gateway_output: [{ type: final_response, task_state: completed }]
`

describe('parley run', () => {
  let folder: string
  const file = (name: string) => join(folder, name)

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'parley-run-'))
    await writeFile(file('good.yaml'), GOOD)
    await writeFile(
      file('bad.yaml'),
      GOOD.replaceAll('good', 'bad').replace('task_state: completed', 'task_state: failed'),
    )
    await writeFile(file('broken.txt'), GOOD.replace('tags', 'tagz'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('prints each case and a summary; all well is 0', async () => {
    const { out, exitCode } = await run(file('good.yaml'), '--generation', '0.3', '1.0', '--mode', 'both')
    expect(out).toMatch(
      /^(ok {3}good \[(0\.3|1\.0) jsonrpc (streaming|blocking)\] \(\d+ ms\)\n){4}4 passed, 0 failed, in/,
    )
    expect(exitCode).toBe(0)
  })

  test('a failure is 1 and shows expected and seen; reports are written', async () => {
    const { out, exitCode } = await run(folder, '-q', '--junit', file('r.xml'), '--json', file('r.json'))
    expect(exitCode).toBe(1)
    expect(out).toContain('FAIL bad [1.0 jsonrpc streaming]')
    expect(out).toContain('final_response failed')
    expect(out).not.toContain('ok   good')
    expect(await readFile(file('r.xml'), 'utf8')).toContain('tests="2" failures="1"')
    expect(JSON.parse(await readFile(file('r.json'), 'utf8'))).toMatchObject({ ok: false })
  })

  test('a broken file is 2 with the line, before anything is played', async () => {
    await expect(run(file('good.yaml'), file('broken.txt'))).rejects.toMatchObject({
      exitCode: 2,
      message: expect.stringMatching(/broken\.txt:3:1: unknown key 'tagz'/),
    })
    await expect(run(file('none.yaml'))).rejects.toMatchObject({ exitCode: 2, code: 'case-invalid' })
    await expect(run(folder, '--tag', 'nothing')).rejects.toMatchObject({ exitCode: 2, code: 'no-cases' })
  })

  test('two cases of one id are refused', async () => {
    await expect(run(file('good.yaml'), file('good.yaml'))).rejects.toThrow("the test_case_id 'good' is also that of")
  })

  test('--check reads and plays nothing', async () => {
    expect((await run(file('good.yaml'), '--check')).out).toBe('1 case, all valid.\n')
  })

  test('-o json prints one document', async () => {
    const { out } = await run(file('good.yaml'), '-o', 'json')
    expect(JSON.parse(out)).toMatchObject({ ok: true, results: [{ id: 'good', outcome: 'passed' }] })
  })
})
