// The proxy before the server whose port is the first argument.

import { createProxy } from '../../src/proxy/proxy.ts'
import { answerBenchmark } from './bench-server.ts'

const proxy = createProxy({ agents: [{ name: 'e', url: `http://127.0.0.1:${process.argv[2]}` }] })
const { port } = await proxy.listen()
await proxy.readiness()
answerBenchmark(port)
