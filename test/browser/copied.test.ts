// What is copied, to the letter, from the report and from the inspector. All of it is in this file: the pages of a browser
// share one clipboard.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import type { Run } from '../../src/run/run.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { inspected, NO_RELAY, say } from './inspected.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

const CLAUSE = 'https://a2a-protocol.org/v1.0.1/specification/#31-core-operations'

/** What Ctrl-V brings; the clipboard is written a little after the click, hence polled. */
async function pasted(page: Page): Promise<string> {
  await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
  await page.locator('#paste').focus()
  await page.keyboard.press('Control+v')
  const text = await page.locator('#paste').inputValue()
  await page.evaluate("document.getElementById('paste').remove()")
  return text
}

async function copied(page: Page, name: string, text: string | undefined): Promise<void> {
  await page.getByRole('button', { name: `Copy ${name}`, exact: true }).click()
  await shown(() => pasted(page)).toBe(text)
}

describe.skipIf(missing !== undefined)('what is copied', { timeout: 60_000 }, () => {
  let server: A2AServer
  let url = ''
  let folder = ''
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-copied-'))
    const agents = referenceAgents({ relay: NO_RELAY })
    server = createServer({ agents, grpc: { port: 0 }, allowPrivateNetworks: true })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await closeBrowser()
    await server.close({ graceMs: 0 })
    rmSync(folder, { recursive: true, force: true })
  })

  async function opened(run: Run): Promise<Page> {
    const file = join(folder, 'report.html')
    writeFileSync(file, renderedRun('html', run))
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 } })
    const page = await context.newPage()
    await page.goto(`${pathToFileURL(file).href}#check=bad`)
    await page.waitForSelector('.message')
    return page
  }

  test('from the report: commands, links and issues', async () => {
    const run = structuredClone(SAMPLE_RUNS.suites)
    const [, failed] = run.results
    if (failed === undefined) throw new Error('there is a failure')
    Object.assign(failed, {
      ...{ key: 'bad', title: 'A `title`', message: 'It failed.', version: '1.0' },
      ...{ requirement: 'It must not.', sections: ['3.1'], expected: 'one', actual: '```two```' },
      recommendation: 'Do it.',
      reproduction: { parley: 'parley test x', curl: ["curl -sS 'http://x'"] },
    })
    const page = await opened(run)
    await copied(page, 'curl', "curl -sS 'http://x'")
    await copied(page, 'parley command', 'parley test x')
    const issue = [
      ...['# A `title`', '', 'It failed.', ''],
      ...[`**Requirement** (A2A 1.0 [§3.1](${CLAUSE})): It must not.`, ''],
      ...['**Expected**', '', '```', 'one', '```', '', '**Actual**', '', '````', '```two```', '````', ''],
      ...['**Suggestion**: Do it.', ''],
      ...['**Reproduce**', '', '```sh', 'parley test x', "curl -sS 'http://x'", '```', ''],
      '<sub>bad, Parley 0.1.0, 2026-01-02T03:04:05.678Z</sub>\n',
    ]
    await copied(page, 'as issue', issue.join('\n'))
    await copied(page, 'link', page.url())
    await page.context().close()
    const grpcurl = "grpcurl -plaintext \\\n  -d '{}' \\\n  127.0.0.1:50051 lf.a2a.v1.A2AService/GetTask"
    failed.reproduction = { parley: 'parley test x', curl: [grpcurl] }
    const other = await opened(run)
    await copied(other, 'grpcurl', grpcurl)
    await other.context().close()
  })

  test('from the inspector: curl, parley send, TypeScript, and grpcurl', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page, inspector } = seen
    const commandOf = (name: string) => {
      const row = inspector.lab.wire.rows().findLast(({ label }) => label === 'SendMessage')
      return inspector.lab.wire.detail(row?.id ?? '')?.commands.find((each) => each.name === name)?.text
    }
    await page.getByLabel('Stream or one answer').selectOption('send')
    await say(page, "message-only it's me")
    await page.locator('.wire-row').filter({ hasText: 'SendMessage' }).last().click()
    expect(commandOf('curl')).toMatch(/^curl .*\/spec/s)
    await copied(page, 'curl', commandOf('curl'))
    await copied(page, 'parley send', `parley send ${url}/spec 'message-only it'\\''s me'`)
    expect(commandOf('TypeScript')).toContain(`await A2AClient.connect("${url}/spec")`)
    await copied(page, 'TypeScript', commandOf('TypeScript'))
    await page.getByLabel('Protocol version and binding').selectOption('1.0 grpc')
    await say(page, 'message-only again')
    await page.locator('.wire-row').filter({ hasText: 'gRPC' }).last().click()
    expect(commandOf('grpcurl')).toMatch(/^grpcurl .*lf\.a2a\.v1\.A2AService\/SendMessage$/s)
    await copied(page, 'grpcurl', commandOf('grpcurl'))
  })
})
