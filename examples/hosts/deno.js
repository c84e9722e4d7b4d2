// An agent on Deno: `deno run --allow-net --allow-env --allow-read --allow-sys examples/hosts/deno.js`.

import process from 'node:process'
import { createFetchHandler } from 'a2a-parley/fetch'
import { greeter } from './greeter.ts'

const agent = createFetchHandler(greeter)
const web = Deno.serve(
  {
    port: Number(process.env.PORT ?? 0),
    hostname: '127.0.0.1',
    onListen: ({ port }) => console.log(`Listening on http://127.0.0.1:${port}`),
  },
  (request, { remoteAddr }) => agent(request, { peer: { address: remoteAddr.hostname } }),
)
Deno.addSignalListener('SIGTERM', () => void agent.close().then(() => web.shutdown()))
