// Authentication in the inspector, each way against a server that checks it: the page never holds what the agent is shown,
// and neither does anything that can be saved from it.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ECHO_CARD } from '../../src/agents/cards.ts'
import { createServer } from '../../src/server/server.ts'
import { sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import { startTokenServer, type TokenServer } from '../peers/token-server.ts'
import { makeAuthority, serverCertificate } from '../support/certificates.ts'
import type { Page } from './chromium.ts'
import { goTo, inspected, say } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'

/** An agent that lets in who brings this header, and repeats what it was shown. */
async function lockedAgent(name: string, value: string, scheme: object) {
  return startScriptedServer((req, res) => {
    const origin = `http://${req.headers.host}`
    if (req.path === '/.well-known/agent-card.json') {
      const card = {
        ...{ name: 'Locked', description: 'Repeats what it is shown.', version: '1', capabilities: {} },
        supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
        skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
        securitySchemes: { lock: scheme },
        securityRequirements: [{ schemes: { lock: { list: [] } } }],
      }
      return sendJson(res, 200, card)
    }
    if (req.method !== 'POST') return void res.writeHead(404).end()
    const shown = req.headers[name]
    if (shown !== value) return void res.writeHead(401, { 'WWW-Authenticate': 'Bearer' }).end()
    const { id, method } = JSON.parse(req.body) as { id: number; method: string }
    if (method !== 'SendMessage')
      return sendJson(res, 200, { jsonrpc: '2.0', id, error: { code: -32001, message: `no task for ${shown}` } })
    const message = { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text: `welcome, you showed ${shown}` }] }
    return sendJson(res, 200, { jsonrpc: '2.0', id, result: { message } })
  })
}

const BEARER = 'canary-bearer-0123456789'
const KEY = 'canary-key-0123456789'
const PASSWORD = 'canary-password-0123456789'
const BASIC = Buffer.from(`alice:${PASSWORD}`).toString('base64')

describe.skipIf(missing !== undefined)('authentication in the inspector', { timeout: 60_000 }, () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-ui-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  afterAll(closeBrowser)

  async function connect(page: Page, target: string, kind: string, fields: Record<string, string>): Promise<void> {
    await page.getByLabel('Address').fill(target)
    await page.getByLabel('How').selectOption(kind)
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).fill(value)
    await page.locator('form.panel button[type=submit]').click()
  }

  /** What a button of the wire saves. */
  async function exported(page: Page, what: string): Promise<string> {
    await goTo(page, 'wire')
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: `Save as ${what}` }).click()
    const text = readFileSync(await (await download).path(), 'utf8')
    expect(text.length).toBeGreaterThan(100)
    return text
  }

  async function greeted(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Talk to it' }).click()
    await page.getByLabel('Stream or one answer').selectOption('send')
    await say(page, 'hello')
    await page.locator('.bubble.agent').filter({ hasText: 'welcome' }).waitFor()
  }

  test.each([
    [
      'bearer',
      { Token: BEARER },
      'authorization',
      `Bearer ${BEARER}`,
      { httpAuthSecurityScheme: { scheme: 'bearer' } },
      [BEARER],
    ],
    [
      'apiKey',
      { Key: KEY },
      'x-my-key',
      KEY,
      { apiKeySecurityScheme: { location: 'header', name: 'X-My-Key' } },
      [KEY],
    ],
    [
      'basic',
      { User: 'alice', Password: PASSWORD },
      'authorization',
      `Basic ${BASIC}`,
      { httpAuthSecurityScheme: { scheme: 'basic' } },
      [PASSWORD, BASIC],
    ],
    [
      'header',
      { Name: 'X-Custom-Auth', Value: KEY },
      'x-custom-auth',
      KEY,
      { apiKeySecurityScheme: { location: 'header', name: 'X-Custom-Auth' } },
      [KEY],
    ],
  ] as const)(
    '%s, and nothing of it is in the page or in what it saves',
    async (kind, fields, name, value, scheme, secrets) => {
      const agent = await lockedAgent(name, value, scheme)
      const savedFile = join(folder, 'agents.json')
      await using seen = await inspected({ savedFile })
      const { page, inspector } = seen
      await connect(page, agent.url, kind, fields)
      await greeted(page)
      await goTo(page, 'wire')
      await page.locator('.wire-row').last().click()
      await page.getByRole('tab', { name: 'HTTP' }).click()
      await page.getByRole('button', { name: 'Edit and resend' }).click()
      await page.locator('.edit .primary').click()
      await page.locator('.wire-row').nth(2).waitFor()
      await goTo(page, 'connect')
      await page.getByRole('button', { name: 'Save…' }).click()
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.locator('section[aria-label="Saved agents"]').waitFor()
      const { lab } = inspector
      const detail = lab.wire.rows().map(({ id }) => lab.wire.detail(id))
      const places = {
        page: await page.evaluate('document.documentElement.outerHTML'),
        storage: await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie])'),
        address: page.url(),
        state: JSON.stringify(lab.state()),
        wire: JSON.stringify(detail),
        saved: readFileSync(savedFile, 'utf8'),
        recording: await exported(page, 'recording'),
        script: await exported(page, 'mock script'),
        case: await exported(page, 'test case'),
      }
      for (const [place, text] of Object.entries(places))
        for (const secret of secrets)
          expect({ place, has: String(text).includes(secret) }).toEqual({ place, has: false })
      // What was sent again got its credentials back.
      expect(lab.wire.rows().filter(({ status }) => status === '401')).toEqual([])
      await agent.close()
    },
  )

  test('a secret by the name of an environment variable, which is what is saved', async () => {
    const agent = await lockedAgent('authorization', `Bearer ${BEARER}`, {
      httpAuthSecurityScheme: { scheme: 'bearer' },
    })
    const savedFile = join(folder, 'agents.json')
    await using seen = await inspected({ savedFile, env: { CANARY: BEARER } })
    const { page } = seen
    await connect(page, agent.url, 'bearer', { Token: '$NOT_SET' })
    await page.getByText('The environment variable NOT_SET is not set').waitFor()
    await connect(page, agent.url, 'bearer', { Token: '$CANARY' })
    await greeted(page)
    await goTo(page, 'connect')
    await page.getByRole('button', { name: 'Save…' }).first().click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.locator('section[aria-label="Saved agents"]').waitFor()
    expect(readFileSync(savedFile, 'utf8')).toContain('"secret": "$CANARY"')
    await agent.close()
  })

  test('a client certificate, whose key is nowhere in the page', async () => {
    const authority = makeAuthority('Parley Test')
    const alice = authority.issue({ subject: { CN: 'alice' }, use: 'client' })
    const card = { ...ECHO_CARD, capabilities: { streaming: false } }
    const server = createServer({
      agents: [{ card, agent: () => 'welcome', auth: [{ kind: 'mtls' }] }],
      tls: { ...serverCertificate(authority), ca: authority.cert },
    })
    const { url } = await server.listen()
    await using seen = await inspected()
    const { page, inspector } = seen
    const fields = {
      'Certificate (PEM)': alice.cert,
      'Key (PEM)': alice.key,
      'Authority to trust (PEM)': authority.cert,
    }
    await connect(page, url, 'certificate', { ...fields, 'Key (PEM)': 'nonsense' })
    await page.locator('.error-note').filter({ hasText: 'The key' }).waitFor()
    await connect(page, url, 'certificate', fields)
    await greeted(page)
    const [, secret = ''] = alice.key.split('\n')
    const places = [
      await page.evaluate('document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage })'),
      JSON.stringify(inspector.lab.state()),
    ]
    for (const text of places) expect(String(text)).not.toContain(secret)
    await server.close({ graceMs: 0 })
  })

  describe('against an authorization server', () => {
    let server: TokenServer
    beforeEach(async () => {
      server = await startTokenServer()
    })
    afterEach(() => server.close())

    test('client credentials', async () => {
      await using seen = await inspected()
      const { page } = seen
      await connect(page, server.url, 'oauth', { 'Client id': 'cli', 'Client secret': 's3cret' })
      await greeted(page)
      expect(server.forms.map((form) => form.get('grant_type'))).toEqual(['client_credentials'])
    })

    test('authorization code with PKCE, whose answer works once', async () => {
      await using seen = await inspected()
      const { page } = seen
      await connect(page, server.url, 'oauth', { 'Client id': 'cli' })
      const link = page.locator('.login a')
      await link.waitFor()
      const address = new URL((await link.getAttribute('href')) ?? '')
      expect(address.searchParams.get('code_challenge_method')).toBe('S256')
      expect(address.searchParams.get('redirect_uri')).toBe(`${seen.url}/oauth/callback`)
      const opened = page.waitForEvent('popup')
      await link.click()
      const popup = await opened
      await popup.getByText('You are logged in.').waitFor()
      await greeted(page)
      await popup.reload()
      await popup.getByText('No login waits for this answer').waitFor()
      expect(server.forms.map((form) => form.get('grant_type'))).toEqual(['authorization_code'])
      expect(
        await page.evaluate('document.documentElement.outerHTML + JSON.stringify({ ...sessionStorage })'),
      ).not.toMatch(/(access|refresh)-[0-9a-f]{8}-/)
    })

    test('device code', async () => {
      await using seen = await inspected()
      const { page } = seen
      await connect(page, server.url, 'oauth', { 'Client id': 'cli' })
      await page.locator('.login').waitFor()
      await page.getByRole('button', { name: 'Close' }).click()
      await page.getByLabel('Address').fill(server.url)
      await page.getByLabel('How').selectOption('oauth')
      await page.getByLabel('Flow').selectOption('device-code')
      await page.getByLabel('Client id').fill('cli')
      await page.locator('form.panel button[type=submit]').click()
      await page.getByText('ABCD-EFGH').waitFor()
      server.approve()
      await greeted(page)
    })

    test('OpenID Connect', async () => {
      const openid = await startTokenServer({ scheme: 'openid' })
      await using seen = await inspected()
      const { page } = seen
      await connect(page, openid.url, 'oauth', { 'Client id': 'cli', 'Client secret': 's3cret' })
      await greeted(page)
      await openid.close()
    })

    test('a token server elsewhere gets nothing before the user trusts it', async () => {
      const agent = await startTokenServer({ tokenOrigin: server.url })
      await using seen = await inspected()
      const { page } = seen
      await connect(page, agent.url, 'oauth', { 'Client id': 'cli', 'Client secret': 's3cret' })
      await page.getByText('which you have not named').waitFor()
      expect(server.forms).toEqual([])
      await page.getByRole('button', { name: `Trust ${server.url}` }).click()
      await page.getByText('connected').first().waitFor()
      expect(server.forms.map((form) => form.get('grant_type'))).toEqual(['client_credentials'])
      await agent.close()
    })
  })
})
