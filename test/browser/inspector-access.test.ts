// The inspector for everybody: axe finds nothing wrong in any view, light and dark, wide and narrow, and everything can be
// done with the keyboard alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { expectForEverybody, letAxeIn } from './everybody.ts'
import { goTo, inspected, NO_RELAY, say } from './inspected.ts'
import { byKeyboard } from './keyboard.ts'
import { closeBrowser, missing } from './shared-browser.ts'

describe.skipIf(missing !== undefined)('the inspector for everybody', { timeout: 120_000 }, () => {
  let server: A2AServer
  let url = ''
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-ui-'))
    server = createServer({ agents: referenceAgents({ relay: NO_RELAY }), allowPrivateNetworks: true })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await closeBrowser()
    await server.close({ graceMs: 0 })
    rmSync(folder, { recursive: true, force: true })
  })

  const recording = () => {
    const file = `${HEADER}${EXCHANGE}{"end":true,"count":1}\n`
    return { name: 'traffic.jsonl', mimeType: 'application/json', buffer: Buffer.from(file) }
  }

  /** Something in every view. */
  async function fill(page: Page): Promise<void> {
    await say(page, 'data-types')
    await page.locator('.file img').waitFor()
    await goTo(page, 'tasks')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.locator('td .link').first().click()
    await page.getByRole('button', { name: 'Cancel task' }).waitFor()
    await goTo(page, 'judge')
    const text = renderedRun('run', SAMPLE_RUNS.checks)
    await page
      .getByLabel('A stored run')
      .setInputFiles({ name: 'run.jsonl', mimeType: 'application/json', buffer: Buffer.from(text) })
    await page.locator('.judge .item button').nth(1).click()
    await page.waitForSelector('.message')
    await goTo(page, 'mock')
    await page.getByRole('button', { name: 'Start from the script' }).click()
    await page.getByText('Journal, 0 requests').waitFor()
    await goTo(page, 'wire')
    await page.locator('.wire-row').last().click()
    await page.locator('.wire-one').waitFor()
  }

  test('axe finds nothing in any view, and no view is wider than the page', async () => {
    await using seen = await inspected({
      ...{ agent: `${url}/spec`, bypassCSP: true, savedFile: join(folder, 'agents.json') },
    })
    const { page } = seen
    await fill(page)
    await letAxeIn(page)
    for (const view of ['connect', 'card', 'talk', 'tasks', 'wire', 'judge', 'push', 'mock']) {
      await goTo(page, view)
      await page.locator(`.rail [data-view="${view}"][aria-current]`).waitFor()
      await expectForEverybody(page, view)
    }
    await goTo(page, 'connect')
    await page.getByLabel('How').selectOption('oauth')
    await page.getByLabel('Client secret').waitFor()
    await expectForEverybody(page, 'connect with a login')
    await goTo(page, 'talk')
    for (const name of ['Data part', 'More…']) await page.getByRole('button', { name, exact: true }).click()
    await expectForEverybody(page, 'talk with all fields')
    await goTo(page, 'wire')
    await page.getByRole('button', { name: 'Edit and resend' }).click()
    await expectForEverybody(page, 'wire, edited')
    await page.getByLabel('A recording').setInputFiles(recording())
    await page.locator('.wire-row').filter({ hasText: '/call/0' }).click()
    await page.locator('section[aria-label="Answer"]').waitFor()
    await expectForEverybody(page, 'a recording')
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Some checks…' }).click()
    await expectForEverybody(page, 'some checks')
    await page.getByRole('button', { name: 'Judge a client…' }).click()
    await expectForEverybody(page, 'a client to judge')
    await page.getByLabel('Scenarios').selectOption('discovery')
    await page.getByRole('button', { name: 'Wait for the client' }).click()
    await page.locator('.scenarios li').first().waitFor()
    await expectForEverybody(page, 'a client that is waited for')
  })

  test('axe finds nothing where there is nothing yet', async () => {
    await using seen = await inspected({ bypassCSP: true, savedFile: join(folder, 'none.json') })
    const { page } = seen
    await letAxeIn(page)
    for (const view of ['connect', 'talk', 'wire', 'judge', 'mock']) {
      await goTo(page, view)
      await expectForEverybody(page, `${view}, empty`)
    }
    const other = await seen.context.newPage()
    await other.goto(seen.url)
    await other.getByText('This page has no session').waitFor()
    await letAxeIn(other)
    await expectForEverybody(other, 'no session')
  })

  test('a whole visit with the keyboard alone', async () => {
    await using seen = await inspected({ savedFile: join(folder, 'agents.json') })
    const { page } = seen
    const { keyboard } = page
    const { reach, type, press } = byKeyboard(page)
    await type('Address', `${url}/spec`)
    await keyboard.press('Enter')
    await page.getByText('connected').first().waitFor()
    await press('Talk to it')
    await type('Message', 'multi-turn begin')
    await keyboard.press('Enter')
    await page.getByText('continues task').waitFor()
    await type('Message', 'done')
    await keyboard.press('Enter')
    await page.locator('.bubble.agent').filter({ hasText: 'Finished after 2 messages' }).waitFor()
    await reach('Exchanges')
    await keyboard.press('End')
    await page.locator('.wire-one').waitFor()
    await press('HTTP')
    await page.locator('.exchange').waitFor()
    await press('Edit and resend')
    await press('Leave it')
    await press('Tasks')
    await press('List tasks')
    await page.locator('td .link').first().waitFor()
    await press('task-link')
    await page.getByRole('button', { name: 'Cancel task' }).waitFor()
    await press('Card')
    await page.locator('.finding').first().waitFor()
    await press('/supportedInterfaces/0')
    await page.locator('.raw-column mark').waitFor()
    await press('Judge')
    await press('Some checks…')
    await type('Only', 'card-available')
    await keyboard.press('Enter')
    await page.locator('.judge .item').first().waitFor()
    await reach('List of results')
    await keyboard.press('ArrowDown')
    await page.locator('.detail').waitFor()
    // By the keys of the report, too.
    await keyboard.press('Escape')
    await page.locator('.detail').waitFor({ state: 'detached' })
    await keyboard.press('j')
    await page.locator('.detail').waitFor()
    await keyboard.press('/')
    await keyboard.type('nothing')
    await page.getByText('Nothing fits.').waitFor()
    await keyboard.press('Escape')
    await page.getByRole('button', { name: 'Save record' }).waitFor()
    await press('Mock')
    await press('Start from the script')
    await page.getByText('Journal, 0 requests').waitFor()
    await press('Stop it')
    await press('Push')
    await page.getByText('Nothing has arrived.').waitFor()
    await press('Wire')
    await press('Connect')
    await press('Close')
    await page.getByText('Open an agent').waitFor()
  })

  test('a client is judged, a run stopped and a recording read with the keyboard alone', async () => {
    const silent = await startScriptedServer(() => {})
    await using seen = await inspected({ savedFile: join(folder, 'agents.json') })
    const { page, inspector } = seen
    const { keyboard } = page
    const { reach, type, press } = byKeyboard(page)
    await type('Address', silent.url)
    await keyboard.press('Enter')
    await page.getByText('connecting').first().waitFor()
    await press('Judge')
    await press('Judge with all checks')
    await press('Stop')
    await page.getByRole('button', { name: 'Save record' }).waitFor()
    await press('Judge a client…')
    await type('Scenarios', 'disc')
    await type('What the client speaks', 'A2A 0.3 over jsonrpc')
    await press('Wait for the client')
    await page.locator('.scenarios li').first().waitFor()
    const run = inspector.lab.judging.views().at(-1)?.id ?? ''
    const [scenario] = inspector.lab.judging.scenarios(run)
    expect(scenario).toMatchObject({ area: 'discovery', version: '0.3', binding: 'jsonrpc' })
    await fetch(`${scenario?.url}/.well-known/agent-card.json`)
    await page.getByText('✓ 1 request').waitFor()
    await press('Give the verdict')
    await page.locator('.chip').first().waitFor()
    await press('Wire')
    const chooser = page.waitForEvent('filechooser')
    await press('Open a recording…')
    await (await chooser).setFiles(recording())
    await page.locator('.wire-row').filter({ hasText: '/call/0' }).waitFor()
    await reach('Exchanges of traffic.jsonl')
    await keyboard.press('End')
    await page.locator('section[aria-label="Answer"]').filter({ hasText: 'recorded' }).waitFor()
    await press('HTTP')
    await page.locator('.exchange').waitFor()
    await press('Close the recording')
    await page.locator('.wire-row').filter({ hasText: '/call/0' }).waitFor({ state: 'detached' })
    await silent.close()
  })
})

const HEADER = '{"format":"parley-recording","version":1,"started":"2026-01-01T00:00:00.000Z"}\n'
const EXCHANGE = `${JSON.stringify({
  ...{ id: 'x0', startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1 },
  request: { method: 'POST', url: 'http://127.0.0.1:1/call/0', headers: [], body: { text: '' } },
  response: { status: 200, headers: [], body: { text: '{"said":"recorded"}' } },
})}\n`
