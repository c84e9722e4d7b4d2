import { once } from 'node:events'
import { request } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { Webhook } from './webhook.ts'

let webhook: Webhook | undefined
afterEach(() => webhook?.close())

async function post(url: string): Promise<number> {
  return (await fetch(url, { method: 'POST', body: '{}' })).status
}

test('what comes to its own path is a delivery, with a query, too', async () => {
  webhook = await Webhook.open()
  expect([await post(webhook.url), await post(`${webhook.url}?each=1`)]).toEqual([200, 200])
  expect(webhook.deliveries.map(({ json }) => json)).toEqual([{}, {}])
})

test('callers of another program that had the port before are not the agent', async () => {
  webhook = await Webhook.open()
  expect([await post(new URL('/a3', webhook.url).href), await post(new URL('/', webhook.url).href)]).toEqual([404, 404])
  expect(webhook.deliveries).toEqual([])
})

test('a sender that leaves in the middle has delivered nothing', async () => {
  webhook = await Webhook.open()
  const leaving = request(webhook.url, { method: 'POST', headers: { 'Content-Length': '10' } })
  leaving.on('error', () => {})
  leaving.write('{')
  await once(leaving, 'socket')
  await new Promise((resolve) => leaving.socket?.once('connect', resolve))
  leaving.destroy()
  expect(await post(webhook.url)).toBe(200)
  expect(webhook.deliveries).toHaveLength(1)
})
