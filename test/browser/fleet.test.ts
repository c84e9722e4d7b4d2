// The page of a fleet in a real browser, from a file on disk: funnel, filters, one agent's history and badge, the difference
// between two days; and nothing an agent says becomes more than text.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { fleetPage } from '../../src/report/fleet-page.ts'
import type { FleetRow } from '../../src/run/fleet-view.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'

const DAY = Date.UTC(2026, 0, 31, 12)
const moment = (at: number, standing: string, stage: number) => ({
  ...{ at, standing, stage, kept: 20, measured: 21, attempts: 1, turns: 9 },
})

function row(n: number, given: Partial<FleetRow> = {}): FleetRow {
  return {
    ...{ id: `id-${n}`, url: `https://a${n}.example`, host: `https://a${n}.example`, name: `Agent ${n}`, labels: {} },
    ...{ profile: 'quick', standing: 'at least minimal', stage: 4, message: '', durationMs: 5, dueAt: 0 },
    history: [moment(DAY - 86_400_000, 'at least minimal', 4), moment(DAY, 'at least minimal', 4)],
    ...given,
  }
}

describe.skipIf(missing !== undefined)('the page of a fleet', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'parley-fleet-page-'))
  afterAll(async () => {
    await closeBrowser()
    rmSync(folder, { recursive: true, force: true })
  })

  test('shows funnel, agents, one agent and what is different between two days', async () => {
    const changed = row(1, {
      name: '<img src=x onerror="window.__hit=1">',
      labels: { team: 'pay' },
      standing: 'non-conformant',
      stage: 3,
      history: [moment(DAY - 86_400_000, 'at least minimal', 4), { ...moment(DAY, 'non-conformant', 3), attempts: 2 }],
    })
    const rows = [changed, ...Array.from({ length: 3_000 }, (_, n) => row(n + 2))]
    const funnel = [
      { stage: 'listed', agents: 3_001 },
      { stage: 'reachable', agents: 3_001 },
    ]
    const file = join(folder, 'fleet.html')
    writeFileSync(file, fleetPage({ name: 'mine', run: 'r', madeAt: '2026-01-31T12:00:00Z', funnel, rows }))
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
    await page.getByText('1 different between 2026-01-30 and 2026-01-31').click()
    expect(await page.locator('.difference li').textContent()).toContain('at least minimal → non-conformant')
    await page.getByLabel('Standing').selectOption('non-conformant')
    expect(await page.locator('.filters [role=status]').last().textContent()).toBe('1 shown')
    await page.locator('.agent').first().click()
    const detail = await page.getByLabel('One agent').textContent()
    expect(detail).toContain('2026-01-30')
    expect(await page.locator('.badge svg').getAttribute('aria-label')).toBe('A2A: non-conformant 20/21')
    await page.getByLabel('Standing').selectOption('')
    await page.getByLabel('Find agents').fill('a2999.example')
    expect(await page.locator('.filters [role=status]').last().textContent()).toBe('1 shown')
    expect(await page.evaluate('window.__hit')).toBeUndefined()
    expect(errors).toEqual([])
    await context.close()
  })
})
