// `npm run pictures`: the pictures of the README, taken of the real pages: a report of an agent with faults, and the inspector
// in the middle of a conversation. With a folder as argument, every view in every size goes there, to be looked at.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { referenceAgents } from '../../src/agents/reference.ts'
import { certify } from '../../src/judge/index.ts'
import { createMockAgent } from '../../src/mock/index.ts'
import { createServer } from '../../src/server/server.ts'
import { rendered, renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { browser, closeBrowser, goTo, inspected, NO_RELAY, say } from './inspected.ts'

const DOCS = join(import.meta.dirname, '..', '..', 'docs', 'pictures')
const SCHEMES = ['light', 'dark'] as const
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
      for (const kind of ['matrix', 'clients', 'cases', 'suites'] as const) {
        const other = await open(renderedRun('html', SAMPLE_RUNS[kind]), colorScheme, width)
        await take(other, `report-${kind}-${colorScheme}`, width)
        await other.context().close()
      }
    }
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
      if (all !== undefined) await takeViews(page, colorScheme, width, url)
    }
  await server.close({ graceMs: 0 })
}

async function takeViews(page: Page, colorScheme: string, width: number, url: string): Promise<void> {
  await goTo(page, 'connect')
  await page.getByLabel('Address').fill(`${url}/nowhere`)
  await page.getByLabel('How').selectOption('oauth')
  await page.locator('form.panel button[type=submit]').click()
  await page.getByLabel('How').selectOption('bearer')
  await page.locator('.error-note').first().waitFor()
  await goTo(page, 'mock')
  await page.getByRole('button', { name: 'Start from the script' }).click()
  await page.getByText('Journal, 0 requests').waitFor()
  await goTo(page, 'judge')
  await page.getByRole('button', { name: 'Only the basics' }).click()
  await page.locator('.judge .item').first().waitFor()
  for (const view of ['connect', 'card', 'tasks', 'wire', 'judge', 'push', 'mock']) {
    await goTo(page, view)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    await take(page, `inspector-${view}-${colorScheme}`, width)
  }
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
