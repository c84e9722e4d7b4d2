// Cards in the inspector: signatures with key and canonical form, the extended card, and two cards beside each other.

import { afterAll, beforeAll, describe, test } from 'vitest'
import { ECHO_CARD, SIGNED_CARD, SPEC_CARD } from '../../src/agents/cards.ts'
import { newSigningKey } from '../../src/server/card-signing.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import type { Page } from './chromium.ts'
import { goTo, inspected } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('cards in the inspector', { timeout: 60_000 }, () => {
  const key = newSigningKey()
  let server: A2AServer
  let url = ''
  beforeAll(async () => {
    server = createServer({
      agents: [
        { path: '/own', card: SIGNED_CARD, agent: () => 'ok', signing: { key } },
        { path: '/far', card: SIGNED_CARD, agent: () => 'ok', signing: { key, jku: 'https://keys.example/jwks.json' } },
        { path: '/plain', card: ECHO_CARD, agent: () => 'ok' },
        {
          ...{ path: '/more', card: SPEC_CARD, agent: () => 'ok' },
          extendedCard: { card: { ...SPEC_CARD, description: 'Says more to those who ask.' }, isVisibleTo: () => true },
        },
      ],
    })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await closeBrowser()
    await server.close({ graceMs: 0 })
  })

  const signatures = (page: Page) => page.locator('section[aria-label="Signatures"] li')

  test.each([
    ['/own', /^✓ ES256, key \S+: verified over the canonical form of §8\.4\.1$/],
    [
      '/far',
      /^! ES256, key \S+: not verified, the key set is at another origin \(https:\/\/keys\.example\/jwks\.json\)/,
    ],
  ])('the signature of %s is verified, or it says why not', async (path, text) => {
    await using seen = await inspected({ agent: url + path })
    const { page } = seen
    await goTo(page, 'card')
    await shown(() => signatures(page).textContent()).toMatch(text)
  })

  test('a card that was changed after it was signed does not verify', async () => {
    const forger = await startScriptedServer((req, res) => {
      if (req.path.endsWith('agent-card.json')) return sendJson(res, 200, { ...signed, name: 'Forged' })
      if (req.path === '/keys') return sendJson(res, 200, keys)
      res.writeHead(404).end()
    })
    const signer = createServer({
      agents: [{ card: SIGNED_CARD, agent: () => 'ok', signing: { key, jku: `${forger.url}/keys` } }],
    })
    const { url: place } = await signer.listen()
    const read = async (path: string) => (await (await fetch(path)).json()) as object
    const signed = await read(`${place}/.well-known/agent-card.json`)
    const keys = await read(`${url}/own/.well-known/jwks.json`)
    await using seen = await inspected({ agent: forger.url })
    const { page } = seen
    await goTo(page, 'card')
    await shown(() => signatures(page).textContent()).toMatch(/^! ES256.*: does not verify/)
    await forger.close()
    await signer.close({ graceMs: 0 })
  })

  test('differs from the card of another agent line by line, and from itself in nothing', async () => {
    await using seen = await inspected({ agent: `${url}/plain` })
    const { page, inspector } = seen
    for (const path of ['/plain', '/own']) inspector.lab.open(url + path, { kind: 'none' }, [])
    await goTo(page, 'card')
    const choice = page.getByLabel('Card to compare with')
    await choice.selectOption('a2')
    await page.getByText('✓ They are the same.').waitFor()
    await choice.selectOption('a3')
    const diff = page.locator('.diff')
    await shown(() => diff.locator('.bad').first().textContent()).toMatch(/^- /)
    await shown(() => diff.textContent()).toContain(`-   "name": ${JSON.stringify(ECHO_CARD.name)}`)
    await shown(() => diff.textContent()).toContain(`+   "name": ${JSON.stringify(SIGNED_CARD.name)}`)
  })

  test('the extended card is asked for, shown, and compared', async () => {
    await using seen = await inspected({ agent: `${url}/more` })
    const { page } = seen
    await goTo(page, 'card')
    await page.getByRole('button', { name: 'Ask for it' }).click()
    await page.getByLabel('Card to compare with').selectOption('extended')
    await shown(() => page.locator('.diff .good').first().textContent()).toContain('Says more to those who ask.')
  })
})
