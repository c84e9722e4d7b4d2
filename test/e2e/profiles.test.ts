// Profiles of the project file, as a process: the agent and the flags behind a name, and secrets by reference only.

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ScriptedServer, sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import { runParley } from '../support/parley-process.ts'

let folder: string
let agent: ScriptedServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-profiles-'))
  agent = await startScriptedServer(({ path, body, headers }, res) => {
    if (path !== '/rpc') return sendJson(res, 200, card(`http://${headers.host}/rpc`))
    const text = [headers.authorization, String(headers['x-team'])].join(' ')
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] }
    sendJson(res, 200, { jsonrpc: '2.0', id: (JSON.parse(body) as { id: number }).id, result: { message } })
  })
  await writeFile(join(folder, 'token'), 'from-file\n')
  await writeFile(
    join(folder, 'parley.config.yaml'),
    `profiles:
  staging: { agent: "${agent.url}", bearer: "\${STAGING_TOKEN}", header: ["X-Team: a"], timeout: 10s }
  filed: { agent: "${agent.url}", bearer: "file:token" }
  careless: { agent: "${agent.url}", bearer: "abc" }
`,
  )
})
afterAll(async () => {
  await agent.close()
  await rm(folder, { recursive: true })
})

function card(url: string) {
  return {
    ...{ name: 'A', description: 'A', version: '1', capabilities: {}, defaultInputModes: ['text/plain'] },
    ...{ defaultOutputModes: ['text/plain'], skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }] },
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  }
}

const parley = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  runParley(args, { cwd: folder, env: { ...process.env, ...env } })

test('@name is the agent with its flags, --profile brings only the flags', async () => {
  const env = { STAGING_TOKEN: 't0ken' }
  expect((await parley(['send', '@staging', 'hi', '-q'], env)).stdout).toBe('Bearer t0ken a\n')
  expect((await parley(['send', agent.url, 'hi', '-q', '--profile', 'staging'], env)).stdout).toBe('Bearer t0ken a\n')
  expect((await parley(['send', '@filed', 'hi', '-q'])).stdout).toBe('Bearer from-file undefined\n')
})

test.each([
  [['send', '@staging', 'hi'], 'names the environment variable STAGING_TOKEN, which is not set'],
  [['send', '@stagin', 'hi'], "There is no profile 'stagin' in parley.config.yaml; did you mean 'staging'?"],
  [['send', '@careless', 'hi'], 'secrets are not written into the project file'],
])('%j is refused', async (args, message) => {
  const run = await parley(args, { STAGING_TOKEN: '' })
  expect([run.code, run.stderr]).toEqual([2, expect.stringContaining(message)])
})
