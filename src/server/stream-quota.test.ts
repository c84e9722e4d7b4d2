import { expect, test } from 'vitest'
import type { Service } from '../bindings/service.ts'
import { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import { StreamQuota, withStreamQuota } from './stream-quota.ts'

const alice = { subject: 'alice', tenant: '' }

test('a caller has so many streams, tenants apart, and a closed one may be had again, once', () => {
  const quota = new StreamQuota({ streams: 100, streamsPerCaller: 2 })
  const giveBack = quota.take(alice)
  quota.take(alice)
  expect(() => quota.take(alice)).toThrow(expect.objectContaining({ kind: 'ResourceExhausted' }))
  quota.take({ subject: 'alice', tenant: 'other' })
  giveBack()
  giveBack()
  quota.take(alice)
  expect(() => quota.take(alice)).toThrow(A2AError)
})

test('anonymous callers share only the total', () => {
  const quota = new StreamQuota({ streams: 3, streamsPerCaller: 1 })
  for (let n = 0; n < 3; n++) quota.take({ subject: ANONYMOUS, tenant: '' })
  expect(() => quota.take({ subject: ANONYMOUS, tenant: '' })).toThrow(A2AError)
  expect(() => quota.take(alice)).toThrow(A2AError)
})

test('a stream that could not be opened counts for nothing', async () => {
  const refusing = { stream: () => Promise.reject(new Error('no')) } as unknown as Service
  const service = withStreamQuota(refusing, new StreamQuota({ streams: 1, streamsPerCaller: 1 }))
  for (let n = 0; n < 3; n++)
    await expect(service.stream('subscribeTask', { id: 'x' }, alice as never)).rejects.toThrow('no')
})
