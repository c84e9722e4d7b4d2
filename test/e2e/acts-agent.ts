// An agent no correct server would be, and a folder for suites against it; both are gone after each test.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { loadSuites } from '../../src/scenario/acts/load-suite.ts'
import { type RunSuitesOptions, runSuites } from '../../src/scenario/acts/run-suites.ts'
import {
  type Received,
  type ScriptedServer,
  sendFrames,
  sendJson,
  startScriptedServer,
} from '../peers/scripted-server.ts'

export type Answer = (rpc: { method: string; params: { [name: string]: unknown } }, request: Received) => unknown

/** Of the test that runs. */
export let folder: string
export let agent: ScriptedServer | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-acts-'))
})

afterEach(async () => {
  await agent?.close()
  agent = undefined
  rmSync(folder, { recursive: true, force: true })
})

export const SILENT = Symbol('no answer')

/** A JSON-RPC agent: `answer` gives the result; an object with `error` is one; SILENT is silence; a list is a stream. */
export async function start(answer: Answer, capabilities: object = {}): Promise<string> {
  agent = await startScriptedServer((request, res) => {
    if (request.method === 'GET') {
      const url = `http://${request.headers.host}/a2a`
      const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
      const skills = [{ id: 'talk', name: 'Talk', description: 'Talks.', tags: [] }]
      sendJson(res, 200, { name: 'Scripted', version: '2.1', capabilities, skills, supportedInterfaces })
      return
    }
    const { id, ...rpc } = JSON.parse(request.body) as {
      id: unknown
      method: string
      params: { [name: string]: unknown }
    }
    const result = answer(rpc, request)
    if (result === SILENT) return
    if (Array.isArray(result)) {
      sendFrames(
        res,
        result.map((event) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result: event })}`),
      )
      res.end()
    } else if (typeof result === 'object' && result !== null && 'error' in result) {
      sendJson(res, 200, { jsonrpc: '2.0', id, ...result })
    } else sendJson(res, 200, { jsonrpc: '2.0', id, result })
  })
  return agent.url
}

export const NOT_FOUND = { error: { code: -32001, message: 'no such task' } }

export function suiteFile(tests: string, head = ''): string {
  const path = join(folder, 's.acts.yaml')
  writeFileSync(
    path,
    `acts_version: "1.0"\nspec_version: "1.0"\n${head}suites:\n  - id: s\n    name: S\n    tests:\n${tests.replaceAll(/^/gm, '      ')}\n`,
  )
  return path
}

export async function outcomesOf(url: string, tests: string, options: RunSuitesOptions = {}, head = '') {
  const run = await runSuites(url, await loadSuites([suiteFile(tests, head)]), { timeoutMs: 2_000, ...options })
  return run.outcomes
}

export const GET = '{ id: get, operation: get_task, params: { id: t } }'
