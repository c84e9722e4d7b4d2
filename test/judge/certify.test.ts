// The judge against a server it did not come with: the frame runs end to end on both bindings.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSdk1Server } from '../../interop/js-sdk-1/agent.ts'
import { certify, resultsOf } from '../../src/judge/index.ts'
import type { ListeningPeer } from '../peers/listen.ts'

describe('certify', () => {
  let peer: ListeningPeer

  beforeAll(async () => {
    peer = await startSdk1Server()
  })

  afterAll(() => peer.close())

  test('expands a check over the bindings the card declares', async () => {
    const report = await certify(peer.url, { only: ['get-task-unknown'], timeoutMs: 5_000 })
    expect(resultsOf(report).map(({ key, verdict }) => [key, verdict])).toEqual([
      ['get-task-unknown@1.0/jsonrpc', 'pass'],
      ['get-task-unknown@1.0/rest', 'pass'],
    ])
  })

  test('suggests the check that was meant', async () => {
    await expect(certify(peer.url, { only: ['get-task-unknwon'] })).rejects.toMatchObject({
      code: 'unknown-check',
      hint: expect.stringContaining("'get-task-unknown'"),
    })
  })

  test('stays in the read-only phases when asked', async () => {
    const report = await certify(peer.url, { only: ['get-task'], sideEffects: 'none', timeoutMs: 5_000 })
    expect(report.provenance.tasksCreated).toBe(0)
    expect(report.verdicts['not-measured']).toBeGreaterThan(0)
  })
})

describe('triage', () => {
  test('an unreachable agent gets one diagnosis', async () => {
    const report = await certify('http://127.0.0.1:9', { timeoutMs: 2_000 })
    expect(report.diagnosis?.code).toBe('unreachable')
    expect(report.exitCode).toBe(3)
    expect(resultsOf(report)).toEqual([])
  })
})
