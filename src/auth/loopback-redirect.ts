// The end of a login in the browser (RFC 8252 §7.3): a listener on this machine that waits for one redirect with the code.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { EXIT, ParleyError } from '../model/errors.ts'
import { createListener } from '../net/serve/http-listener.ts'

export interface LoopbackRedirect {
  readonly url: string
  /** The code the authorization server sends with `state`; rejects when it says no. */
  code(state: string): Promise<string>
  close(): Promise<void>
}

const PATH = '/callback'

export async function openLoopbackRedirect(): Promise<LoopbackRedirect> {
  const arrived = Promise.withResolvers<URLSearchParams>()
  const listener = createListener((req: IncomingMessage, res: ServerResponse) => {
    const url = new URL(req.url ?? '/', 'http://127.0.0.1')
    if (req.method !== 'GET' || url.pathname !== PATH) return void res.writeHead(404).end()
    res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' })
    res.end('Done. You can close this window and go back to the terminal.\n')
    arrived.resolve(url.searchParams)
  })
  const { url } = await listener.listen({ port: 0, host: '127.0.0.1' })
  return {
    url: url + PATH,
    async code(state) {
      const said = await arrived.promise
      // A redirect of another login must not become our login (RFC 6749 §10.12).
      if (said.get('state') !== state) throw refused('the answer does not belong to this login')
      const code = said.get('code')
      if (code === null) throw refused((said.get('error') ?? 'no code came back').slice(0, 100))
      return code
    },
    close: () => listener.close({ graceMs: 100 }),
  }
}

function refused(why: string): ParleyError {
  return new ParleyError('login-refused', `The login was not completed: ${why.replaceAll(/[^\x20-\x7e]/g, '?')}.`, {
    exitCode: EXIT.unauthenticated,
  })
}
