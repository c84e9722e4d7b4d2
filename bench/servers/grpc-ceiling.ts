// The ceiling of gRPC: bare node:http2 that reads the message and answers the bytes our server would, with the same headers and
// trailers. The messages of a stream are written one by one, as a stream has to.

import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { answerBenchmark } from './bench-server.ts'

let parts: Buffer[] = []

const HEAD = { ':status': 200, 'content-type': 'application/grpc+proto' }
const TRAILERS = { 'grpc-status': '0' }

const server = createServer()
server.on('stream', (stream) => {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  stream.on('end', () => {
    const body = Buffer.concat(chunks)
    if (body.readUInt32BE(1) !== body.length - 5) throw new Error('no message')
    stream.respond(HEAD, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(TRAILERS))
    const [first] = parts
    if (parts.length === 1) stream.end(first)
    else {
      for (const part of parts) stream.write(part)
      stream.end()
    }
  })
})
server.listen(0, '127.0.0.1', () => {
  answerBenchmark((server.address() as AddressInfo).port, (question) => {
    if (question.do === 'answer') parts = question.answer.parts.map((part) => Buffer.from(part, 'base64'))
  })
})
