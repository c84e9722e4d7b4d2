// A client judged from the page: the scenarios wait, a real client comes to one of them, and the verdict is the report.

import { afterAll, describe, expect, test } from 'vitest'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { startScriptedServer } from '../peers/scripted-server.ts'
import { goTo, inspected } from './inspected.ts'
import { closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

describe.skipIf(missing !== undefined)('a client judged in the inspector', { timeout: 60_000 }, () => {
  afterAll(closeBrowser)

  test('is seen as it comes, and gets a verdict with what it sent', async () => {
    await using seen = await inspected()
    const { page, inspector, errors } = seen
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Judge a client…' }).click()
    await page.getByLabel('Scenarios').selectOption('discovery')
    await page.getByRole('button', { name: 'Wait for the client' }).click()
    await page.locator('.scenarios li').first().waitFor()
    const [run] = inspector.lab.judging.views()
    const waiting = inspector.lab.judging.scenarios(run?.id ?? '')
    await shown(() => page.locator('.scenarios li').count()).toBe(waiting.length)
    expect(
      waiting.every(({ area, version, binding }) => `${area} ${version} ${binding}` === 'discovery 1.0 jsonrpc'),
    ).toBe(true)
    const scenario = waiting.find(({ id }) => id === 'discovery-well-known')
    if (scenario === undefined) throw new Error('there is such a scenario')
    using client = await A2AClient.connect(scenario.url)
    await client.sendMessage({ message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'hello' }] } })
    await page.locator('.scenarios li').filter({ hasText: '✓ 2 requests' }).waitFor()
    await page.getByRole('button', { name: 'Give the verdict' }).click()
    await page.locator('.judge .item').first().waitFor()
    await shown(() => page.locator('.report-head').textContent()).toContain('a client driven by hand')
    await shown(() => page.locator('.chip.pass').textContent()).toMatch(/passed\s*[1-9]/)
    await page.getByRole('button', { name: 'Save record' }).waitFor()
    // Nobody listens any more.
    await expect(fetch(scenario.url)).rejects.toThrow()
    expect(errors).toEqual([])
  })

  test('that asks nothing of A2A fails, with its request as evidence', async () => {
    await using seen = await inspected()
    const { page, inspector } = seen
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Judge a client…' }).click()
    await page.getByLabel('Scenarios').selectOption('discovery')
    await page.getByRole('button', { name: 'Wait for the client' }).click()
    await page.locator('.scenarios li').first().waitFor()
    const [run] = inspector.lab.judging.views()
    const [scenario] = inspector.lab.judging.scenarios(run?.id ?? '')
    await fetch(`${scenario?.url}/somewhere-else`)
    await page.getByRole('button', { name: 'Give the verdict' }).click()
    await page.locator('.chip.fail').waitFor()
    await page.locator('.judge .item button').first().click()
    await shown(() => page.locator('.exchange').first().textContent()).toContain('/somewhere-else')
  })
})

describe.skipIf(missing !== undefined)('the judge of the inspector', { timeout: 60_000 }, () => {
  afterAll(closeBrowser)

  test("judges what was opened, and not another agent's card in the root of the host", async () => {
    const other = await startScriptedServer((req, res) => {
      if (req.path !== '/.well-known/agent-card.json') return void res.writeHead(404).end()
      const url = `http://${req.headers.host}/other/rpc`
      const card = {
        ...{ name: 'Other Agent', description: 'Lives elsewhere.', version: '1', capabilities: {} },
        supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
        ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'], skills: [] },
      }
      res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(card))
    })
    await using seen = await inspected()
    const { page } = seen
    await page.getByLabel('Address').fill(`${other.url}/mine`)
    await page.locator('form.panel button[type=submit]').click()
    await page.getByText('No agent card was found').waitFor()
    await goTo(page, 'card')
    await page.getByRole('button', { name: 'See what was tried' }).waitFor()
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Only the basics' }).click()
    await page.getByRole('button', { name: 'Save record' }).waitFor()
    await shown(() => page.locator('.judge').textContent()).toContain('card')
    expect(await page.locator('.judge').textContent()).not.toContain('Other Agent')
    await other.close()
  })
})
