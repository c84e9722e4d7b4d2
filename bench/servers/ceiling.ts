// The ceiling: bare node:http that reads and parses the body and answers the bytes our server would. Events are written one
// by one, as a stream has to.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerBenchmark, type CannedAnswer, nextTurn, released } from './bench-server.ts'

let canned: CannedAnswer = { headers: [], parts: [], isStream: false, isTurnwise: false }
const subscribers: ServerResponse[] = []

const server = createServer((req, res) => {
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => chunks.push(chunk))
  req.on('end', () => {
    const { method } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string }
    if (!canned.isStream) {
      const body = canned.parts.join('')
      res.writeHead(200, [...canned.headers, 'Content-Length', String(Buffer.byteLength(body))])
      res.end(body)
      return
    }
    res.writeHead(200, canned.headers)
    if (method === 'SubscribeToTask') {
      res.write(canned.parts[0])
      subscribers.push(res)
      res.on('close', () => subscribers.splice(subscribers.indexOf(res), 1))
      return
    }
    for (const frame of canned.parts) res.write(frame)
    res.end()
  })
})

async function fanOut(): Promise<void> {
  await released
  for (const frame of canned.parts.slice(1)) {
    if (canned.isTurnwise) await nextTurn()
    for (const res of subscribers) res.write(frame)
  }
}

void fanOut()
server.listen(0, '127.0.0.1', () => {
  answerBenchmark((server.address() as AddressInfo).port, (question) => {
    if (question.do === 'answer') canned = question.answer
  })
})
