// The access token of an agent, as its card asks for it: which authorization server, which flow, and whom the client's
// secret may be shown to. For every command, and for the inspector.

import { connectionSentence } from '../auth/connection-sentence.ts'
import type { FlowOptions } from '../auth/flows.ts'
import { chooseFlow, endpointsOf, type FlowName } from '../auth/oauth-endpoints.ts'
import { SessionTokens } from '../auth/session-tokens.ts'
import type { Tokens } from '../auth/token-endpoint.ts'
import { originOf } from '../discovery/credentials.ts'
import type { Discovery } from '../discovery/discover.ts'
import { EXIT, ParleyError } from '../model/errors.ts'

export interface LoginOptions {
  clientId: string
  clientSecret?: string | undefined
  /** Instead of what the card asks for. */
  scope?: readonly string[] | undefined
  flow?: FlowName | undefined
  issuer?: string | undefined
}

export interface LoginContext extends Pick<FlowOptions, 'http' | 'tell' | 'prompt' | 'redirect' | 'signal'> {
  /** Origins the user named, besides the agent's own. */
  allowOrigins?: readonly string[] | undefined
  /** Tokens of earlier runs, by token server, client and scope. */
  kept?: { read(key: string): Tokens | undefined; write(key: string, tokens: Tokens): void } | undefined
  onTokens?(tokens: Tokens): void
}

export async function loginTokens(
  { card, origin }: Pick<Discovery, 'card' | 'origin'>,
  { clientId, clientSecret, issuer, flow: wanted, scope: asked }: LoginOptions,
  { allowOrigins = [], kept, onTokens, ...flowOptions }: LoginContext,
): Promise<SessionTokens> {
  if (card === undefined)
    throw new ParleyError('unreadable-card', 'The card cannot be read, so it does not say where to log in.', {
      exitCode: EXIT.unauthenticated,
      hint: 'Give an access token with --bearer TOKEN.',
    })
  const { http } = flowOptions
  const offered = await endpointsOf(card, { http, issuer }).catch((error: unknown) => {
    throw connectionSentence(error, 'The authorization server')
  })
  if (offered.length === 0)
    throw new ParleyError('no-login', 'The card asks for no OAuth 2.0 or OpenID Connect login.', {
      exitCode: EXIT.unauthenticated,
      hint: 'Leave out --client-id, or name the server with --issuer URL.',
    })
  const { flow, endpoints } = chooseFlow(offered, { flow: wanted, hasSecret: clientSecret !== undefined })
  const scope = (asked ?? endpoints.scopes).join(' ')
  const trusted = [origin, issuer, ...allowOrigins].flatMap((url) => (url ? [originOf(url)] : []))
  const key = `${endpoints.tokenUrl} ${clientId} ${scope}`
  return new SessionTokens({
    ...{ ...flowOptions, endpoints, flow, trusted: new Set(trusted) },
    client: { clientId, ...(clientSecret === undefined ? {} : { clientSecret }) },
    scope: scope === '' ? undefined : scope,
    before: kept?.read(key),
    onTokens(tokens) {
      kept?.write(key, tokens)
      onTokens?.(tokens)
    },
  })
}
