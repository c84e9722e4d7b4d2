// The token server of a case: hands out the tokens the case lists, one after the other, to the client it names.

import { createListener } from '../../net/serve/http-listener.ts'
import { nodeHandler } from '../../net/serve/node-handler.ts'
import { readBody } from '../../net/serve/read-body.ts'
import { jsonReply, type Reply } from '../../net/serve/reply.ts'
import type { ServerRequest } from '../../net/serve/request.ts'
import type { WrittenAuth } from './case-shape.ts'

export interface TokenServer {
  readonly url: string
  readonly issued: number
  close(): Promise<void>
}

export async function startTokenServer(client: NonNullable<WrittenAuth['oauth2']>): Promise<TokenServer> {
  let issued = 0
  const answer = async (request: ServerRequest): Promise<Reply> => {
    const form = new URLSearchParams((await readBody(request, 64 * 1024)).toString('utf8'))
    const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
    const isKnown = request.headers.authorization === `Basic ${basic}`
    const isRightGrant =
      form.get('grant_type') === 'client_credentials' && (form.get('scope') ?? undefined) === client.scope
    const token = client.tokens[Math.min(issued, client.tokens.length - 1)]
    if (isKnown && isRightGrant) issued++
    const body =
      isKnown && isRightGrant
        ? { access_token: token, token_type: 'Bearer', expires_in: client.expires_in ?? 3600 }
        : { error: isKnown ? 'invalid_request' : 'invalid_client' }
    return jsonReply(isKnown ? (isRightGrant ? 200 : 400) : 401, body)
  }
  const listener = createListener(nodeHandler(answer))
  const { url } = await listener.listen({ port: 0 })
  return {
    url: `${url}/token`,
    get issued() {
      return issued
    },
    close: () => listener.close({ graceMs: 0 }),
  }
}
