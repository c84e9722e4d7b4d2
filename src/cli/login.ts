// Credentials as a card asks for them, from the flags of a command: which flow, where the tokens may come from and go to,
// and whether they are kept. Used by every command that talks to an agent.

import { type Command, Option } from 'commander'
import type { FlowName } from '../auth/oauth-endpoints.ts'
import type { SessionTokens } from '../auth/session-tokens.ts'
import { wantedCredentials } from '../auth/wanted-credentials.ts'
import { A2AClient, type ClientOptions, httpClientOf } from '../client/a2a-client.ts'
import { type LoginContext, loginTokens } from '../client/agent-login.ts'
import { reachForTarget } from '../client/agent-reach.ts'
import { type Discovery, discover } from '../discovery/discover.ts'
import { A2AError, EXIT, ParleyError } from '../model/errors.ts'
import { collect, httpUrl, usage } from './flag-values.ts'
import { defaultTokenFile, readTokens, writeTokens } from './token-file.ts'

export interface LoginFlags {
  clientId?: string
  clientSecret?: string
  scope?: string[]
  oauthFlow?: FlowName
  issuer?: string
  saveToken?: string | true
}

const FLOW_NAMES: readonly FlowName[] = ['client-credentials', 'authorization-code', 'device-code']

export function addLoginOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--client-id <id>', 'log in with OAuth 2.0 or OpenID Connect as this client, as the card asks').env(
        'PARLEY_CLIENT_ID',
      ),
    )
    .addOption(new Option('--client-secret <secret>', 'the secret of --client-id').env('PARLEY_CLIENT_SECRET'))
    .option('--scope <scope>', 'ask for this scope instead of what the card asks for; repeatable', collect(String))
    .addOption(new Option('--oauth-flow <flow>', 'how to log in, when the agent offers several').choices(FLOW_NAMES))
    .option('--issuer <url>', 'the OpenID Connect issuer, when the card names none or another', httpUrl('--issuer'))
    .option('--save-token [file]', 'keep the token for later runs, in a file only you can read')
}

/** Connects to the agent, with a token of its authorization server when a client is named. */
export async function connectAgent(
  agent: string,
  options: ClientOptions,
  flags: LoginFlags,
  tell: (line: string) => void,
): Promise<A2AClient> {
  checkFlags(flags)
  if (flags.clientId === undefined) return A2AClient.connect(agent, options)
  const http = httpClientOf({ ...(options.tls && { tls: options.tls }) }, reachForTarget(agent, options))
  const discovery = await discover(agent, { ...options, http })
  const tokens = await tokensFor(discovery, options, flags, { http, tell })
  return new A2AClient(discovery, { ...options, tokens })
}

/** Access tokens for a run that speaks for itself; undefined when no client is named. To be closed when it is over. */
export async function sessionTokens(
  agent: string,
  options: ClientOptions,
  flags: LoginFlags,
  tell: (line: string) => void,
): Promise<{ tokens: SessionTokens; close(): void } | undefined> {
  checkFlags(flags)
  if (flags.clientId === undefined) return undefined
  const http = httpClientOf({ ...(options.tls && { tls: options.tls }) }, reachForTarget(agent, options))
  try {
    const tokens = await tokensFor(await discover(agent, { ...options, http }), options, flags, { http, tell })
    // Whoever cannot log in learns it before the run begins.
    await tokens.token()
    return { tokens, close: () => http.close() }
  } catch (error) {
    http.close()
    throw error
  }
}

type CompletionContext = { http: ReturnType<typeof httpClientOf>; tell: (line: string) => void }

function tokensFor(
  discovery: Discovery,
  { allowOrigins }: ClientOptions,
  { clientId = '', clientSecret, scope, oauthFlow: flow, issuer, saveToken }: LoginFlags,
  { http, tell }: CompletionContext,
): Promise<SessionTokens> {
  const file = saveToken === true ? defaultTokenFile() : saveToken
  const kept = file === undefined ? undefined : keptIn(file, tell)
  const request = { clientId, clientSecret, scope, flow, issuer }
  return loginTokens(discovery, request, { http, tell, allowOrigins, kept })
}

function keptIn(file: string, tell: (line: string) => void): LoginContext['kept'] {
  return {
    read: (key) => readTokens(file, key),
    write(key, tokens) {
      writeTokens(file, key, tokens)
      tell(`The token is kept in ${file}.`)
    },
  }
}

function checkFlags({ clientId, clientSecret, scope, issuer, oauthFlow, saveToken }: LoginFlags): void {
  if (clientId !== undefined) return
  if (clientSecret !== undefined || scope !== undefined || issuer !== undefined || oauthFlow !== undefined)
    throw usage('--client-secret, --scope, --issuer and --oauth-flow need --client-id ID.')
  if (saveToken !== undefined) throw usage('--save-token keeps the token of a login; add --client-id ID.')
}

/** A refusal by an agent whose card is known says which scheme is missing, and the flag that brings it. */
export function withWanted(error: unknown, { raw }: Pick<Discovery, 'raw'>): unknown {
  if (!(error instanceof A2AError) || error.kind !== 'Unauthenticated') return error
  const { sentence, advice } = wantedCredentials(raw)
  return new ParleyError('Unauthenticated', `The agent answered Unauthenticated: ${error.message} ${sentence}`, {
    exitCode: EXIT.unauthenticated,
    hint: advice,
    cause: error,
  })
}
