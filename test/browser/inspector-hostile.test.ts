// What tries to get into the inspector, or to bring it down: agents whose every word is markup, a page of another origin,
// an agent that leaves in the middle of a stream, one that says ten thousand things a second.

import type { ServerResponse } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { type Received, type ScriptedServer, sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import { ACTIVE_ELEMENTS, ATTACKS, HIT, RUNNING_LINKS, SVG, TURNED_TEXTS, XSS } from './attacks.ts'
import { goTo, inspected, say } from './inspected.ts'
import { browser, closeBrowser, missing } from './shared-browser.ts'
import { shown } from './shown.ts'

function cardOf(origin: string, more: object = {}) {
  return {
    ...{ name: 'Hostile', description: 'x', version: '1', capabilities: { streaming: true } },
    supportedInterfaces: [{ url: `${origin}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: [{ id: 's', name: 'S', description: 'S', tags: ['s'] }],
    ...more,
  }
}

type Answer = (request: Received & { id: unknown; method: string }, res: ServerResponse) => void

/** An agent with this card that answers messages like this; other calls find no task. */
function agentWith(card: object, answer: Answer): Promise<ScriptedServer> {
  return startScriptedServer((req, res) => {
    if (req.path === '/.well-known/agent-card.json')
      return sendJson(res, 200, cardOf(`http://${req.headers.host}`, card))
    if (req.method !== 'POST') return void res.writeHead(404).end()
    const { id, method } = JSON.parse(req.body) as { id: unknown; method: string }
    if (method === 'SendStreamingMessage' || method === 'SendMessage') return answer({ ...req, id, method }, res)
    return sendJson(res, 200, { jsonrpc: '2.0', id, error: { code: -32001, message: XSS } })
  })
}

const frame = (id: unknown, result: object) => `data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`
const status = (state: string, text = '') => ({
  statusUpdate: {
    ...{ taskId: 't', contextId: 'c' },
    status: {
      state: `TASK_STATE_${state}`,
      ...(text === '' ? {} : { message: { messageId: 'm', role: 'ROLE_AGENT', parts: [{ text }] } }),
    },
  },
})

/** A card that tries to be more than text wherever a word may stand. */
const HOSTILE_CARD = {
  ...{
    name: XSS,
    description: XSS,
    version: XSS,
    documentationUrl: 'javascript:window.__hit=1',
    iconUrl: 'http://127.0.0.1:9/icon',
  },
  skills: [{ id: XSS, name: XSS, description: XSS, tags: [XSS] }],
  securitySchemes: { [XSS]: { apiKeySecurityScheme: { location: 'header', name: XSS } } },
  [XSS]: XSS,
}

/** Every kind of part, with words, names and links that would do something. */
const HOSTILE_PARTS = [
  ...ATTACKS.map((text) => ({ text })),
  { text: `# ${XSS}\n- ${XSS}\n\`\`\`\n${XSS}\n\`\`\`` },
  { text: `a,b\n${XSS},"${XSS}"`, mediaType: 'text/csv', filename: XSS },
  { data: { [XSS]: XSS } },
  { url: 'javascript:window.__hit=1', filename: XSS, mediaType: XSS },
  { url: 'http://127.0.0.1:9/tracker.png', mediaType: 'image/png' },
  { raw: Buffer.from(SVG).toString('base64'), filename: `${XSS}.svg`, mediaType: 'image/svg+xml' },
  { raw: 'bm90aGluZw==', filename: XSS, mediaType: XSS },
  {
    raw: Buffer.from('<script>window.__hit=1</script>').toString('base64'),
    mediaType: 'text/html',
    filename: 'a.html',
  },
]

function hostileAgent() {
  return agentWith(HOSTILE_CARD, ({ id }, res) => {
    res.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Attack': '<script>window.__hit=1</script>' })
    res.write(frame(id, { task: { id: XSS, contextId: XSS, status: { state: 'TASK_STATE_WORKING' } } }))
    const artifact = { artifactId: XSS, name: XSS, description: XSS, parts: HOSTILE_PARTS }
    res.write(frame(id, { artifactUpdate: { taskId: XSS, contextId: XSS, artifact } }))
    const message = { messageId: XSS, role: 'ROLE_AGENT', parts: HOSTILE_PARTS, taskId: XSS, contextId: XSS }
    res.write(
      frame(id, {
        statusUpdate: { taskId: XSS, contextId: XSS, status: { state: 'TASK_STATE_INPUT_REQUIRED', message } },
      }),
    )
    res.end()
  })
}

describe.skipIf(missing !== undefined)('the inspector holds', { timeout: 120_000 }, () => {
  afterAll(closeBrowser)

  test('nothing an agent says is more than text, in any view', async () => {
    const agent = await hostileAgent()
    await using seen = await inspected({ agent: agent.url })
    const { page, requests } = seen
    await say(page, XSS)
    await page.locator('.bubble.agent .artifact').waitFor()
    await page.locator('.wire-row').last().click()
    await page.locator('.frame-row').first().waitFor()
    await page.getByRole('tab', { name: 'HTTP' }).click()
    for (const view of ['card', 'tasks', 'wire', 'push', 'mock', 'judge', 'connect', 'talk']) {
      await goTo(page, view)
      expect({ view, isTurned: await page.evaluate(TURNED_TEXTS) }).toEqual({ view, isTurned: false })
    }
    await goTo(page, 'tasks')
    await page.getByLabel('Task id').fill(XSS)
    await page.getByRole('button', { name: 'Get', exact: true }).click()
    await page.getByRole('alert', { name: '' }).first().waitFor()
    await goTo(page, 'judge')
    await page.getByRole('button', { name: 'Only the basics' }).click()
    await page.locator('.judge .item').first().waitFor()
    expect(await page.evaluate(HIT)).toBeUndefined()
    for (const found of [RUNNING_LINKS, ACTIVE_ELEMENTS]) expect(await page.evaluate(found)).toBe(0)
    expect(requests).toEqual([])
    await agent.close()
  })

  test('a page of another origin can neither read nor do anything', async () => {
    const agent = await agentWith({}, ({ id }, res) => sendJson(res, 200, { jsonrpc: '2.0', id, result: {} }))
    await using seen = await inspected()
    const session = String(await seen.page.evaluate("sessionStorage.getItem('parley-session')"))
    const before = agent.received.length
    const evil = await startScriptedServer((_, res) => {
      res
        .writeHead(200, { 'Content-Type': 'text/html' })
        .end('<!doctype html><title>evil</title><iframe name="f"></iframe>')
    })
    const context = await (await browser()).newContext({})
    const page = await context.newPage()
    await page.goto(evil.url)
    const attack = `(async () => {
      const url = ${JSON.stringify(seen.url)}, session = ${JSON.stringify(session)}, target = ${JSON.stringify(agent.url)}
      const outcome = async (run) => { try { return await run() } catch (error) { return 'refused' } }
      const post = (init) => outcome(async () => (await fetch(url + '/api/connect', { method: 'POST', body: JSON.stringify({ target }), ...init })).status)
      const results = [
        await outcome(async () => (await fetch(url + '/api/state', { headers: { 'X-Parley-Session': session } })).status),
        await post({ headers: { 'Content-Type': 'application/json', 'X-Parley-Session': session } }),
        await post({ mode: 'no-cors', headers: { 'Content-Type': 'text/plain' } }),
        await outcome(async () => (await fetch(url + '/', { mode: 'no-cors' })).type),
      ]
      const form = Object.assign(document.createElement('form'), { method: 'POST', action: url + '/api/connect', target: 'f', enctype: 'text/plain' })
      form.append(Object.assign(document.createElement('input'), { name: '{"target":"' + target + '","x":"', value: '"}' }))
      document.body.append(form)
      form.submit()
      const script = document.createElement('script')
      script.src = url + '/inspector.js'
      const loaded = new Promise((resolve) => { script.onload = () => resolve('loaded'); script.onerror = () => resolve('refused') })
      document.body.append(script)
      results.push(await loaded)
      frames[0].location = url + '/'
      await new Promise((resolve) => setTimeout(resolve, 300))
      results.push(await outcome(async () => frames[0].document.title))
      return results
    })()`
    const results = (await page.evaluate(attack)) as unknown[]
    expect(results.slice(0, 2)).toEqual(['refused', 'refused'])
    expect(results.slice(4)).toEqual(['refused', 'refused'])
    expect(seen.inspector.lab.state().agents).toEqual([])
    expect(agent.received.length).toBe(before)
    await context.close()
    await evil.close()
    await agent.close()
  })

  test('an agent that leaves in the middle of a stream is told, and what it said stays', async () => {
    const agent = await agentWith({}, ({ id }, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.write(frame(id, { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } }))
      res.write(frame(id, status('WORKING', 'half way')))
      setImmediate(() => res.socket?.destroy())
    })
    await using seen = await inspected({ agent: agent.url })
    const { page } = seen
    await say(page, 'begin')
    await page.locator('.bubble.agent').filter({ hasText: 'half way' }).waitFor()
    await page.locator('.conversation .error-note').waitFor()
    await shown(() => page.locator('.conversation .error-note').textContent()).toMatch(/connection|ended/)
    await page.locator('.wire-row').last().click()
    await page.locator('.frame-row').first().waitFor()
    await agent.close()
  })

  test('an agent that says very much leaves the page usable', async () => {
    const total = 30_000
    const agent = await agentWith({}, ({ id }, res) => {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.write(frame(id, { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_SUBMITTED' } } }))
      let sent = 0
      const more = () => {
        let text = ''
        for (let at = 0; at < 500 && sent < total; at++) text += frame(id, status('WORKING', `step ${++sent}`))
        if (sent < total) {
          if (res.write(text)) setImmediate(more)
          else res.once('drain', more)
        } else res.end(text + frame(id, status('COMPLETED', 'all said')))
      }
      more()
    })
    await using seen = await inspected({ agent: agent.url })
    const { page } = seen
    const startedAt = performance.now()
    await say(page, 'begin')
    // Meanwhile the page answers.
    await goTo(page, 'card')
    await page.locator('.raw-column').waitFor()
    await goTo(page, 'talk')
    await page.locator('.bubble.agent').filter({ hasText: 'all said' }).waitFor({ timeout: 60_000 })
    console.log(`${total} events in ${Math.round(performance.now() - startedAt)} ms`)
    await shown(() => page.locator('.bubble.agent .meta').first().textContent()).toContain('30,002 events')
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1500)
    await page.locator('.wire-row').last().click()
    await page.locator('.frame-row').first().waitFor()
    expect(await page.evaluate("document.querySelectorAll('*').length")).toBeLessThan(1500)
    await agent.close()
  })
})
