// `parley ui` in a real terminal: it opens the browser with the link it prints, says so where there is none to open, and
// gives a new link for Enter.

import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { hasTmux, Terminal } from './terminal.ts'

const isThere = hasTmux()
if (!isThere)
  process.stderr.write('SKIPPED: tmux is not installed, the link of parley ui is not tried in a terminal.\n')

const PARLEY = `${process.execPath} ${join(import.meta.dirname, '..', 'support', 'parley.ts')}`
const LINK = /http:\/\/127\.0\.0\.1:\d+\/#token=([\w-]+)/g

describe.skipIf(!isThere)('the link of parley ui', { timeout: 60_000 }, () => {
  let folder = ''
  let terminal: Terminal
  /** What opens addresses on this machine. */
  let opener = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-link-'))
    opener = join(folder, 'xdg-open')
    terminal = await Terminal.open({ cwd: folder, path: process.env.PATH ?? '', rows: 60 })
  })
  afterEach(() => rmSync(opener, { force: true }))
  afterAll(async () => {
    await terminal.close()
    rmSync(folder, { recursive: true })
  })

  function openWith(script: string): void {
    writeFileSync(opener, `#!/bin/sh\n${script}\n`)
    chmodSync(opener, 0o755)
  }

  /** It finds no other program than ours, so no browser of this machine is opened. */
  async function start() {
    await terminal.type('true')
    const running = await terminal.begin(`PATH=${folder} ${PARLEY} ui`)
    await running.shows('press Enter for another')
    return running
  }

  const answerOf = async (link: string) => {
    const [, token] = link.split('#token=')
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch(new URL('/api/session', link), {
      ...{ method: 'POST', headers, body: JSON.stringify({ token }) },
    })
    return answer.status
  }

  test('is opened, works once, and Enter gives another', async () => {
    const seen = join(folder, 'opened')
    openWith(`echo "$1" > ${seen}.part; /bin/mv ${seen}.part ${seen}`)
    const running = await start()
    await expect.poll(() => existsSync(seen)).toBe(true)
    const first = readFileSync(seen, 'utf8').trim()
    expect(await answerOf(first)).toBe(200)
    expect(await answerOf(first)).toBe(403)
    await terminal.press('Enter')
    const links = async () => [...(await running.screen()).matchAll(LINK)].map(([link]) => link)
    await expect.poll(async () => (await links()).length).toBe(2)
    const [printed, second = ''] = await links()
    expect(printed).toBe(first)
    expect(await answerOf(second)).toBe(200)
    await terminal.press('C-c')
    expect((await running.end()).code).toBe(0)
  })

  test.each([
    ['there is nothing that opens addresses', undefined],
    ['what opens addresses finds no browser', 'exit 3'],
  ])('is there to be copied where %s', async (_, script) => {
    if (script !== undefined) openWith(script)
    const running = await start()
    await running.shows('No browser could be opened here; open the address above yourself.')
    await terminal.press('C-c')
    const { text, code } = await running.end()
    expect(text).toMatch(LINK)
    expect(text).not.toMatch(/\n {4}at /)
    expect(code).toBe(0)
  })
})
