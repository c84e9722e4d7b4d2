// The one check of the control interface that no test on this machine alone can make with a real connection: who calls.

import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { expect, test } from 'vitest'
import { AdminApi } from './admin.ts'

async function answerTo(remoteAddress: string | undefined): Promise<number> {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: remoteAddress })
  Object.defineProperty(socket, 'localPort', { value: 4000 })
  const req = new IncomingMessage(socket)
  Object.assign(req, { method: 'GET', url: '/__parley/status' })
  req.headers = { host: '127.0.0.1:4000', authorization: 'Bearer token' }
  const res = new ServerResponse(req)
  const nobody = () => Promise.reject(new Error('nobody was to be asked'))
  const api = new AdminApi('token', { session: nobody, close: nobody, names: () => [] })
  await api.serve(req, res, '/__parley/status').catch(() => {})
  return res.statusCode
}

test.each(['192.0.2.7', '10.0.0.1', '::ffff:192.0.2.7', '2001:db8::1', undefined])(
  'a caller at %s is refused, whatever it says',
  async (address) => {
    expect(await answerTo(address)).toBe(403)
  },
)

test.each(['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1'])(
  'a caller at %s is on this machine',
  async (address) => {
    expect(await answerTo(address)).not.toBe(403)
  },
)
