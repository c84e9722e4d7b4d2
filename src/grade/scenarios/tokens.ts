// Whether a client gets itself a token from the authorization server that a card names, and what it does when the agent
// refuses it (1.0 §7.2, §7.3; RFC 6749 §4.4, RFC 6750 §3.1).

import type { JsonObject } from '../../model/json.ts'
import type { Call } from '../call.ts'
import type { Evidence } from '../evidence.ts'
import { ALL_1, type Scenario, type World } from '../scenario.ts'
import type { Stage } from '../stage.ts'
import { text } from '../wire-replies.ts'
import { carries } from './security.ts'

const CLIENT = { clientId: 'canary-client', clientSecret: 'canary-secret-3e91' }
const TOKEN_PATH = '/token'

const logsIn = () => ({ do: 'send' as const, text: 'hello', oauth: CLIENT })

const protectedBy = (card: JsonObject, stage: Stage): JsonObject => {
  const clientCredentials = { tokenUrl: `${stage.origin}${TOKEN_PATH}`, scopes: { 'agent.read': 'Read.' } }
  return {
    ...card,
    securitySchemes: { login: { oauth2SecurityScheme: { flows: { clientCredentials } } } },
    securityRequirements: [{ schemes: { login: { list: ['agent.read'] } } }],
  }
}

const isTokenCall = ({ path }: Call): boolean => path === TOKEN_PATH

/** The number of the token that a call carries; 0 without one. */
const tokenIn = ({ headers }: Call): number =>
  Number(/^Bearer canary-token-(\d+)$/.exec(headers.authorization ?? '')?.[1] ?? 0)

const refusal = (status: 401 | 403, challenge: string) =>
  text(status, 'application/json', `{"error":{"code":${status},"message":"not with this token"}}`, [
    'WWW-Authenticate',
    `Bearer ${challenge}`,
  ])

/** Gives out a token each time it is asked; the agent says which of them it takes. */
function issuing(answer: (token: number, issued: number, next: () => ReturnType<Answer>) => ReturnType<Answer>): World {
  let issued = 0
  return {
    card: protectedBy,
    answer: (call, next) => {
      if (call.isCard) return next()
      if (!isTokenCall(call)) return answer(tokenIn(call), issued, next)
      const token = { access_token: `canary-token-${++issued}`, token_type: 'Bearer', expires_in: 3_600 }
      return text(200, 'application/json', JSON.stringify(token))
    },
  }
}

type Answer = NonNullable<World['answer']>

/** What was given out before the first refusal has ended meanwhile; what came after it is taken. */
function endingTokens(): World {
  let before: number | undefined
  return issuing((token, issued, next) => {
    if (before !== undefined && token > before) return next()
    before ??= issued
    return refusal(401, 'error="invalid_token"')
  })
}

function tokenCalls(e: Evidence): Call[] {
  const calls = e.calls.filter(isTokenCall)
  e.need(calls.length > 0, 'the client cannot be told to get a token itself')
  return calls
}

/** By header, or in the form (RFC 6749 §2.3.1). */
function isAuthenticated({ headers, body }: Call): boolean {
  const { clientId, clientSecret } = CLIENT
  const form = new URLSearchParams(body)
  const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
  if (headers.authorization === `Basic ${basic}`) return true
  return form.get('client_id') === clientId && form.get('client_secret') === clientSecret
}

export const tokens: readonly Scenario[] = [
  {
    id: 'security-token',
    area: 'security',
    about: 'The card names a token server; the agent answers 401 until it gets a token that was made after that.',
    on: ALL_1,
    intent: logsIn,
    world: endingTokens,
    claims: [
      {
        id: 'client-asks-for-token',
        title: 'MUST ask the token server of the card by client credentials',
        proves: ['client-credentials-every-request'],
        fix: 'POST a form with grant_type=client_credentials to tokenUrl, and authenticate as RFC 6749 §2.3.1 has it.',
        judge(e) {
          const [call] = tokenCalls(e) as [Call, ...Call[]]
          e.expect(call.method === 'POST', `the client sent ${call.method} to the token server`, call)
          const type = call.headers['content-type'] ?? ''
          e.expect(type.startsWith('application/x-www-form-urlencoded'), `the Content-Type is "${type}"`, call)
          const grant = new URLSearchParams(call.body).get('grant_type')
          e.expect(grant === 'client_credentials', `grant_type is ${JSON.stringify(grant)}`, call)
          e.expect(isAuthenticated(call), 'the client does not say who it is', call)
        },
      },
      {
        id: 'client-renews-token',
        title: 'SHOULD get a new token after 401 and try once more',
        proves: ['client-credentials-every-request', 'client-rest-errors'],
        fix: 'On 401 with WWW-Authenticate fetch a token and repeat the call with it, once.',
        judge(e) {
          tokenCalls(e)
          e.need(
            e.asked.some((call) => !isTokenCall(call)),
            'the client called nothing but the token server',
          )
          e.expect(
            e.sent.some((call) => tokenIn(call) > 0),
            'the client does not send the token that it got',
            e.sent[0],
          )
          e.expect(e.sent.length > 1, 'the client gave up at 401', e.sent[0])
          e.expectSuccess()
        },
      },
      {
        id: 'client-secret-to-token-server',
        title: 'MUST NOT send its secret anywhere but to the token server',
        proves: ['client-credentials-encrypted'],
        fix: 'The agent gets the token; the secret of the client stays between it and the token server.',
        judge(e) {
          tokenCalls(e)
          const leak = e.calls.find((call) => !isTokenCall(call) && carries(call, CLIENT.clientSecret))
          e.expect(leak === undefined, `${leak?.label} carries the secret of the client`, leak)
          const { stdout, stderr } = e.exit
          e.expect(!`${stdout}${stderr}`.includes(CLIENT.clientSecret), 'the output of the client contains its secret')
        },
      },
    ],
  },
  {
    id: 'security-token-scope',
    area: 'security',
    about: 'Whatever token the client gets: the agent answers 403, because it lacks a scope.',
    on: ALL_1,
    intent: logsIn,
    world: () => issuing(() => refusal(403, 'error="insufficient_scope", scope="agent.admin"')),
    claims: [
      {
        id: 'client-scope-is-final',
        title: 'MUST NOT ask for tokens again and again when they lack a scope',
        proves: ['client-rest-errors', 'client-jsonrpc-error-handling'],
        fix: 'Ask once for the scope that WWW-Authenticate names, or report it; the same token will be refused again.',
        judge(e) {
          const calls = tokenCalls(e)
          e.expectNoSuccess('the agent answered 403')
          e.expect(calls.length <= 2, `the client asked for ${calls.length} tokens`, calls.at(-1))
        },
      },
    ],
  },
]
