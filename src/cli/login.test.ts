// Logins as a card asks for them, against a real authorization server: every flow, refresh, who is sent a secret, what is kept.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { startTokenServer, type TokenServer } from '../../test/peers/token-server.ts'
import { FLOWS } from '../auth/flows.ts'
import { chooseFlow, endpointsOf, type FlowName } from '../auth/oauth-endpoints.ts'
import { SessionTokens } from '../auth/session-tokens.ts'
import { A2AClient } from '../client/a2a-client.ts'
import { HttpClient } from '../net/http-client.ts'
import { connectAgent } from './login.ts'
import { sendCommand } from './send.ts'

let server: TokenServer
let folder: string
beforeEach(async () => {
  server = await startTokenServer()
  folder = mkdtempSync(join(tmpdir(), 'parley-login-'))
})
afterEach(async () => {
  await server.close()
  rmSync(folder, { recursive: true })
})

const CLIENT = ['--client-id', 'cli', '--client-secret', 's3cret']
const send = (...args: string[]) => runCommand(sendCommand, [server.url, 'hi', '-q', ...args])

describe('a login', () => {
  test('with client credentials', async () => {
    expect((await send(...CLIENT)).out).toContain('welcome')
    expect(server.forms.map(String)).toEqual(['grant_type=client_credentials&scope=use'])
  })

  test('in the browser, with PKCE and a loopback redirect', async () => {
    const opened: string[] = []
    const client = await connectAgent(server.url, {}, { clientId: 'cli' }, (line) => {
      const url = /http:\S+/.exec(line)?.[0] ?? ''
      opened.push(url)
      void fetch(url)
    })
    expect(
      await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } }),
    ).toHaveProperty('message')
    expect(opened).toEqual([expect.stringContaining('code_challenge_method=S256')])
    client.close()
  })

  test('with a code typed on another device, as slowly as the server asks', async () => {
    using http = closing(new HttpClient())
    const endpoints = await discovered(http.client, 'device-code')
    const lines: string[] = []
    const pauses: number[] = []
    const tokens = await FLOWS['device-code']({
      http: http.client,
      endpoints,
      client: { clientId: 'cli' },
      tell: (line) => lines.push(line),
      async pause(ms) {
        pauses.push(ms)
        if (pauses.length === 3) server.approve()
      },
    })
    expect(lines).toEqual([`Open ${server.url}/go and enter the code ABCD-EFGH`])
    expect(pauses).toEqual([1_000, 6_000, 6_000])
    expect(tokens.refreshToken).toMatch(/^refresh-/)
  })

  test('where OpenID Connect discovery says', async () => {
    const openid = await startTokenServer({ scheme: 'openid' })
    expect((await runCommand(sendCommand, [openid.url, 'hi', '-q', ...CLIENT])).out).toContain('welcome')
    await openid.close()
  })

  test('is renewed with the refresh token when it ends, and once when the agent refuses it', async () => {
    using http = closing(new HttpClient())
    const endpoints = await discovered(http.client, 'authorization-code')
    let now = 0
    const tokens = new SessionTokens({
      http: http.client,
      endpoints,
      flow: 'authorization-code',
      client: { clientId: 'cli' },
      trusted: new Set([server.url]),
      tell: (line) => void fetch(/http:\S+/.exec(line)?.[0] ?? ''),
      now: () => now,
    })
    const first = await tokens.token()
    expect(await tokens.token()).toBe(first)
    now = 3_590_000
    const second = await tokens.token()
    expect(second).not.toBe(first)
    expect(server.forms.map((form) => form.get('grant_type'))).toEqual(['authorization_code', 'refresh_token'])
    server.expire()
    using client = await A2AClient.connect(server.url, { tokens })
    await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hi' }] } })
    expect(server.forms).toHaveLength(3)
    // The agent took it, so that a later refusal is about the token again; one in a row is not.
    expect(tokens.refused(await tokens.token())).toBe(true)
    expect(tokens.refused(await tokens.token())).toBe(false)
  })
})

describe('a secret', () => {
  test('is not sent to a server only the card names', async () => {
    const elsewhere = await startTokenServer()
    const agent = await startTokenServer({ tokenOrigin: elsewhere.url })
    await expect(runCommand(sendCommand, [agent.url, 'hi', '-q', ...CLIENT])).rejects.toMatchObject({
      exitCode: 4,
      hint: expect.stringContaining(`--allow-origin ${elsewhere.url}`),
    })
    expect(elsewhere.forms).toEqual([])
    await agent.close()
    await elsewhere.close()
  })

  test('stays in the session, or in a file of mode 600 when asked', async () => {
    const file = join(folder, 'deep', 'tokens.json')
    await send(...CLIENT, '--save-token', file)
    await send(...CLIENT, '--save-token', file)
    expect(server.forms).toHaveLength(1)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readFileSync(file, 'utf8')).toContain('access-')
    writeFileSync(join(folder, 'open.json'), '{}', { mode: 0o644 })
    await expect(send(...CLIENT, '--save-token', join(folder, 'open.json'))).rejects.toThrow('can be read by others')
  })
})

test('what is missing is named with the flag that brings it', async () => {
  await expect(send()).rejects.toMatchObject({
    exitCode: 4,
    message: expect.stringContaining('The card asks for an access token (OAuth 2.0, scheme "clientCredentials"'),
    hint: expect.stringContaining('--client-id ID'),
  })
  await expect(send('--client-id', 'cli', '--client-secret', 'wrong')).rejects.toMatchObject({
    exitCode: 4,
    message: 'The authorization server of the agent gave no token: it answered HTTP 401 (invalid_client).',
  })
  await expect(send('--scope', 'x')).rejects.toThrow('need --client-id ID')
})

async function discovered(http: HttpClient, flow: FlowName) {
  using client = await A2AClient.connect(server.url)
  if (client.card === undefined) throw new Error('no card')
  return chooseFlow(await endpointsOf(client.card, { http }), { flow, hasSecret: false }).endpoints
}

function closing(client: HttpClient) {
  return { client, [Symbol.dispose]: () => client.close() }
}
