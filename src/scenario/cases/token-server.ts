// The token server of a case: hands out the tokens the case lists, one after the other, to the client it names.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { readBody } from '../../net/body.ts'
import { createListener } from '../../net/http-listener.ts'
import type { WrittenAuth } from './case-shape.ts'

export interface TokenServer {
  readonly url: string
  readonly issued: number
  close(): Promise<void>
}

export async function startTokenServer(client: NonNullable<WrittenAuth['oauth2']>): Promise<TokenServer> {
  let issued = 0
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const form = new URLSearchParams((await readBody(req, 64 * 1024)).toString('utf8'))
    const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
    const isKnown = req.headers.authorization === `Basic ${basic}`
    const isRightGrant =
      form.get('grant_type') === 'client_credentials' && (form.get('scope') ?? undefined) === client.scope
    const token = client.tokens[Math.min(issued, client.tokens.length - 1)]
    if (isKnown && isRightGrant) issued++
    const body =
      isKnown && isRightGrant
        ? { access_token: token, token_type: 'Bearer', expires_in: client.expires_in ?? 3600 }
        : { error: isKnown ? 'invalid_request' : 'invalid_client' }
    res.writeHead(isKnown ? (isRightGrant ? 200 : 400) : 401, { 'Content-Type': 'application/json' })
    res.end(JSON.stringify(body))
  }
  const listener = createListener(answer)
  const { url } = await listener.listen({ port: 0 })
  return {
    url: `${url}/token`,
    get issued() {
      return issued
    },
    close: () => listener.close({ graceMs: 0 }),
  }
}
