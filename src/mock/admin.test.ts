// The one check of the control interface that no test on this machine alone can make with a real connection: who calls.

import { expect, test } from 'vitest'
import { knownBody, type ServerRequest } from '../net/serve/request.ts'
import { AdminApi } from './admin.ts'

async function answerTo(address: string | undefined): Promise<number> {
  const request: ServerRequest = {
    ...{ method: 'GET', url: '/__parley/status', path: '/__parley/status', query: '', rawHeaders: [] },
    headers: { host: '127.0.0.1:4000', authorization: 'Bearer token' },
    ...{ peer: { address }, origin: 'http://127.0.0.1:4000' },
    ...{ signal: new AbortController().signal, body: knownBody(Buffer.alloc(0)), onClose: () => {} },
  }
  const nobody = () => Promise.reject(new Error('nobody was to be asked'))
  const api = new AdminApi('token', { session: nobody, close: nobody, names: () => [] })
  const reply = await api.answer(request).catch(() => undefined)
  return reply?.status ?? 0
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
