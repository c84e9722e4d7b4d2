// The inspector in a real browser: connecting to agents of every protocol version over every binding, their cards, and
// conversations with files, data, streams and several turns.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import type { Page } from './chromium.ts'
import { goTo, inspected, NO_RELAY, say } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('the inspector', { timeout: 60_000 }, () => {
  let server: A2AServer
  let url = ''
  beforeAll(async () => {
    server = createServer({
      agents: referenceAgents({ relay: NO_RELAY }),
      grpc: { port: 0 },
      allowPrivateNetworks: true,
    })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await closeBrowser()
    await server.close({ graceMs: 0 })
  })

  const answered = (page: Page, text: string) =>
    page.locator('.bubble.agent').filter({ hasText: text }).first().waitFor()

  test('takes the token out of the address, keeps a session only, and survives a reload', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page, errors, requests } = seen
    await shown(() => page.url()).toBe(`${seen.url}/`)
    const kept = 'JSON.stringify(Object.keys(sessionStorage)) + localStorage.length + document.cookie'
    expect(await page.evaluate(kept)).toBe('["parley-session"]0')
    await shown(() => page.locator('header').textContent()).toContain('A2A 1.0 over jsonrpc')
    await say(page, 'message-only hello')
    await answered(page, 'You said: message-only hello')
    await page.reload()
    await answered(page, 'You said: message-only hello')
    expect({ errors, requests }).toEqual({ errors: [], requests: [] })
  })

  test('connects by what is typed, and says what was tried when there is nothing', async () => {
    await using seen = await inspected()
    const { page } = seen
    await page.getByLabel('Address').fill(`${url}/nowhere`)
    await page.locator('form.panel button[type=submit]').click()
    await page.getByText('No agent card was found').waitFor()
    await shown(() => page.locator('.attempts').textContent()).toContain(
      '/nowhere/.well-known/agent-card.json HTTP 404',
    )
    await page.getByLabel('Address').fill(`${url}/echo`)
    await page.locator('form.panel button[type=submit]').click()
    await page.getByRole('button', { name: 'Talk to it' }).click()
    await say(page, 'hello')
    await answered(page, 'hello')
  })

  test('connects to a host, a card URL and a card file, and opens what was saved', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-ui-'))
    const address = `${url}/spec/.well-known/agent-card.json`
    const file = join(folder, 'card.json')
    writeFileSync(file, await (await fetch(address)).text())
    await using seen = await inspected({ savedFile: join(folder, 'agents.json') })
    const { page, inspector } = seen
    const open = () => page.getByRole('button', { name: 'Talk to it' }).count()
    for (const [at, target] of [`${url.replace('http://', '')}/spec`, address, file].entries()) {
      await page.getByLabel('Address').fill(target)
      await page.locator('form.panel button[type=submit]').click()
      await shown(open).toBe(at + 1)
    }
    await page.getByRole('button', { name: 'Save…' }).first().click()
    await page.getByLabel('Name to save it under').fill('from the file')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const saved = page.locator('section[aria-label="Saved agents"]')
    await saved.filter({ hasText: file }).waitFor()
    await page.getByRole('button', { name: 'from the file', exact: true }).click()
    await shown(open).toBe(4)
    expect(inspector.lab.state().agents.map(({ target }) => target)).toEqual([expect.anything(), address, file, file])
    await page.getByRole('button', { name: 'Forget from the file' }).click()
    await saved.waitFor({ state: 'detached' })
    expect(readFileSync(join(folder, 'agents.json'), 'utf8')).not.toContain('card.json')
    rmSync(folder, { recursive: true })
  })

  test.each([
    ['/spec', '1.0 jsonrpc'],
    ['/spec', '1.0 rest'],
    ['/spec', '1.0 grpc'],
    ['/spec03', '0.3 jsonrpc'],
    ['/spec03', '0.3 rest'],
    ['/spec03', '0.3 grpc'],
    ['/legacy', '0.1 jsonrpc'],
  ])('talks to %s in %s, streaming and not', async (path, way) => {
    await using seen = await inspected({ agent: url + path })
    const { page } = seen
    await page.getByLabel('Protocol version and binding').selectOption(way)
    for (const how of ['stream', 'send']) {
      await page.getByLabel('Stream or one answer').selectOption(how)
      await say(page, `task-lifecycle ${how}`)
      await answered(page, `Processed: task-lifecycle ${how}`)
    }
    await shown(() => page.locator('.bubble.agent .meta').first().textContent()).toContain(way)
  })

  test('shows the card, what is wrong with it and where', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await goTo(page, 'card')
    await page.getByText('declares A2A 1.0 and also answers A2A 0.3').first().waitFor()
    await page.locator('.finding').first().click()
    await shown(() => page.locator('.raw-column mark').textContent()).toContain('"protocolBinding": "JSONRPC"')
    await shown(() => page.locator('section[aria-label="Interfaces"]').textContent()).toContain('GRPC')
    await page.getByRole('button', { name: 'Ask for it' }).click()
    await page.getByText('The extended card is only for authenticated callers').waitFor()
  })

  test('sends files and data, and shows what comes back as what it is', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'order.txt', mimeType: 'text/plain', buffer: Buffer.from('4711') })
    await page.getByText('order.txt · 4 B').waitFor()
    await page.getByRole('button', { name: 'Data part', exact: true }).click()
    await page.getByLabel('Data part (JSON)').fill('{ "a": ')
    await shown(() => page.locator('.data-editor [role=status]').textContent()).toMatch(/JSON/)
    await page.getByLabel('Data part (JSON)').fill('{ "amount": 12 }')
    await page.getByRole('button', { name: 'Add data part' }).click()
    await say(page, 'data-types')
    await page.locator('.file img').waitFor()
    await answered(page, '"latencyMs": 42')
    await goTo(page, 'wire')
    await page.locator('.wire-row').last().click()
    const sent = page.locator('section[aria-label="Sent"]')
    await sent.waitFor()
    await shown(() => sent.textContent()).toContain(`"raw": "${Buffer.from('4711').toString('base64')}"`)
    await shown(() => sent.textContent()).toContain('"amount": 12')
  })

  test('goes on in a task that asks, and begins anew when told to', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await say(page, 'multi-turn begin')
    await page.getByText('continues task').waitFor()
    await say(page, 'done')
    await answered(page, 'Finished after 2 messages')
    await page.getByText('continues context').waitFor()
    await page.getByRole('button', { name: 'Begin a new conversation' }).click()
    await page.getByText('begins a new conversation').waitFor()
    await say(page, 'auth-required please')
    await page.getByRole('button', { name: 'Answer once you have authorized it' }).click()
    await say(page, 'I did')
    await answered(page, '[auth-required] Authorized.')
  })

  test('lists, gets, cancels and follows tasks', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await say(page, 'task-cancel')
    await answered(page, 'Waiting to be canceled')
    await goTo(page, 'tasks')
    await page.getByLabel('State').selectOption('TASK_STATE_WORKING')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.locator('td .link').first().click()
    await page.getByRole('button', { name: 'Follow' }).click()
    await page.getByText('Following task').waitFor()
    await goTo(page, 'tasks')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.locator('td .link').first().click()
    await page.getByRole('button', { name: 'Cancel task' }).click()
    await page.locator('h2 .badge').filter({ hasText: 'canceled' }).waitFor()
    await goTo(page, 'talk')
    await page.locator('.bubble.agent').last().locator('.badge').filter({ hasText: 'canceled' }).waitFor()
  })

  test('shows both layers of the wire, and sends a changed request again', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await say(page, 'streaming please')
    await page.locator('.wire-row').filter({ hasText: 'SendStreamingMessage' }).click()
    await page.locator('.frame-row').first().waitFor()
    await page.getByRole('tab', { name: 'HTTP' }).click()
    await shown(() => page.locator('.exchange').textContent()).toContain('Content-Type: text/event-stream')
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    const body = JSON.parse(await page.getByLabel('Body').inputValue()) as {
      method: string
      params: { message: { messageId: string; parts: { text: string }[] } }
    }
    body.method = 'SendMessage'
    body.params.message.messageId = 'resent'
    body.params.message.parts = [{ text: 'message-only once more' }]
    await page.getByLabel('Body').fill(JSON.stringify(body))
    await page.locator('.edit .primary').click()
    await page.locator('article[aria-label="Exchange SendMessage"]').waitFor()
    await page.getByRole('tab', { name: 'Protocol' }).click()
    await shown(() => page.locator('section[aria-label="Answer"]').textContent()).toContain(
      'You said: message-only once more',
    )
  })

  test('sends a changed gRPC call again, and no request to a stranger', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await page.getByLabel('Protocol version and binding').selectOption('1.0 grpc')
    await page.getByLabel('Stream or one answer').selectOption('send')
    await say(page, 'message-only first')
    await page.locator('.wire-row').filter({ hasText: 'gRPC' }).last().click()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    const message = JSON.parse(await page.getByLabel('Message', { exact: true }).last().inputValue()) as {
      message: { messageId: string; parts: { text: string }[] }
    }
    message.message.messageId = 'again'
    message.message.parts = [{ text: 'message-only over gRPC' }]
    await page.getByLabel('Message', { exact: true }).last().fill(JSON.stringify(message))
    await page.locator('.edit .primary').click()
    await page.getByText('You said: message-only over gRPC').waitFor()
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await page.getByLabel('URL').fill('http://127.0.0.1:1/elsewhere')
    await page.locator('.edit .primary').click()
    await page.getByText('is not an address of this agent').waitFor()
  })
})
