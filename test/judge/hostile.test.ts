// Agents that want to hurt whoever calls them. The run ends, its memory stays bounded, and the verdict says
// in one sentence what the agent did. Each run is a process of its own, because its memory is what is measured.

import { readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, test } from 'vitest'
import { type ListeningPeer, listen } from '../peers/listen.ts'
import { startParleyProcess } from '../support/parley-process.ts'
import { startTinyAgent, type TinyAgent } from './tiny-agent.ts'

const MIB = 1024 * 1024
const MEMORY_LIMIT = 512 * MIB
const LOOK_EVERY_MS = 50

let peer: ListeningPeer | undefined
afterEach(() => peer?.close())

interface Ending {
  code: number | null
  text: string
  peakBytes: number
}

async function judge(start: Promise<ListeningPeer>): Promise<Ending> {
  peer = await start
  // A run that hangs takes until the test is stopped.
  const flags = ['--timeout', '1s', '--deadline', '8s', '--no-report', '--verbose']
  const child = startParleyProcess(['test', peer.url, ...flags])
  let peakBytes = 0
  const look = async () => {
    peakBytes = Math.max(peakBytes, await residentBytes(child.pid))
  }
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)
  const { code, stdout, stderr } = await child.finished
  clearInterval(timer)
  return { code, text: `${stdout}\n${stderr}`, peakBytes }
}

/** The high-water mark of the process, as the kernel keeps it. */
async function residentBytes(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) * 1024
}

function expectHarmless({ code, peakBytes }: Ending): void {
  expect(code).not.toBe(70)
  expect(code).not.toBe(0)
  expect(peakBytes).toBeGreaterThan(0)
  expect(peakBytes / MIB).toBeLessThan(MEMORY_LIMIT / MIB)
}

/** Writes for ever, as fast as the reader takes it. */
function pour(response: ServerResponse, chunk: string | Buffer, bytes = Number.POSITIVE_INFINITY): void {
  let written = 0
  const more = () => {
    while (written < bytes && !response.destroyed) {
      written += chunk.length
      if (!response.write(chunk)) {
        response.once('drain', more)
        return
      }
    }
    response.end()
  }
  more()
}

const onSend = (hurt: (response: ServerResponse, body: string) => void): TinyAgent => ({
  card: (card) => ({ ...card, capabilities: { streaming: true } }),
  intercept(_, response, body) {
    if (!body.includes('"parts"')) return false
    hurt(response, body)
    return true
  },
})

const everywhere = (hurt: (response: ServerResponse) => void) =>
  listen(() => (request, response) => {
    request.resume()
    hurt(response)
  })

const EVENT =
  'data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}}\n\n'

describe('the run survives', () => {
  const cases: [string, () => Promise<ListeningPeer>, RegExp][] = [
    [
      'an endless stream',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'text/event-stream' })
            pour(response, EVENT.repeat(100))
          }),
        ),
      /did not end|never ended|endless|within \d+|more than/i,
    ],
    [
      'one event that never ends',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'text/event-stream' })
            response.write('data: ')
            pour(response, 'x'.repeat(65_536))
          }),
        ),
      /more than \d+|too large|within \d+/i,
    ],
    [
      'a body of 1 GB',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json' })
            pour(response, Buffer.alloc(65_536, 0x20), 1024 * MIB)
          }),
        ),
      /sent more than 8388608 bytes/,
    ],
    [
      'a card of 100 MB',
      () =>
        everywhere((response) => {
          response.writeHead(200, { 'Content-Type': 'application/json' })
          response.write('{"name":"')
          pour(response, 'x'.repeat(65_536), 100 * MIB)
        }),
      /sent more than 8388608 bytes/,
    ],
    [
      'a redirect loop',
      () => everywhere((response) => response.writeHead(302, { Location: '/round/and/round' }).end()),
      /more than 5 redirects/,
    ],
    ['silence', () => everywhere(() => {}), /did not answer within 1000 ms/],
    [
      'a gzip bomb',
      () => {
        const bomb = gzipSync(Buffer.alloc(256 * MIB, 0x20))
        return startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(bomb)
          }),
        )
      },
      /sent more than 8388608 bytes/,
    ],
    [
      'a slow drip',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json' })
            const drip = setInterval(() => response.write(' '), 50)
            response.once('close', () => clearInterval(drip))
          }),
        ),
      /did not finish its answer within 1000 ms/,
    ],
    [
      'answers to other questions',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json' })
            response.end(
              '{"jsonrpc":"2.0","id":"not-yours","result":{"task":{"id":"t","status":{"state":"TASK_STATE_COMPLETED"}}}}',
            )
          }),
        ),
      /id/,
    ],
    [
      'a card with 100,000 skills',
      () =>
        startTinyAgent({
          card: (card) => ({ ...card, skills: Array.from({ length: 100_000 }, (_, at) => ({ id: at })) }),
        }),
      /has more than 50000 values/,
    ],
    [
      'a card with 10,000 interfaces',
      () =>
        startTinyAgent({
          card: (card) => {
            const [one] = card.supportedInterfaces as [object]
            return { ...card, supportedInterfaces: Array.from({ length: 10_000 }, () => one) }
          },
        }),
      /the card lists 10000 entries in supportedInterfaces; the first 50 are tested/,
    ],
    [
      'a card with very many wrong skills',
      () =>
        startTinyAgent({
          card: (card) => ({ ...card, skills: Array.from({ length: 5_000 }, (_, at) => ({ id: at })) }),
        }),
      /skills/,
    ],
    [
      'deeply nested JSON',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json' })
            response.end(`{"jsonrpc":"2.0","id":1,"result":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)}}`)
          }),
        ),
      /nested deeper than 500 levels/,
    ],
    [
      'a connection cut in the middle',
      () =>
        startTinyAgent(
          onSend((response) => {
            response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' })
            response.write('{"jsonrpc"', () => response.destroy())
          }),
        ),
      /closed|reset|broke/i,
    ],
  ]

  test.each(cases)(
    '%s',
    async (_, start, sentence) => {
      const ending = await judge(start())
      expectHarmless(ending)
      expect(ending.text).toMatch(sentence)
    },
    30_000,
  )
})
