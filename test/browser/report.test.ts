// The HTML report in a real browser, from a file on disk: it asks nobody for anything, shows what failed with its bytes, and
// nothing an agent says becomes more than text.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Run } from '../../src/run/run.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import { ACTIVE_ELEMENTS, HIT, RUNNING_LINKS, SVG, TURNED_TEXTS, XSS } from './attacks.ts'
import type { Page } from './chromium.ts'
import { expectForEverybody, letAxeIn } from './everybody.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

const MAX_APP_BYTES = 80 * 1024

const SAID = /^(message|expected|actual|title|recommendation|cause|agentName|body|requirement|why|source|data)$/

/** A run in which everything an agent can say tries to be more than text: names, headers, bodies. */
function hostile(): Run {
  return JSON.parse(JSON.stringify(SAMPLE_RUNS.checks), function (this: unknown, key: string, value: unknown) {
    const isHeader = Array.isArray(this) && this.length === 2 && key === '1'
    return typeof value === 'string' && (isHeader || SAID.test(key)) ? `${value} ${XSS} ${SVG}` : value
  }) as Run
}

describe.skipIf(missing !== undefined)('the HTML report', { timeout: 60_000 }, () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'parley-html-'))
  })
  afterAll(async () => {
    await closeBrowser()
    rmSync(folder, { recursive: true, force: true })
  })

  function fileOf(run: Run, name = 'report.html'): string {
    const file = join(folder, name)
    writeFileSync(file, renderedRun('html', run))
    return pathToFileURL(file).href
  }

  interface Seen {
    page: Page
    requests: string[]
    errors: string[]
  }

  async function opened(address: string): Promise<Seen> {
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    const requests: string[] = []
    const errors: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text())
    })
    page.on('pageerror', (error) => errors.push(String(error)))
    await page.goto(address)
    await page.waitForSelector('.app .page')
    return { page, requests, errors }
  }

  test.each(Object.entries(SAMPLE_RUNS))(
    'of %s shows verdict, causes and results, and asks nobody',
    async (kind, run) => {
      const address = fileOf(run, `${kind}.html`)
      const { page, requests, errors } = await opened(address)
      await shown(() => page.locator('.item').count()).toBe(run.results.length)
      await shown(() => page.locator('.chip.fail').textContent()).toContain(
        String(run.results.filter(({ status }) => status === 'fail').length),
      )
      expect(requests).toEqual([address])
      expect(errors).toEqual([])
      await page.context().close()
    },
  )

  test('filters by box and chips, steps by keyboard, and keeps both in the address', async () => {
    const { page } = await opened(fileOf(SAMPLE_RUNS.checks))
    await page.keyboard.press('/')
    await page.keyboard.type('status:fail')
    await shown(() => page.locator('.item').count()).toBe(2)
    await page.keyboard.press('Escape')
    await page.keyboard.press('j')
    await shown(() => page.locator('.detail h2').textContent()).toContain('MUST report an unknown task')
    await shown(() => page.url()).toContain('q=status%3Afail')
    await shown(() => page.url()).toContain('check=first%2Fcancel-completed')
    const link = page.url()
    const { page: other } = await opened(link)
    await shown(() => other.locator('.detail').textContent()).toContain('cancel-completed@1.0/jsonrpc')
    await other.context().close()
    await page.locator('.chip.fail').click()
    await shown(() => page.locator('.item').count()).toBe(SAMPLE_RUNS.checks.results.length)
    await page.context().close()
  })

  test('opens the evidence: headers and body', async () => {
    const { page } = await opened(`${fileOf(SAMPLE_RUNS.suites)}#check=s%2FBAD-1%401.0%2Fjsonrpc`)
    await page.waitForSelector('.message')
    await shown(() => page.locator('.exchange').textContent()).toContain('HTTP 500')
    await page.context().close()
  })

  test('a failure says by which clause, why it matters and where, and marks the place in the body', async () => {
    const run = structuredClone(SAMPLE_RUNS.checks)
    const failed = run.results.find(({ status }) => status === 'fail')
    if (failed === undefined) throw new Error('there is a failure')
    Object.assign(failed, { why: 'A client would wait for ever.', pointer: '/error/code' })
    for (const exchange of failed.transcript ?? [])
      if (exchange.protocol === 'http' && exchange.response !== undefined)
        exchange.response.body = '{"error":{"code":-32001,"message":"no"}}'
    const { page } = await opened(`${fileOf(run)}#q=status%3Afail`)
    await page.keyboard.press('j')
    await page.waitForSelector('.message')
    const detail = page.locator('.detail')
    await shown(() => detail.textContent()).toMatch(/Why it matters\s*A client would wait for ever\./)
    await shown(() => detail.locator('mark').first().textContent()).toContain('-32001')
    await shown(() => detail.locator('a').first().getAttribute('href')).toMatch(
      /^https:\/\/a2a-protocol\.org\/v1\.0\.1\/specification\/#\d/,
    )
    for (const part of ['Fix first', 'Measured by section']) await page.getByText(part).first().waitFor()
    await shown(() => page.locator('.report-head .level').textContent()).toBe(run.footer.conformanceLevel)
    await shown(() => page.locator('.reasons').first().textContent()).toContain(run.footer.levelReasons[0])
    // Provenance: when, by which Parley, by which text.
    await shown(() => page.locator('.app').textContent()).toMatch(/2026-01-02 03:04.*Parley 0\.1\.0/s)
    await page.context().close()
  })

  test('a stream has a time line, a gRPC call its messages', async () => {
    const run = structuredClone(SAMPLE_RUNS.suites)
    for (const exchange of run.results[1]?.transcript ?? [])
      if (exchange.protocol === 'http' && exchange.response !== undefined)
        exchange.response.frames = [
          { atMs: 0, data: 'a' },
          { atMs: 12, data: 'b' },
          { atMs: 1914, data: 'c' },
        ]
    const { page } = await opened(`${fileOf(run)}#check=s%2FBAD-1%401.0%2Fjsonrpc`)
    await shown(() => page.locator('figcaption').textContent()).toBe('0 ms · 12 ms · gap 1.9 s · 1914 ms')
    await page.context().close()
    const overGrpc = structuredClone(SAMPLE_RUNS.matrix)
    for (const exchange of overGrpc.results.flatMap(({ transcript = [] }) => transcript))
      if (exchange.protocol === 'grpc') exchange.request.bytes = '0a0474686973'
    const matrix = await opened(fileOf(overGrpc))
    await matrix.page.locator('.item button').first().click()
    await matrix.page.waitForSelector('.message')
    await shown(() => matrix.page.locator('.exchange').textContent()).toContain('gRPC status 13')
    await matrix.page.locator('details').filter({ hasText: 'Bytes' }).first().locator('summary').click()
    await shown(() => matrix.page.locator('details[open] pre').textContent()).toBe('0a0474686973')
    await matrix.page.context().close()
  })

  test('long JSON is folded, but for the place in question', async () => {
    const run = structuredClone(SAMPLE_RUNS.suites)
    const failed = run.results[1]
    const list = (name: string) => Array.from({ length: 40 }, (_, at) => ({ [name]: at, of: { more: [1, 2, 3] } }))
    const body = JSON.stringify({ result: { history: list('h'), artifacts: list('a') } })
    for (const exchange of failed?.transcript ?? [])
      if (exchange.protocol === 'http' && exchange.response !== undefined) exchange.response.body = body
    Object.assign(failed ?? {}, { pointer: '/result/artifacts/3/a' })
    const { page } = await opened(`${fileOf(run)}#check=s%2FBAD-1%401.0%2Fjsonrpc`)
    const json = page.locator('.json').last()
    await shown(() => json.locator('mark').textContent()).toBe('3')
    await shown(() => json.textContent()).not.toContain('"h": 7')
    await json.locator('button[aria-label^="history, "]').click()
    await shown(() => json.textContent()).toContain('"h": 7')
    // What is selected and copied is JSON again.
    await shown(async () => JSON.parse(String(await json.textContent()))).toEqual(JSON.parse(body))
    await page.context().close()
  })

  test('nothing an agent says is more than text', async () => {
    const { page, requests, errors } = await opened(fileOf(hostile()))
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.waitForSelector('.message')
    await page.locator('.message summary').first().click()
    expect(await page.evaluate(HIT)).toBeUndefined()
    for (const found of [RUNNING_LINKS, ACTIVE_ELEMENTS]) expect(await page.evaluate(found)).toBe(0)
    expect(await page.evaluate(TURNED_TEXTS)).toBe(false)
    await shown(() => page.locator('img').count()).toBe(0)
    expect(requests.length).toBe(1)
    expect(errors).toEqual([])
    await page.context().close()
  })

  test('where scripts may not run, a summary stays', async () => {
    const address = fileOf(SAMPLE_RUNS.checks)
    const context = await (await browser()).newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(address)
    const text = await page.locator('#app').textContent()
    for (const part of ['is minimal', '1 failed', 'Add a guard for terminal states.', 'cancel-completed@1.0/jsonrpc'])
      expect(text).toContain(part)
    await context.close()
  })

  test('five thousand results are a few dozen elements', async () => {
    const run = structuredClone(SAMPLE_RUNS.checks)
    const [sample] = run.results
    if (sample === undefined) throw new Error('there is a result')
    run.results = Array.from({ length: 5000 }, (_, at) => ({
      ...sample,
      key: `check-${at}@1.0/rest`,
      test: `check-${at}`,
    }))
    const { page } = await opened(fileOf(run))
    await shown(() => page.locator('.list h2').textContent()).toMatch(/5000 results/i)
    await shown(() => page.locator('.item').count()).toBeLessThan(60)
    await page.evaluate("document.querySelector('.rows').scrollTo(0, 1e9)")
    await page.getByText('check-4999@1.0/rest').waitFor()
    await page.context().close()
  })

  test.each([...Object.entries(SAMPLE_RUNS), ['checks, compared', SAMPLE_RUNS.checks] as const])(
    'of %s is for everybody: axe finds nothing, and nothing is wider than the page',
    async (kind, run) => {
      const policy = /<meta http-equiv="Content-Security-Policy"[^>]*>/
      const file = join(folder, 'axe.html')
      const options = kind === 'checks, compared' ? { before: SAMPLE_RUNS.checks } : {}
      writeFileSync(file, renderedRun('html', run, options).replace(policy, ''))
      const { page } = await opened(pathToFileURL(file).href)
      await letAxeIn(page)
      await expectForEverybody(page, 'the list')
      await page.keyboard.press('j')
      await page.keyboard.press('j')
      await page.waitForSelector('.detail dl')
      await expectForEverybody(page, 'a result')
      await page.context().close()
    },
  )
})

test('the application is small', () => {
  const built = (name: string) => readFileSync(join(import.meta.dirname, '..', '..', 'dist', 'ui', name))
  expect(gzipSync(Buffer.concat([built('report.js'), built('report.css')])).length).toBeLessThan(MAX_APP_BYTES)
})
