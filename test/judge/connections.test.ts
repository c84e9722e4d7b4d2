// Connections an agent closes without saying so, as many servers do after an exception: the next check must not pay
// for it, and what was asked twice is told.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { type ConformanceReport, certify, resultsOf } from '../../src/judge/index.ts'
import { startTinyAgent } from './tiny-agent.ts'

/** Ends every connection that brings a request after `isLast` has been true of one, without an answer. */
function closingAfter(isLast: (request: IncomingMessage, body: string) => boolean) {
  const used = new WeakSet<IncomingMessage['socket']>()
  const lost: string[] = []
  return {
    lost,
    mustEnd(request: IncomingMessage, body: string): boolean {
      if (used.has(request.socket)) {
        lost.push(methodOf(body) ?? request.method ?? '')
        request.socket.destroy()
        return true
      }
      if (isLast(request, body)) used.add(request.socket)
      return false
    },
  }
}

function methodOf(body: string): string | undefined {
  return /"method":"([^"]*)"/.exec(body)?.[1]
}

const isUnknown = (body: string) => !/"method":"(SendMessage|GetTask)"/.test(body)

function fail(response: ServerResponse): true {
  response.writeHead(500, { 'Content-Type': 'text/plain' }).end('Internal Server Error')
  return true
}

const verdictsOf = (report: ConformanceReport) =>
  Object.fromEntries(resultsOf(report).map(({ key, verdict }) => [key, verdict]))

test('nothing is sent on a connection that brought a 500', async () => {
  const closing = closingAfter((request, body) => request.method === 'POST' && isUnknown(body))
  const agent = await startTinyAgent({
    intercept: (request, response, body) =>
      closing.mustEnd(request, body) || (request.method === 'POST' && isUnknown(body) && fail(response)),
  })
  const report = await certify(agent.url, { timeoutMs: 5_000 })
  await agent.close()
  expect(report.verdicts.fail).toBeGreaterThan(0)
  expect(closing.lost).toEqual([])
  for (const result of resultsOf(report)) expect(result.message ?? '').not.toContain('closed the connection')
})

test('an agent that keeps no connection is judged like one that does, and says which requests went out twice', async () => {
  const plain = await startTinyAgent()
  const closing = closingAfter(() => true)
  const agent = await startTinyAgent({ intercept: (request, _, body) => closing.mustEnd(request, body) })
  const only = ['get-task', 'send', 'errors-jsonrpc']
  const expected = await certify(plain.url, { only, timeoutMs: 5_000, concurrency: 1 })
  const report = await certify(agent.url, { only, timeoutMs: 5_000, concurrency: 1 })
  await Promise.all([plain.close(), agent.close()])
  expect(new Set(closing.lost)).toEqual(new Set(['GetTask']))
  expect(verdictsOf(report)).toEqual(verdictsOf(expected))
  const notes = resultsOf(report).flatMap((result) => result.notes ?? [])
  expect(notes).toContainEqual(expect.stringMatching(/^POST .* was sent again: .* without a byte of an answer/))
})
