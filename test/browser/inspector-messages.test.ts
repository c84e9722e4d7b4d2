// Messages in the inspector to the letter: how they are to be sent, what is dropped into them, what comes back as what it is,
// and tasks by the page.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { referenceAgents } from '../../src/agents/reference.ts'
import { type A2AServer, createServer } from '../../src/server/server.ts'
import { goTo, type Inspected, inspected, NO_RELAY, say } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

const EXTENSION = 'https://extensions.example/color/v1'
const MARKDOWN = '# Result\n\n- **bold** and `code`\n- [a link](https://example.com/x)\n\n```\n<b>fenced</b>\n```'
/** 44 bytes of header and nothing to hear. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='

/** The answer to a message stays away until it is released, or fails. */
const HELD_SENDING = `{
  const real = fetch
  globalThis.fetch = async (path, init) => {
    if (path !== '/api/send') return real(path, init)
    const held = new Promise((resolve, reject) => Object.assign(globalThis, { release: resolve, fail: reject }))
    const answer = await real(path, init)
    await held
    return answer
  }
}`

describe.skipIf(missing !== undefined)('messages in the inspector', { timeout: 60_000 }, () => {
  let server: A2AServer
  let url = ''
  beforeAll(async () => {
    const card = {
      ...{ name: 'Gallery', description: 'Shows one of each.', version: '1' },
      capabilities: { streaming: true, extensions: [{ uri: EXTENSION }] },
      ...{ defaultInputModes: ['*/*'], defaultOutputModes: ['*/*'] },
      skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
    }
    server = createServer({
      agents: [
        ...referenceAgents({ relay: NO_RELAY }),
        {
          ...{ path: '/gallery', card },
          agent: async (_, context) => {
            await context.artifact({
              name: 'all',
              parts: [
                { text: MARKDOWN },
                { text: 'name,amount\n"Paper, A4",12.50', mediaType: 'text/csv' },
                { text: '{"a":[1,2]}', mediaType: 'application/json' },
                { raw: WAV, mediaType: 'audio/wav', filename: 'silence.wav' },
                { raw: 'bm90aGluZw==', mediaType: 'application/zip', filename: 'some.zip' },
                { url: 'https://files.example/report.pdf', filename: 'report.pdf' },
              ],
            })
            await context.complete()
          },
        },
      ],
      allowPrivateNetworks: true,
    })
    url = (await server.listen()).url
  })
  afterAll(async () => {
    await closeBrowser()
    await server.close({ graceMs: 0 })
  })

  /** The last exchange of this operation, as it went over the wire. */
  async function sent({ inspector }: Inspected, label: string) {
    await shown(() => inspector.lab.wire.rows().some((row) => row.label === label && !row.isOpen)).toBe(true)
    const row = inspector.lab.wire.rows().findLast((each) => each.label === label)
    const detail = inspector.lab.wire.detail(row?.id ?? '')
    if (detail === undefined) throw new Error(`${label} was not sent`)
    return detail.editable
  }

  test('go as they are asked to, and what cannot be sent is said', async () => {
    await using seen = await inspected({ agent: `${url}/gallery` })
    const { page } = seen
    await page.getByRole('button', { name: 'More…' }).click()
    await page.getByLabel('Return immediately').check()
    await page.getByLabel('History length').fill('many')
    await page.getByLabel('Extensions').fill(EXTENSION)
    await page.getByLabel('Output modes').fill('text/plain image/png')
    await page.getByLabel('Metadata').fill('{ "trace": ')
    await page.getByLabel('Stream or one answer').selectOption('send')
    await say(page, 'hello')
    await page.getByText('The history length is not a whole number; correct it under More…').waitFor()
    await page.getByLabel('History length').fill('3')
    await page.locator('#message').press('Enter')
    await page.getByText('The metadata is not JSON; correct it under More…').waitFor()
    await page.getByLabel('Metadata').fill('{ "trace": 7 }')
    await page.locator('#message').press('Enter')
    const { body, headers } = await sent(seen, 'SendMessage')
    expect(JSON.parse(body)).toMatchObject({
      params: {
        configuration: { returnImmediately: true, historyLength: 3, acceptedOutputModes: ['text/plain', 'image/png'] },
        metadata: { trace: 7 },
      },
    })
    expect(headers.find(([name]) => /^a2a-extensions$/i.test(name))?.[1]).toBe(EXTENSION)
  })

  test('take files that are dropped, and can lose them again', async () => {
    await using seen = await inspected({ agent: `${url}/gallery` })
    const { page } = seen
    const drop = (name: string) =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['4711'], '${name}', { type: 'text/plain' }))
        document.querySelector('.composer').dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
      })()`)
    await drop('one.txt')
    await page.getByText('one.txt · 4 B').waitFor()
    await drop('two.txt')
    await page.getByRole('button', { name: 'Remove one.txt · 4 B' }).click()
    await page.getByText('one.txt · 4 B').waitFor({ state: 'detached' })
    await say(page, 'with a file')
    const { body } = await sent(seen, 'SendStreamingMessage')
    expect((JSON.parse(body) as { params: { message: { parts: object[] } } }).params.message.parts).toEqual([
      { text: 'with a file' },
      { raw: Buffer.from('4711').toString('base64'), filename: 'two.txt', mediaType: 'text/plain' },
    ])
  })

  test('come back as what they are', async () => {
    await using seen = await inspected({ agent: `${url}/gallery` })
    const { page, requests } = seen
    await say(page, 'show me')
    const artifact = page.locator('.bubble.agent .artifact')
    await artifact.locator('.markdown .heading').filter({ hasText: 'Result' }).waitFor()
    await shown(() => artifact.locator('.markdown li b').textContent()).toBe('bold')
    await shown(() => artifact.locator('.markdown li code').textContent()).toBe('code')
    await shown(() => artifact.locator('.markdown pre').textContent()).toBe('<b>fenced</b>')
    await shown(() => artifact.locator('.markdown li a').getAttribute('href')).toBe('https://example.com/x')
    await shown(() => artifact.locator('table tbody td').first().textContent()).toBe('Paper, A4')
    await artifact.locator('audio').waitFor()
    await artifact.locator('figcaption').filter({ hasText: 'some.zip' }).waitFor()
    await artifact.locator('a').filter({ hasText: 'https://files.example/report.pdf' }).waitFor()
    const download = page.waitForEvent('download')
    await artifact.locator('figure').filter({ hasText: 'some.zip' }).locator('button').click()
    expect((await download).suggestedFilename()).toBe('some.zip')
    // Nothing an agent names is loaded.
    expect(requests).toEqual([])
  })

  test('leave the box at once, and come back into it when they could not be sent', async () => {
    await using seen = await inspected({ agent: `${url}/gallery` })
    const { page } = seen
    await page.evaluate(HELD_SENDING)
    await page
      .getByLabel('Files to attach')
      .setInputFiles({ name: 'order.txt', mimeType: 'text/plain', buffer: Buffer.from('4711') })
    await page.getByText('order.txt · 4 B').waitFor()
    await say(page, 'first')
    await shown(() => page.locator('#message').inputValue()).toBe('')
    // Meanwhile the next one is written.
    await page.keyboard.type('second')
    await page.evaluate('release()')
    await page.locator('.bubble.agent').first().waitFor()
    expect(await page.locator('#message').inputValue()).toBe('second')
    expect(await page.locator('.extras li').count()).toBe(0)
    await page.keyboard.press('Enter')
    await shown(() => page.locator('#message').inputValue()).toBe('')
    await page.keyboard.type('third')
    await page.evaluate('fail()')
    await page.getByText('is parley ui still running?').waitFor()
    await shown(() => page.locator('#message').inputValue()).toBe('second\nthird')
  })

  test('tasks come page by page, with their history, and go on from there', async () => {
    await using seen = await inspected({ agent: `${url}/push` })
    const { page, inspector } = seen
    for (const text of ['task-lifecycle one', 'task-lifecycle two', 'multi-turn begin']) {
      await page.locator('button[aria-label="Begin a new conversation"], .composer .muted').first().waitFor()
      await say(page, text)
      await shown(() => page.locator('.bubble.you').filter({ hasText: text }).count()).toBe(1)
      await shown(() => page.locator('progress').count()).toBe(0)
    }
    await goTo(page, 'tasks')
    await page.getByLabel('A page').fill('1')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.getByRole('heading', { name: /^1 of \d+ tasks$/i }).waitFor()
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByRole('heading', { name: /^2 of \d+ tasks$/i }).waitFor()
    await page.getByLabel('State').selectOption('TASK_STATE_INPUT_REQUIRED')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.getByRole('heading', { name: '1 of 1 tasks' }).waitFor()
    await page.locator('td .link').first().click()
    await page.getByText(/History, \d+ messages/).click()
    await page.locator('details .status').filter({ hasText: 'multi-turn begin' }).waitFor()
    // Not in what was said last, and not with another agent.
    await goTo(page, 'talk')
    await page.getByRole('button', { name: 'Begin a new conversation' }).click()
    await say(page, 'task-lifecycle three')
    await page.locator('.bubble.agent').filter({ hasText: 'Processed: task-lifecycle three' }).waitFor()
    inspector.lab.open(`${url}/echo`, { kind: 'none' }, [])
    await page.getByLabel('Agent', { exact: true }).selectOption('a2')
    await page.getByText('begins a new conversation').waitFor()
    await page.getByLabel('Agent', { exact: true }).selectOption('a1')
    await page.getByText('continues context').waitFor()
    await goTo(page, 'tasks')
    await page.getByLabel('State').selectOption('TASK_STATE_INPUT_REQUIRED')
    await page.getByRole('button', { name: 'List tasks' }).click()
    await page.locator('td .link').first().click()
    await page.getByRole('button', { name: 'Go on with it' }).click()
    await page.getByText('continues task').waitFor()
    await say(page, 'done')
    await page.locator('.bubble.agent').filter({ hasText: 'Finished after 2 messages' }).waitFor()
  })
})
