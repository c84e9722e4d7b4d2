// How fast the HTML report opens and scrolls in a real browser: a run of 600 checks with evidence, and a made-up one of 5,000.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Run } from '../src/run/run.ts'
import { type Browser, browserMissing, openBrowser } from '../test/browser/chromium.ts'
import { renderedRun } from '../test/report/rendered.ts'
import { FAILED } from '../test/report/sample-report.ts'
import { SAMPLE_RUNS } from '../test/report/sample-runs.ts'

export interface PageTimes {
  results: number
  fileBytes: number
  /** Until the list is there. */
  openMs: number
  /** The longest frame while scrolling through the whole list in a second. */
  worstFrameMs: number
  /** Until a result shows its exchange. */
  evidenceMs: number
}

/** Every third result fails, with an exchange of a few kilobytes. */
export function largeRun(count: number): Run {
  const run = structuredClone(SAMPLE_RUNS.checks)
  const [sample] = run.results
  if (sample === undefined) throw new Error('there is a result')
  const { transcript, reproduction } = FAILED
  run.results = Array.from({ length: count }, (_, at) => ({
    ...sample,
    ...{ key: `check-${at}@1.0/rest`, test: `check-${at}`, title: `MUST keep promise number ${at}` },
    ...(at % 3 === 0 ? { status: 'fail' as const, verdict: 'fail' as const, transcript, reproduction } : {}),
  }))
  return run
}

const SCROLL = `new Promise((resolve) => {
  const list = document.querySelector('.rows')
  const startedAt = performance.now()
  let last = startedAt, worst = 0
  const step = (now) => {
    worst = Math.max(worst, now - last)
    last = now
    const share = (now - startedAt) / 1000
    list.scrollTo(0, share * list.scrollHeight)
    if (share < 1) requestAnimationFrame(step)
    else resolve(worst)
  }
  requestAnimationFrame(step)
})`

export async function measureReportPage(): Promise<PageTimes[] | string> {
  const missing = browserMissing()
  if (missing !== undefined) return missing
  const browser = await openBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'parley-page-'))
  try {
    const times: PageTimes[] = []
    for (const results of [600, 5_000]) times.push(await measure(browser, folder, results))
    return times
  } finally {
    await browser.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure(browser: Browser, folder: string, results: number): Promise<PageTimes> {
  const file = join(folder, `report-${results}.html`)
  const text = renderedRun('html', largeRun(results))
  writeFileSync(file, text)
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } })
  const page = await context.newPage()
  const startedAt = performance.now()
  await page.goto(pathToFileURL(file).href)
  await page.waitForSelector('.item')
  const openMs = performance.now() - startedAt
  const worstFrameMs = Number(await page.evaluate(SCROLL))
  await page.evaluate("document.querySelector('.rows').scrollTo(0, 0)")
  const clickedAt = performance.now()
  await page.locator('.item button').first().click()
  await page.waitForSelector('.message')
  const evidenceMs = performance.now() - clickedAt
  await context.close()
  return { results, fileBytes: Buffer.byteLength(text), openMs, worstFrameMs, evidenceMs }
}
