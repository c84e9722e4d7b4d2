import { connect } from 'node:http2'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { A2AClient } from '../client/a2a-client.ts'
import { type A2AServer, createServer, textOf } from '../server/index.ts'
import { logRequests } from './request-log.ts'

const CARD = {
  name: 'Echo',
  description: 'Says it again.',
  version: '1.0.0',
  capabilities: { streaming: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['test'] }],
}

let server: A2AServer
let url = ''
const lines: string[] = []
let onLine: () => void = () => {}
const stop = logRequests({
  err: (text) => {
    lines.push(text.replace(/\d+ ms/, '# ms').trimEnd())
    onLine()
  },
})

/** The line that holds this, as soon as it is there. */
async function logged(part: string): Promise<string> {
  for (;;) {
    const found = lines.find((line) => line.includes(part))
    if (found !== undefined) return found
    await new Promise<void>((resolve) => (onLine = resolve))
  }
}

beforeAll(async () => {
  server = createServer({
    card: CARD,
    grpc: true,
    async agent(message, context) {
      await context.status('TASK_STATE_WORKING')
      if (textOf(message) === 'hang') await context.sleep(60_000)
      await context.complete()
    },
  })
  ;({ url } = await server.listen())
})

afterAll(async () => {
  stop()
  await server.close({ graceMs: 0 })
})

test('every request has its line, on each binding, with how it ended', async () => {
  const said = (text: string) => ({ message: { messageId: text, role: 'ROLE_USER' as const, parts: [{ text }] } })
  const port = server.grpc[0]?.port
  const service = `gRPC :${port}/lf.a2a.v1.A2AService`
  using client = await A2AClient.connect(url, { transports: ['grpc'] })
  expect(await logged('GET /')).toMatch(/^GET \/\.well-known\/agent-card\.json .*→ 200, # ms$/)
  await client.sendMessage(said('hello'))
  expect(await logged('/SendMessage')).toBe(`${service}/SendMessage (A2A 1.0) → OK, # ms`)
  await expect(client.getTask({ id: 'nobody' })).rejects.toThrow()
  expect(await logged('/GetTask')).toBe(`${service}/GetTask (A2A 1.0) → NOT_FOUND, # ms`)
  for await (const { event } of client.streamMessage(said('hang'))) if ('statusUpdate' in event) break
  expect(await logged('/SendStreaming')).toBe(`${service}/SendStreamingMessage (A2A 1.0) → the caller left after # ms`)
  const session = connect(`http://127.0.0.1:${port}`)
  session.request({ ':path': '/favicon.ico' }).resume()
  expect(await logged('favicon')).toBe(`gRPC :${port}/favicon.ico → 405, # ms`)
  session.destroy()
})
