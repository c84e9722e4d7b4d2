// `npm run pictures`: the pictures of the README, taken of the real pages: a report of an agent with faults, and the inspector
// in the middle of a conversation. With a folder as argument, every view in every size goes there, to be looked at.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { referenceAgents } from '../../src/agents/reference.ts'
import { certify } from '../../src/judge/index.ts'
import { createMockAgent } from '../../src/mock/index.ts'
import { fleetPage } from '../../src/report/fleet-page.ts'
import { createServer } from '../../src/server/server.ts'
import { rendered, renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { goTo, inspected, NO_RELAY, say } from './inspected.ts'
import { sampleFleet } from './sample-fleet.ts'
import { browser, closeBrowser } from './shared-browser.ts'

const DOCS = join(import.meta.dirname, '..', '..', 'docs', 'pictures')
const SCHEMES = ['light', 'dark'] as const

interface Look {
  colorScheme: 'light' | 'dark'
  width: number
}

const all = process.argv[2]

/** An agent that is nearly right, so that there is something to see. */
const SCRIPT = `
agent: { name: Invoice Agent, version: 2.1.0, description: Writes invoices for orders. }
rules:
  - match: { text: invoice }
    turns:
      - - { status: working, text: Reading the order… }
        - { delay: 60ms }
        - { status: working, text: 3 positions found. }
        - { delay: 120ms }
        - { artifact: { name: invoice-4711.csv, mediaType: text/csv, text: "position,amount\\nPaper A4,12.50\\nToner,89.00\\nDelivery,4.90", chunks: 3 } }
        - { input-required: Shall I send it to the customer? }
      - - { complete: Sent. }
  - turns: [[{ status: working }, { artifact: { name: result, text: done } }, { complete: Done. }]]
`
const FAULTS = `faults:
  - { do: http-status, with: { status: 401, body: "no user in context" }, at: { operation: listTasks } }
  - { do: event-after-terminal, at: { operation: streamMessage } }
  - { do: wrong-context-id, at: { operation: getTask } }
`

async function takeReports(folder: string): Promise<void> {
  await using mock = await createMockAgent({ scriptText: SCRIPT + FAULTS }).start()
  const report = await certify(mock.url, { transports: ['jsonrpc', 'rest'], versions: ['1.0'] })
  const file = join(folder, 'report.html')
  const open = async (text: string, colorScheme: 'light' | 'dark', width: number, hash = '') => {
    writeFileSync(file, text)
    const context = await (await browser()).newContext({ viewport: { width, height: 860 }, colorScheme })
    const page = await context.newPage()
    await page.goto(`${pathToFileURL(file).href}${hash}`)
    await page.waitForSelector('.app .page')
    return page
  }
  for (const colorScheme of SCHEMES)
    for (const width of all === undefined ? [1440] : [360, 1280, 1920]) {
      const page = await open(rendered('html', report), colorScheme, width, '#q=status%3Afail')
      if (width > 600) {
        await page.keyboard.press('j')
        await page.waitForSelector('.detail .message')
      }
      await take(page, `report-${colorScheme}`, width)
      await page.context().close()
      if (all === undefined) continue
      await takeFleet({ colorScheme, width }, folder)
      for (const kind of ['matrix', 'clients', 'cases', 'suites'] as const) {
        const other = await open(renderedRun('html', SAMPLE_RUNS[kind]), colorScheme, width)
        await take(other, `report-${kind}-${colorScheme}`, width)
        await other.context().close()
      }
    }
}

async function takeFleet({ colorScheme, width }: Look, folder: string): Promise<void> {
  const file = join(folder, 'fleet.html')
  writeFileSync(file, fleetPage(sampleFleet()))
  const context = await (await browser()).newContext({ viewport: { width, height: 860 }, colorScheme })
  const page = await context.newPage()
  await page.goto(pathToFileURL(file).href)
  await page.locator('.agent').first().waitFor()
  await take(page, `fleet-${colorScheme}`, width)
  await page.locator('.agent').first().click()
  await page.locator('summary').first().click()
  await take(page, `fleet-agent-${colorScheme}`, width)
  await context.close()
}

async function takeInspector(folder: string): Promise<void> {
  await using mock = await createMockAgent({ scriptText: SCRIPT }).start()
  const server = createServer({ agents: referenceAgents({ relay: NO_RELAY }), allowPrivateNetworks: true })
  const { url } = await server.listen()
  for (const colorScheme of SCHEMES)
    for (const width of all === undefined ? [1440] : [360, 1280, 1920]) {
      await using seen = await inspected({
        ...{ agent: mock.url, colorScheme, width, height: 860, savedFile: join(folder, 'agents.json') },
      })
      const { page } = seen
      await say(page, 'Make the invoice for order 4711.')
      await page.getByText('continues task').waitFor()
      const row = page.locator('.wire-row').filter({ hasText: 'SendStreamingMessage' })
      if (width > 1100) {
        await row.last().click()
        await page.locator('.frame-row').first().waitFor()
      }
      await page.evaluate("document.querySelector('.conversation').scrollTo(0, 1e6)")
      await take(page, `inspector-${colorScheme}`, width)
      if (all === undefined) continue
      await takeViews(page, { colorScheme, width }, url)
      await takeEmpty({ colorScheme, width }, folder)
      await takeMore({ colorScheme, width }, folder)
    }
  await server.close({ graceMs: 0 })
}

/** Every view with something in it. */
async function takeViews(page: Page, look: Look, url: string): Promise<void> {
  const shoot = async (view: string) => {
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    await take(page, `inspector-${view}-${look.colorScheme}`, look.width)
  }
  await goTo(page, 'card')
  await page.locator('.finding').first().click()
  await shoot('card')
  await goTo(page, 'tasks')
  await page.getByRole('button', { name: 'List tasks' }).click()
  await page.locator('td .link').first().click()
  await page.getByRole('button', { name: 'Cancel task' }).waitFor()
  await shoot('tasks')
  await goTo(page, 'wire')
  await page.locator('.wire-row').last().click()
  await page.getByRole('tab', { name: 'HTTP' }).click()
  await shoot('wire')
  await takeJudge(page, shoot)
  await takeMock(page, shoot)
  await takeConnections(page, shoot, url)
}

type Shoot = (view: string) => Promise<void>

async function takeJudge(page: Page, shoot: Shoot): Promise<void> {
  await goTo(page, 'judge')
  const run = { name: 'run.jsonl', mimeType: 'application/json' }
  await page
    .getByLabel('A stored run')
    .setInputFiles({ ...run, buffer: Buffer.from(renderedRun('run', SAMPLE_RUNS.checks)) })
  await page.locator('.judge .item button').nth(1).click()
  await page.waitForSelector('.message')
  await shoot('judge')
  await page.getByRole('button', { name: 'Judge a client…' }).click()
  await shoot('grade-form')
  await page.getByRole('button', { name: 'Wait for the client' }).click()
  await page.locator('.scenarios li').first().waitFor()
  await shoot('grade')
}

async function takeMock(page: Page, shoot: Shoot): Promise<void> {
  await goTo(page, 'mock')
  await page.getByRole('button', { name: 'Start from the script' }).click()
  await page.getByText('Journal, 0 requests').waitFor()
  await page.getByRole('button', { name: 'Switch it on' }).click()
  await page.locator('.badge').filter({ hasText: 'http-status' }).waitFor()
  await page.getByRole('button', { name: 'Talk to it' }).click()
  await page.getByText('connected').first().waitFor()
  await goTo(page, 'mock')
  await page.locator('section[aria-label="Journal"] summary').first().waitFor()
  await shoot('mock')
}

/** Push needs an agent that delivers; the last one cannot be reached. */
async function takeConnections(page: Page, shoot: Shoot, url: string): Promise<void> {
  await goTo(page, 'connect')
  await page.getByLabel('Address').fill(`${url}/push`)
  await page.locator('form.panel button[type=submit]').click()
  await page.getByRole('button', { name: 'Talk to it' }).nth(2).waitFor()
  await goTo(page, 'talk')
  await say(page, 'multi-turn begin')
  await page.getByText('continues task').waitFor()
  await goTo(page, 'push')
  await page.getByLabel('Task').fill(String(await page.evaluate("document.querySelector('datalist option').value")))
  await page.getByRole('button', { name: 'Notify me here' }).click()
  await page.locator('.configs li').waitFor()
  await goTo(page, 'talk')
  await say(page, 'done')
  await goTo(page, 'push')
  await page.locator('section[aria-label="Deliveries"] summary').first().click()
  await shoot('push')
  await goTo(page, 'connect')
  await page.getByLabel('Address').fill(`${url}/nowhere`)
  await page.locator('form.panel button[type=submit]').click()
  await page.locator('.error-note').first().waitFor()
  await page.getByLabel('How').selectOption('oauth')
  await shoot('connect')
  await goTo(page, 'talk')
  await shoot('not-connected')
}

/** Forms and states that come and go. */
async function takeMore(look: Look, folder: string): Promise<void> {
  await using mock = await createMockAgent({ scriptText: SCRIPT + FAULTS }).start()
  await using seen = await inspected({
    ...{
      ...look,
      height: 860,
      agent: mock.url,
      savedFile: join(folder, 'none.json'),
      fleet: async () => sampleFleet(),
    },
  })
  const { page } = seen
  const shoot = (view: string) => take(page, `inspector-${view}-${look.colorScheme}`, look.width)
  for (const name of ['Data part', 'More…']) await page.getByRole('button', { name, exact: true }).click()
  await shoot('talk-fields')
  await goTo(page, 'judge')
  await page.getByRole('button', { name: 'Some checks…' }).click()
  await shoot('some-checks')
  await page.getByLabel('Only').fill('card-available list-tasks-page')
  await page.getByRole('button', { name: 'Only the basics' }).click()
  await page.getByRole('button', { name: 'Save record' }).waitFor()
  await shoot('judged')
  await goTo(page, 'wire')
  await page.locator('.wire-row').last().click()
  await page.getByRole('button', { name: 'Edit and resend' }).click()
  await shoot('edit')
  await goTo(page, 'fleet')
  await page.locator('.agent').first().click()
  await shoot('fleet')
}

/** Every view with nothing in it. */
async function takeEmpty(look: Look, folder: string): Promise<void> {
  await using seen = await inspected({ ...look, height: 860, savedFile: join(folder, 'none.json') })
  for (const view of ['connect', 'talk', 'wire', 'judge', 'mock']) {
    await goTo(seen.page, view)
    await take(seen.page, `empty-${view}-${look.colorScheme}`, look.width)
  }
  const other = await seen.context.newPage()
  await other.goto(seen.url)
  await other.getByText('This page has no session').waitFor()
  await take(other, `empty-session-${look.colorScheme}`, look.width)
}

async function take(page: Page, name: string, width: number): Promise<void> {
  const path = all === undefined ? join(DOCS, `${name}.png`) : join(all, `${name}-${width}.png`)
  await page.screenshot({ path })
  console.log(path)
}

const folder = mkdtempSync(join(tmpdir(), 'parley-pictures-'))
mkdirSync(all ?? DOCS, { recursive: true })
try {
  await takeReports(folder)
  await takeInspector(folder)
} finally {
  await closeBrowser()
  rmSync(folder, { recursive: true, force: true })
}
