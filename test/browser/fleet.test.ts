// The page of a fleet in a real browser, from a file on disk: funnel, filters, one agent's history and badge, the difference
// between two days; and nothing an agent says becomes more than text.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { fleetPage } from '../../src/report/fleet-page.ts'
import { MockHosts } from '../fleet/mock-hosts.ts'
import { runParley, startParley } from '../support/parley-process.ts'
import { HIT, TURNED_TEXTS, XSS } from './attacks.ts'
import { expectForEverybody, letAxeIn } from './everybody.ts'
import { goTo } from './inspected.ts'
import { sampleFleet } from './sample-fleet.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('the page of a fleet', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-page-'))
  afterAll(async () => {
    await closeBrowser()
    rmSync(folder, { recursive: true, force: true })
  })

  test('shows funnel, agents, one agent and what is different between two days', async () => {
    const file = join(folder, 'fleet.html')
    writeFileSync(file, fleetPage(sampleFleet(XSS)))
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, colorScheme: 'light' })
    const page = await context.newPage()
    const errors: string[] = []
    page.on('pageerror', (error) => errors.push(String(error)))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    await page.goto(pathToFileURL(file).href)
    await page.getByRole('heading', { name: 'Fleet mine' }).waitFor()
    expect(await page.getByLabel('Funnel').textContent()).toContain('3001')
    await page.getByText('2 different between 2026-01-30 and 2026-01-31').click()
    expect(await page.locator('.difference li').first().textContent()).toContain('at least minimal → non-conformant')
    await page.getByLabel('Standing').selectOption('non-conformant')
    expect(await page.locator('.filters [role=status]').last().textContent()).toBe('1 shown')
    await page.locator('.agent').first().click()
    const detail = await page.getByLabel('One agent').textContent()
    expect(detail).toContain('2026-01-30')
    expect(await page.locator('.badge-picture svg').getAttribute('aria-label')).toBe('A2A: non-conformant 20/21')
    await page.getByLabel('Standing').selectOption('')
    await page.getByLabel('Find agents').fill('a2999.example')
    expect(await page.locator('.filters [role=status]').last().textContent()).toBe('1 shown')
    expect(await page.evaluate(HIT)).toBeUndefined()
    expect(await page.evaluate(TURNED_TEXTS)).toBe(false)
    expect(errors).toEqual([])
    await context.close()
  })

  test('is for everybody: axe finds nothing, and nothing is wider than the page', async () => {
    const file = join(folder, 'axe.html')
    writeFileSync(file, fleetPage(sampleFleet()).replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ''))
    const context = await (await browser()).newContext({})
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href)
    await page.locator('.agent').first().waitFor()
    await letAxeIn(page)
    await expectForEverybody(page, 'the fleet')
    await page.locator('.agent').first().click()
    await page.locator('summary').first().click()
    await expectForEverybody(page, 'one agent')
    await context.close()
  })

  test('is in the inspector as it is now, each time one looks', async () => {
    const hosts = await MockHosts.start(['live', 'dead'])
    const [list, store] = [join(folder, 'agents.yaml'), join(folder, 'fleet.db')]
    const run = async (agents: readonly string[]) => {
      writeFileSync(list, `agents: ${JSON.stringify(agents)}\n`)
      await runParley(['fleet', 'run', list, '--store', store])
    }
    await run(hosts.agents.slice(0, 1))
    const ui = await startParley(['ui', '--no-open', '--fleet', store])
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 }, bypassCSP: true })
    const page = await context.newPage()
    await page.goto(String(ui.ready.link))
    await goTo(page, 'fleet')
    const status = page.locator('.filters [role=status]').last()
    await shown(() => status.textContent()).toBe('1 shown')
    // The store is written meanwhile.
    await run(hosts.agents)
    await page.getByRole('button', { name: 'Look again' }).click()
    await shown(() => status.textContent()).toBe('2 shown')
    await page.getByLabel('Standing').selectOption('dead')
    await page.locator('.agent').first().click()
    await shown(() => page.getByLabel('One agent').textContent()).toContain(hosts.agents[1])
    await letAxeIn(page)
    await expectForEverybody(page, 'the fleet in the inspector')
    await context.close()
    await ui.stop()
    await hosts.close()
  })
})
