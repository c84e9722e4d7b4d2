import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { credentialsFor } from './downstream-credentials.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

async function tokenServer(answer: (count: number) => { status: number; body: string }) {
  let count = 0
  const server = createServer((req, res) => {
    req.resume().on('end', () => {
      const { status, body } = answer(++count)
      res.writeHead(status, { 'Content-Type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  stops.push(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, count: () => count }
}

const client = (tokenUrl: string) => ({ is: 'oauth2', tokenUrl, clientId: 'me', clientSecret: 's3cret' }) as const

test('a token is fetched once for many, kept, and replaced before it expires', async () => {
  let now = 0
  const server = await tokenServer((count) => ({
    status: 200,
    body: JSON.stringify({ access_token: `t${count}`, expires_in: 100 }),
  }))
  const secrets: string[] = []
  const source = credentialsFor(client(server.url), { now: () => now, onSecret: (secret) => void secrets.push(secret) })
  stops.push(() => source.close())
  const first = await Promise.all([source.headers(), source.headers(), source.headers()])
  expect(first).toEqual([1, 2, 3].map(() => [['Authorization', 'Bearer t1']]))
  now = 74_000
  await source.headers()
  expect(server.count()).toBe(1)
  now = 75_000
  expect(await source.headers()).toEqual([['Authorization', 'Bearer t2']])
  expect(secrets).toEqual(['s3cret', 't1', 't2'])
})

test('a refused token is thrown away once, however many were refused with it', async () => {
  const server = await tokenServer((count) => ({ status: 200, body: JSON.stringify({ access_token: `t${count}` }) }))
  const source = credentialsFor(client(server.url))
  stops.push(() => source.close())
  const old = await source.headers()
  source.refused(old)
  const next = await source.headers()
  source.refused(old)
  expect(await source.headers()).toBe(next)
  expect(server.count()).toBe(2)
})

test.each([
  [500, 'oops', 'it answered HTTP 500'],
  [400, '{"error":"invalid_scope"}', 'it answered HTTP 400 (invalid_scope)'],
  [200, '{}', 'it answered HTTP 200'],
])('a token server that answers %i %s is named', async (status, body, message) => {
  const server = await tokenServer(() => ({ status, body }))
  const source = credentialsFor(client(server.url))
  stops.push(() => source.close())
  await expect(source.headers()).rejects.toMatchObject({
    kind: 'Unavailable',
    message: expect.stringContaining(message),
  })
  // The failure is not kept: the next call tries again.
  await expect(source.headers()).rejects.toThrow()
  expect(server.count()).toBe(2)
})
