// JSON-RPC 2.0 over HTTP (1.0 §9).

import type { Binding } from '../binding.ts'
import { unusableHttpUrl } from '../http-probe.ts'
import { JsonRpcClient } from './client.ts'
import { jsonRpcProbe } from './probe.ts'

export const jsonRpcBinding = {
  id: 'jsonrpc',
  cardName: 'JSONRPC',
  alsoNamed: [],
  title: 'JSON-RPC',
  registerName: 'jsonrpc',
  unusableUrl: unusableHttpUrl,
  describeEndpoint: (url) => url,
  settle: (url) => Promise.resolve(url),
  client: (options) => new JsonRpcClient(options),
  probe: jsonRpcProbe,
} satisfies Binding
