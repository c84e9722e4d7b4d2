// `parley ui` as its user meets it, a process with a browser: the link that works once, addresses it may not call, others it is
// opened to, and what it says when it cannot start.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ScriptedServer, sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'
import type { Context, Page } from './chromium.ts'
import { goTo } from './inspected.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('parley ui', { timeout: 90_000 }, () => {
  let agent: ScriptedServer
  beforeAll(async () => {
    agent = await startScriptedServer((_, res) => sendJson(res, 404, {}))
  })
  afterAll(async () => {
    await closeBrowser()
    await agent.close()
  })

  async function opened(ui: Serving): Promise<{ page: Page; context: Context }> {
    const context = await (await browser()).newContext({ viewport: { width: 1280, height: 900 } })
    context.setDefaultTimeout(15_000)
    const page = await context.newPage()
    await page.goto(String(ui.ready.link))
    return { page, context }
  }

  async function connectAndJudge(page: Page): Promise<void> {
    await page.getByLabel('Address').fill(agent.url)
    await page.locator('form.panel button[type=submit]').click()
    await page.locator('.error-note').filter({ hasText: 'not called' }).waitFor()
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Only the basics' }).click()
    await page.getByRole('button', { name: 'Save record' }).waitFor()
  }

  test('opens once: the same link in another tab says so, and Enter would give another', async () => {
    const ui = await startParley(['ui', '--no-open'])
    const { page, context } = await opened(ui)
    await page.getByText('Open an agent').first().waitFor()
    const other = await context.newPage()
    await other.goto(String(ui.ready.link))
    await other.getByText('This link was used already.').waitFor()
    const without = await context.newPage()
    await without.goto(ui.url)
    await without.getByText('This page has no session').waitFor()
    await context.close()
    expect((await ui.stop()).code).toBe(0)
  })

  test('--no-private-networks: nothing at this machine is called, neither by connecting nor by judging', async () => {
    const ui = await startParley(['ui', '--no-open', '--no-private-networks'])
    const { page, context } = await opened(ui)
    await connectAndJudge(page)
    expect(agent.received).toEqual([])
    await context.close()
    await ui.stop()
  })

  test('--allow-others: says what that means, and calls no private address', async () => {
    const ui = await startParley(['ui', '--no-open', '--host', '0.0.0.0', '--allow-others'])
    const { page, context } = await opened(ui)
    await connectAndJudge(page)
    expect(agent.received).toEqual([])
    await context.close()
    expect((await ui.stop()).stderr).toContain('whoever sees the traffic can use your agents with your credentials')
  })

  test('an agent named on the command line is there, and its token is not in the page', async () => {
    const ui = await startParley(['ui', agent.url, '--no-open', '--bearer', 'canary-token-0123456789'])
    const { page, context } = await opened(ui)
    await shown(() => page.locator('header').textContent()).toContain('not connected')
    await goTo(page, 'connect')
    await page.getByText('credentials of the command line').first().waitFor()
    expect(String(await page.evaluate('document.documentElement.outerHTML'))).not.toContain('canary-token')
    await context.close()
    await ui.stop()
  })

  test('a port that is taken: one sentence and its exit code', async () => {
    const { port } = new URL(agent.url)
    const { code, stderr } = await runParley(['ui', '--no-open', '--port', port])
    expect({ code, stderr }).toEqual({
      ...{ code: 1, stderr: expect.stringMatching(/^parley: Port \d+ is already in use .*; choose another port/) },
    })
    expect(stderr).not.toContain('    at ')
  })
})
