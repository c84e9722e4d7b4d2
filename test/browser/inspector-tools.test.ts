// The tools of the inspector in a real browser: the judge with its record as it grows, push notifications, mocks with
// faults, and what is saved from it, each played back by the command it is for.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { createMockAgent } from '../../src/mock/index.ts'
import type { StreamEvent } from '../../src/model/event.ts'
import { textOf } from '../../src/model/task.ts'
import { startProxy } from '../../src/proxy/start-proxy.ts'
import { parseRecord } from '../../src/run/record-reader.ts'
import { runCases } from '../../src/scenario/cases/run-cases.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { renderedRun } from '../report/rendered.ts'
import { SAMPLE_RUNS } from '../report/sample-runs.ts'
import type { Page } from './chromium.ts'
import { goTo, inspected, NO_RELAY, say } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('the tools of the inspector', { timeout: 90_000 }, () => {
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

  /** What a button saves, as text and as a file. */
  async function saved(page: Page, button: string): Promise<{ text: string; file: string }> {
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: button, exact: true }).click()
    const done = await download
    const file = join(folder, done.suggestedFilename())
    const text = readFileSync(await done.path(), 'utf8')
    writeFileSync(file, text)
    return { text, file }
  }

  test('judges with live progress, shows the report, and runs one check again', async () => {
    await using seen = await inspected({ agent: `${url}/echo` })
    const { page, errors } = seen
    await goTo(page, 'judge')
    await page.getByText('Nothing was judged yet').waitFor()
    await page.getByRole('button', { name: 'Only the basics' }).click()
    // Rows arrive before the run is over.
    await page.locator('.judge .item').first().waitFor()
    await page.getByRole('button', { name: 'Save record' }).waitFor({ timeout: 60_000 })
    const { text } = await saved(page, 'Save record')
    const { run } = parseRecord(text, 'run.jsonl')
    expect(run.footer.complete).toBe(true)
    await shown(() => page.locator('.list h2').textContent()).toBe(`${run.results.length} results`)
    await shown(() => page.locator('.report-head .level').textContent()).toBe(run.footer.conformanceLevel)
    await page.locator('.judge .item button').first().click()
    const name = run.results[0]?.test ?? ''
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.getByLabel('Run', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save record' }).waitFor({ timeout: 60_000 })
    const again = parseRecord((await saved(page, 'Save record')).text, 'run.jsonl')
    expect(again.run.results.map(({ test: id }) => id)).toContain(name)
    expect((await saved(page, 'Save as page')).text).toContain('Content-Security-Policy')
    expect(errors).toEqual([])
  })

  test('judges with some checks, and again with what failed', async () => {
    const faults = 'faults: [{ do: http-status, with: { status: 500 }, at: { operation: cancelTask } }]'
    await using mock = await createMockAgent({ scriptText: `agent: { name: faulty }\n${faults}` }).start()
    await using seen = await inspected({ agent: mock.url })
    const { page, inspector } = seen
    const only = async (words: string) => {
      await page.getByRole('button', { name: 'Some checks…' }).click()
      await page.getByLabel('Only').fill(words)
      await page.getByRole('button', { name: 'Judge with these' }).click()
    }
    await goTo(page, 'judge')
    await only('nonsense')
    await page.getByText("There is no check, area, category, requirement or section 'nonsense'").waitFor()
    await only('card-available, cancel-unknown')
    await page.getByRole('button', { name: 'Run what failed again' }).click()
    await page.getByRole('button', { name: 'Save record' }).waitFor()
    const tests = () =>
      inspector.lab.judging
        .views()
        .map(({ id }) => [...new Set(inspector.lab.judging.lines(id).flatMap(({ test: name }) => name ?? []))])
    await shown(tests).toEqual([[], expect.arrayContaining(['card-available', 'cancel-unknown']), ['cancel-unknown']])
  })

  test('opens stored runs with their evidence, and says what cannot be read', async () => {
    await using seen = await inspected()
    const { page } = seen
    await goTo(page, 'judge')
    const open = (name: string, text: string) =>
      page.getByLabel('A stored run').setInputFiles({ name, mimeType: 'application/json', buffer: Buffer.from(text) })
    await open('run.jsonl', renderedRun('run', SAMPLE_RUNS.suites))
    await page.locator('.item button').nth(1).click()
    await page.waitForSelector('.message')
    await shown(() => page.locator('.exchange').textContent()).toContain('HTTP 500')
    const newer = renderedRun('run', SAMPLE_RUNS.suites).replace('"schemaVersion":1', '"schemaVersion":9')
    await open('newer.jsonl', newer)
    await page.getByText('it has version 9, and this Parley reads up to 1; update Parley').waitFor()
    await open('holiday.jpg', '\u00ff\u00d8 not a report')
    await page.getByText('holiday.jpg cannot be read as a run: it is neither a run record nor a JSON report').waitFor()
    await open('list.json', '[1, 2]')
    await page.getByText('list.json cannot be read as a run: it is not a JSON object').waitFor()
  })

  test('receives push notifications, and shows and deletes configurations', async () => {
    await using seen = await inspected({ agent: `${url}/push` })
    const { page, inspector } = seen
    await say(page, 'multi-turn begin')
    await page.getByText('continues task').waitFor()
    const turn = inspector.lab.conversations.views()[0]
    const task = turn?.events.flatMap((event) => ('task' in event ? event.task.id : []))[0] ?? ''
    await goTo(page, 'push')
    await page.getByLabel('Task').fill(task)
    await page.getByRole('button', { name: 'Notify me here' }).click()
    await page.locator('.configs li').waitFor()
    await goTo(page, 'talk')
    await say(page, 'done')
    await goTo(page, 'push')
    const delivery = page.locator('section[aria-label="Deliveries"] summary').filter({ hasText: 'completed' })
    await delivery.first().waitFor()
    await shown(() => delivery.first().textContent()).toMatch(/✓.*A2A 1\.0 · .* · token right · answered 200/)
    await page.getByLabel('Task').fill(task)
    await page.getByRole('button', { name: 'List configurations' }).click()
    await page.locator('.configs li button').click()
    await page.getByText('The task has no push configuration.').waitFor()
  })

  test('starts a mock, switches faults on and off, gives it a reply and reads its journal', async () => {
    await using seen = await inspected()
    const { page } = seen
    await goTo(page, 'mock')
    await page.getByLabel('Script').fill('agent: { nam: x }')
    await page.getByRole('button', { name: 'Start from the script' }).click()
    await page.getByText("unknown key 'nam'").waitFor()
    await page
      .getByLabel('Script')
      .fill('agent: { name: scripted }\nrules:\n  - id: all\n    turns: [[{ complete: As written. }]]\n')
    await page.getByRole('button', { name: 'Start from the script' }).click()
    // Before anybody is connected, which asks the mock as well.
    await page.getByRole('button', { name: 'Switch it on' }).click()
    await page.locator('.badge').filter({ hasText: 'http-status' }).waitFor()
    await page.getByRole('button', { name: 'Talk to it' }).click()
    await page.getByText('connected').first().waitFor()
    await goTo(page, 'card')
    await page.locator('.findings li').first().waitFor()
    await goTo(page, 'mock')
    await page.getByText('at streamMessage · fired 0 times').waitFor()
    await goTo(page, 'talk')
    await say(page, 'first')
    await page.getByText('HTTP 503').first().waitFor()
    await goTo(page, 'mock')
    await page.getByRole('button', { name: 'Switch all faults off' }).click()
    await page.locator('.badge').filter({ hasText: 'http-status' }).waitFor({ state: 'detached' })
    await page.getByLabel('Every task completes with').fill('As primed.')
    await page.getByRole('button', { name: 'Answer with it' }).click()
    await goTo(page, 'talk')
    await say(page, 'second')
    await page.locator('.bubble.agent').filter({ hasText: 'As primed.' }).waitFor()
    await goTo(page, 'mock')
    const journal = page.locator('section[aria-label="Journal"] summary')
    await journal.filter({ hasText: 'streamMessage' }).first().waitFor()
  })

  test('looks into a mock that runs elsewhere, with its token only', async () => {
    await using mock = await createMockAgent({ scriptText: 'agent: { name: other }' }).start()
    await using seen = await inspected()
    const { page } = seen
    await goTo(page, 'mock')
    await page.getByText('Look into a mock that runs already').click()
    await page.getByLabel('Address').fill(mock.url)
    await page.getByLabel('Control token').fill('wrong')
    await page.getByRole('button', { name: 'Look into it' }).click()
    await page.getByText('Send the token printed at start').waitFor()
    await page.getByLabel('Address').fill('http://192.0.2.1:80')
    await page.getByRole('button', { name: 'Look into it' }).click()
    await page.getByText('on this machine only').waitFor()
    await page.getByLabel('Address').fill(mock.url)
    await page.getByLabel('Control token').fill(mock.adminToken)
    await page.getByRole('button', { name: 'Look into it' }).click()
    await page.getByText('Journal, 0 requests').waitFor()
    await fetch(`${mock.url}/nothing`)
    await page.getByText('Journal, 1 requests').waitFor()
    await page.getByRole('button', { name: 'Leave it' }).click()
  })

  test('what was said becomes a recording, a mock script and a case, and each says it again', async () => {
    await using seen = await inspected({ agent: `${url}/spec` })
    const { page } = seen
    await say(page, 'multi-turn begin')
    await page.getByText('continues task').waitFor()
    await say(page, 'done')
    await page.locator('.bubble.agent').filter({ hasText: 'Finished after 2 messages' }).waitFor()
    await goTo(page, 'wire')
    const recording = await saved(page, 'Save as recording')
    const script = await saved(page, 'Save as mock script')
    const written = await saved(page, 'Save as test case')
    for (const options of [{ recording: recording.file }, { scriptText: script.text }]) {
      await using mock = await createMockAgent(options).start()
      using client = await A2AClient.connect(mock.url)
      const ask = async (text: string, ids: { taskId?: string; contextId?: string } = {}) => {
        const message = { messageId: text, role: 'ROLE_USER' as const, parts: [{ text }], ...ids }
        const events: StreamEvent[] = []
        for await (const { event } of client.streamMessage({ message })) events.push(event)
        return events
      }
      const first = await ask('multi-turn begin')
      const task = first.flatMap((event) => ('task' in event ? [event.task] : []))[0]
      const ids = { taskId: task?.id ?? '', contextId: task?.contextId ?? '' }
      const last = (await ask('done', ids)).at(-1)
      expect(last).toMatchObject({ statusUpdate: { status: { state: 'TASK_STATE_COMPLETED' } } })
      expect(last !== undefined && 'statusUpdate' in last ? textOf(last.statusUpdate.status.message) : '').toBe(
        '[multi-turn] Done.',
      )
    }
    const { results } = await runCases([written.file], {})
    expect(results.map(({ outcome, problems }) => ({ outcome, problems }))).toEqual([
      { outcome: 'passed', problems: [] },
    ])
  })

  test('shows what passes through a running proxy', async () => {
    const file = join(folder, 'proxied.jsonl')
    const agents = [{ name: 'app', url: `${url}/spec` }]
    const proxy = await startProxy({ agents, record: file, port: 0 })
    await using seen = await inspected({ recordings: [file] })
    const { page } = seen
    await goTo(page, 'wire')
    await page.getByLabel('Source').selectOption('r1')
    await page.getByText('The recording has no exchange yet.').waitFor()
    using client = await A2AClient.connect(proxy.url)
    const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'message-only hello' }] }
    await client.sendMessage({ message })
    await page.locator('.wire-row').filter({ hasText: 'SendMessage' }).click()
    await shown(() => page.locator('section[aria-label="Sent"]').textContent()).toContain('message-only hello')
    await shown(() => page.locator('section[aria-label="Answer"]').textContent()).toContain('You said: message-only')
    await proxy.close()
  })
})
