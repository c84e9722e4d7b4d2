// The inspector for everybody: axe finds nothing wrong in any view, light and dark, wide and narrow, and everything can be
// done with the keyboard alone.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import { axeProblems, axeSource, fits, LOOKS, look, type Page } from './chromium.ts'
import { closeBrowser, goTo, inspected, missing, NO_RELAY, say } from './inspected.ts'

const VIEWS = ['connect', 'card', 'talk', 'tasks', 'wire', 'judge', 'push', 'mock']

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

  test('axe finds nothing in any view and look, and no view is wider than the page', async () => {
    await using seen = await inspected({
      ...{ agent: `${url}/spec`, bypassCSP: true, savedFile: join(folder, 'agents.json') },
    })
    const { page } = seen
    await fill(page)
    await page.addScriptTag({ path: axeSource() })
    for (const each of LOOKS) {
      await look(page, each)
      for (const view of VIEWS) {
        await goTo(page, view)
        await page.locator(`.rail [data-view="${view}"][aria-current]`).waitFor()
        const found = { problems: await axeProblems(page), isWithin: await fits(page) }
        expect({ ...each, view, ...found }).toEqual({ ...each, view, problems: [], isWithin: true })
      }
    }
  })

  test('a whole visit with the keyboard alone', async () => {
    await using seen = await inspected({ savedFile: join(folder, 'agents.json') })
    const { page } = seen
    const { keyboard } = page
    /** Tabs on until what has the focus is named like this, as a person would. */
    const reach = async (name: string) => {
      for (let step = 0; step < 120; step++) {
        const at = String(await page.evaluate(FOCUSED))
        if (at.includes(name)) return
        await keyboard.press('Tab')
      }
      throw new Error(`${name} cannot be reached by Tab`)
    }
    const type = async (name: string, text: string) => {
      await reach(name)
      await keyboard.type(text)
    }
    const press = async (name: string) => {
      await reach(name)
      await keyboard.press('Enter')
    }
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
    await press('Judge with all checks')
    await page.locator('.judge .item').first().waitFor()
    await press('Stop')
    await reach('List of results')
    await keyboard.press('ArrowDown')
    await page.locator('.detail').waitFor()
    await page.getByRole('button', { name: 'Save record' }).waitFor({ timeout: 60_000 })
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
})

/** What a person with a screen reader would hear about what has the focus. */
const FOCUSED = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body) return ''
  const label = one.labels?.[0]?.textContent ?? ''
  const own = one.classList.contains('link') ? 'task-link' : ''
  const text = one.tagName === 'SECTION' ? '' : one.textContent ?? ''
  return [one.getAttribute('aria-label') ?? '', label, text, own].join(' ')
})()`
