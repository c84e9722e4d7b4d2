// A bare node:http relay before the server whose port is the first argument: what came in goes out again, byte for byte, over
// connections that stay open. It understands nothing and keeps nothing.

import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { answerBenchmark } from './bench-server.ts'

const port = Number(process.argv[2])
const agent = new Agent({ keepAlive: true })

const server = createServer((req, res) => {
  const { method, url: path, rawHeaders: headers } = req
  const upstream = request({ host: '127.0.0.1', port, method, path, headers, agent, setHost: false }, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.pipe(res)
  })
  upstream.on('error', () => res.destroy())
  req.pipe(upstream)
})
server.listen(0, '127.0.0.1', () => answerBenchmark((server.address() as AddressInfo).port))
