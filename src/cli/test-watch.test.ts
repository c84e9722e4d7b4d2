// The loop of --watch with real runs of one check against a real agent that goes away and comes back.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startTinyAgent } from '../../test/judge/tiny-agent.ts'
import { certify } from '../judge/runner/certify.ts'
import type { ConformanceReport } from '../judge/runner/result.ts'
import { difference, watchTest } from './test-watch.ts'

function recorded() {
  const said = { out: '', err: '' }
  const io = {
    out(text: string) {
      said.out += text
    },
    err(text: string) {
      said.err += text
    },
    stdin: async () => '',
    exit() {},
  }
  return { said, io }
}

test('runs again when a file changes, and says what is different', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-watch-'))
  const file = join(folder, 'prompts.yaml')
  writeFileSync(file, 'a')
  const agent = await startTinyAgent()
  const { said, io } = recorded()
  const stop = new AbortController()
  let runs = 0
  await watchTest({
    agent: agent.url,
    files: [file],
    io,
    signal: stop.signal,
    async run() {
      const report = await certify(agent.url, { only: [runs++ === 0 ? 'cancel-unknown' : 'get-task-unknown'] })
      if (runs === 1) setImmediate(() => writeFileSync(file, 'changed'))
      else stop.abort()
      return report
    },
  })
  expect(runs).toBe(2)
  expect(said.err).toContain('A file changed.')
  expect(said.out).toContain('since the run before')
  await agent.close()
  rmSync(folder, { recursive: true })
})

test('runs again when the agent comes back', async () => {
  const place = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => place.once('listening', resolve))
  const { port } = place.address() as { port: number }
  await new Promise((resolve) => place.close(resolve))
  const { said, io } = recorded()
  const stop = new AbortController()
  const reports: ConformanceReport[] = []
  const later = createServer()
  const agent = `http://127.0.0.1:${port}`
  await watchTest({
    ...{ agent, files: [], io, signal: stop.signal },
    async run() {
      const report = await certify(agent, { only: ['card-available'], timeoutMs: 200 })
      if (reports.push(report) === 1) later.listen(port, '127.0.0.1')
      else stop.abort()
      return report
    },
  })
  later.close()
  expect(reports).toHaveLength(2)
  expect(said.err).toContain('The agent is back.')
})

test('a result that changed is named with both verdicts', async () => {
  const agent = await startTinyAgent()
  const report = await certify(agent.url, { only: ['cancel-unknown'] })
  const after = structuredClone(report)
  for (const results of Object.values(after.categories)) for (const result of results) result.verdict = 'pass'
  expect(difference(report, after)).toMatch(
    /1 result changed since the run before:\n {2}cancel-unknown@\S+: fail → pass/,
  )
  expect(difference(report, report)).toBe('Nothing changed since the run before.\n')
  await agent.close()
})
