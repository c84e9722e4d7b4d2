// More of the HTML report in a real browser: two runs compared, the grid of a matrix, what is printed, and what stays where a
// host lets nothing run.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Run, RunResult } from '../../src/run/run.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

const { suites, matrix, clients, cases } = SAMPLE_RUNS

/** The run with these results instead: name → what is different about them. */
function runWith(results: Readonly<Record<string, Partial<RunResult>>>): Run {
  const [sample] = suites.results
  if (sample === undefined) throw new Error('there is a result')
  return {
    ...suites,
    results: Object.entries(results).map(([key, members]) => ({ ...sample, key, test: key, ...members })),
  }
}

const good: Partial<RunResult> = { status: 'pass', verdict: 'pass' }
const bad: Partial<RunResult> = { status: 'fail', verdict: 'fail' }
const OLD = runWith({ a: good, b: bad, c: bad, gone: good })
const NEW = runWith({ a: bad, b: good, c: bad, fresh: good })

describe.skipIf(missing !== undefined)('the HTML report', { timeout: 60_000 }, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-html-'))
  })
  afterAll(async () => {
    await closeBrowser()
    rmSync(folder, { recursive: true, force: true })
  })

  async function opened(run: Run, hash = '', before?: Run): Promise<Page> {
    const file = join(folder, 'report.html')
    writeFileSync(file, renderedRun('html', run, before === undefined ? {} : { before }))
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    await page.goto(pathToFileURL(file).href + hash)
    await page.waitForSelector('.app .page')
    return page
  }

  const choose = (page: Page, name: string, text: string) =>
    page.getByLabel('An older run').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })

  const titles = (page: Page) =>
    page.evaluate("[...document.querySelectorAll('.item .muted')].map((one) => one.textContent)")

  test.each([
    ['a run record', () => renderedRun('run', OLD)],
    ['a record that was cut off', () => `${renderedRun('run', OLD)}{"type":"res`],
  ])('is compared with %s from a file', async (_, text) => {
    const page = await opened(NEW)
    await choose(page, 'old.jsonl', text())
    await page.getByText('✗ Worse').waitFor()
    await page.getByRole('button', { name: 'new failures 1' }).click()
    await shown(() => titles(page)).toEqual(['a'])
    await page.getByRole('button', { name: 'fixed 1' }).click()
    await shown(() => titles(page)).toEqual(['b'])
    await page.locator('.item button').first().click()
    await shown(() => page.locator('.detail').textContent()).toContain('failed and passes now')
    await page.getByRole('button', { name: 'still failing 1' }).click()
    await shown(() => titles(page)).toEqual(['c'])
    await page.getByRole('button', { name: 'only now 1' }).click()
    await shown(() => titles(page)).toEqual(['fresh'])
    await page.getByText('1 no longer in this run').waitFor()
    await page.context().close()
  })

  test('is compared with a run it was written with, and a link shows the same', async () => {
    const page = await opened(NEW, '#q=change%3Anew', OLD)
    await page.getByText('✗ Worse').waitFor()
    await shown(() => titles(page)).toEqual(['a'])
    await page.getByRole('button', { name: 'Stop comparing' }).click()
    await shown(() => titles(page)).toEqual([])
    await page.context().close()
  })

  test.each([
    [
      'newer.jsonl',
      renderedRun('run', OLD).replace('"schemaVersion":1', '"schemaVersion":7'),
      /written by a newer Parley \(version 7/,
    ],
    ['photo.jpg', 'ÿØÿ', /photo\.jpg is neither a run record nor a JSON report/],
    ['other.json', '{"a":1}', /other\.json is neither/],
    ['broken.jsonl', `${renderedRun('run', OLD).split('\n')[0]}\nnonsense\n{}\n`, /line 2 is not a JSON object/],
  ])('says why %s cannot be compared', async (name, text, message) => {
    const page = await opened(NEW)
    await choose(page, name, text)
    await page.getByText(message).waitFor()
    await shown(() => page.locator('.item').count()).toBe(4)
    await page.context().close()
  })

  test('of a matrix is a grid whose cells show their results, and whose fault it is', async () => {
    const page = await opened(matrix)
    const cell = page.locator('.cell.fail')
    await shown(() => cell.count()).toBe(1)
    await shown(() => cell.textContent()).toContain('✗ 0/1 server')
    await cell.click()
    await shown(() => page.locator('.item').count()).toBe(1)
    await page.locator('.item button').first().click()
    await shown(() => page.locator('.detail dl').textContent()).toMatch(/Between\s*js → .*Whose fault\s*server/s)
    await page.context().close()
  })

  test.each([
    ['clients', clients, 'What the client did'],
    ['cases', cases, 'Files and suites'],
    ['suites', suites, 'Files and suites'],
  ])('of %s gathers its results', async (_, run, title) => {
    const page = await opened(run)
    await page.getByRole('heading', { name: title }).waitFor()
    const group = page.locator('.group-name').first()
    await group.click()
    await shown(() => page.locator('.item').count()).toBeGreaterThan(0)
    await shown(() => page.locator('.item').count()).toBeLessThanOrEqual(run.results.length)
    await page.context().close()
  })

  test('prints every result, not only those in sight', async () => {
    const many = runWith(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`check-${at}`, good])))
    const page = await opened(many)
    await shown(() => page.locator('.item').count()).toBeLessThan(60)
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await page.waitForFunction("document.querySelectorAll('.item').length === 300")
    await page.evaluate("dispatchEvent(new Event('afterprint'))")
    await page.waitForFunction("document.querySelectorAll('.item').length < 60")
    await page.context().close()
  })

  test('where a host lets nothing run, a summary stays readable', async () => {
    const host = await startScriptedServer((_, res) => {
      const headers = { 'Content-Type': 'text/html', 'Content-Security-Policy': "default-src 'none'; sandbox" }
      res.writeHead(200, headers).end(renderedRun('html', SAMPLE_RUNS.checks))
    })
    const context = await (await browser()).newContext({})
    const page = await context.newPage()
    await page.goto(host.url)
    const text = await page.locator('#app').textContent()
    for (const part of ['is minimal', '1 failed', 'cancel-completed@1.0/jsonrpc']) expect(text).toContain(part)
    await shown(() => page.locator('.item').count()).toBe(0)
    await context.close()
    await host.close()
  })
})
