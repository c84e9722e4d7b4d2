// Recordings from a file of the user: chosen or dropped, small and of 200 MB, whole, cut off, and none at all.

import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { giveLarge } from './chromium.ts'
import { goTo, inspected } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

const HEADER = '{"format":"parley-recording","version":1,"started":"2026-01-01T00:00:00.000Z"}\n'

function line(at: number, filler = ''): string {
  return `${JSON.stringify({
    ...{ id: `x${at}`, startedAt: '2026-01-01T00:00:00.000Z', durationMs: 1 },
    request: { method: 'POST', url: `http://127.0.0.1:1/call/${at}`, headers: [], body: { text: '' } },
    response: { status: 200, headers: [], body: { text: JSON.stringify({ filler }) } },
  })}\n`
}

const small = `${HEADER}${line(0, 'ä€😀')}${line(1)}{"end":true,"count":2}\n`

describe.skipIf(missing !== undefined)('a recording given to the inspector', { timeout: 120_000 }, () => {
  afterAll(closeBrowser)

  const give = (page: Awaited<ReturnType<typeof inspected>>['page'], name: string, text: string) =>
    page.getByLabel('A recording').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })

  test('is shown, closed, and gone with the inspector', async () => {
    // A place for temporary files of its own: those of other tests come and go.
    const folder = mkdtempSync(join(tmpdir(), 'parley-own-'))
    vi.stubEnv('TMPDIR', folder)
    const kept = () => readdirSync(folder).filter((name) => name.startsWith('parley-recordings-')).length
    {
      await using seen = await inspected()
      const { page } = seen
      await goTo(page, 'wire')
      await give(page, 'traffic.jsonl', small)
      await page.locator('.wire-row').filter({ hasText: '/call/0' }).click()
      await page.locator('section[aria-label="Answer"]').filter({ hasText: 'ä€😀' }).waitFor()
      await give(page, 'again.jsonl', small)
      await shown(() => page.locator('select[aria-label="Source"] option').count()).toBe(3)
      expect(kept()).toBeGreaterThan(0)
      await page.getByRole('button', { name: 'Close the recording' }).click()
      await shown(() => page.locator('select[aria-label="Source"] option').count()).toBe(2)
    }
    expect(kept()).toBe(0)
    vi.unstubAllEnvs()
    rmSync(folder, { recursive: true })
  })

  test('can be dropped, and is shown as far as it goes', async () => {
    await using seen = await inspected()
    const { page } = seen
    await goTo(page, 'wire')
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer()
      dataTransfer.items.add(new File([${JSON.stringify(`${HEADER}${line(0)}nonsense\n`)}], 'cut.jsonl'))
      document.querySelector('.wire-page').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
    })()`)
    await page.locator('.wire-row').filter({ hasText: '/call/0' }).waitFor()
    await page.getByText('cut.jsonl').filter({ hasText: 'line 3' }).waitFor()
  })

  test.each([
    ['holiday.jpg', '\u00ff\u00d8 not a recording'],
    ['run.jsonl', '{"type":"header","schemaVersion":1}\n'],
    ['empty.jsonl', ''],
  ])('that is none (%s) is refused in one sentence', async (name, text) => {
    await using seen = await inspected()
    const { page } = seen
    await goTo(page, 'wire')
    await give(page, name, text)
    await page
      .getByText(`${name} cannot be shown: it is not a recording; make one with parley proxy --record.`)
      .waitFor()
    expect(await page.locator('select[aria-label="Source"]').count()).toBe(0)
  })

  test('of 200 MB, named or given, scrolls, and any exchange of it opens', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-large-'))
    const file = join(folder, 'large.jsonl')
    const count = await writeLarge(file, 200 * 1024 * 1024)
    const startedAt = performance.now()
    await using seen = await inspected({ recordings: [file] })
    const told = (what: string, from: number) =>
      console.log(`200 MB, ${count} exchanges: ${what} in ${Math.round(performance.now() - from)} ms`)
    told('read', startedAt)
    const { page } = seen
    const openLast = async () => {
      const last = page.locator('.wire-row').filter({ hasText: `/call/${count - 1}` })
      await shown(async () => {
        await page.evaluate("document.querySelector('.wire-page .rows').scrollTo(0, 1e9)")
        return last.count()
      }).toBe(1)
      await last.click()
      await page
        .locator('.wire-one h2')
        .filter({ hasText: `/call/${count - 1}` })
        .waitFor()
      expect(await page.evaluate("document.querySelectorAll('.wire-row').length")).toBeLessThan(80)
    }
    await goTo(page, 'wire')
    await page.getByLabel('Source').selectOption('r1')
    await openLast()
    await page.getByLabel('Source').selectOption('')
    const givenAt = performance.now()
    await giveLarge(page, 'A recording', file)
    // It is there to be looked into while it still comes.
    await page.locator('.wire-row').first().waitFor()
    await page.locator('progress').waitFor({ state: 'detached', timeout: 90_000 })
    told('given', givenAt)
    await openLast()
    rmSync(folder, { recursive: true, force: true })
  })
})

async function writeLarge(file: string, bytes: number): Promise<number> {
  const out = createWriteStream(file)
  out.write(HEADER)
  const filler = 'x'.repeat(60_000)
  let written = 0
  let count = 0
  while (written < bytes) {
    const text = line(count, filler)
    written += text.length
    count++
    if (!out.write(text)) await once(out, 'drain')
  }
  out.end(`{"end":true,"count":${count}}\n`)
  await once(out, 'finish')
  return count
}
