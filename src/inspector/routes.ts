// The API of the page, one row per request: reads are GET and change nothing, everything that does something is POST.
// docs/inspector.md lists it.

import type { JsonObject } from '../model/json.ts'
import * as asked from './asked.ts'
import type { Lab } from './lab.ts'
import { FILE_ROUTES, JUDGE_ROUTES, MOCK_ROUTES, PUSH_ROUTES } from './more-routes.ts'
import { resend } from './resend.ts'
import { TASK_ROUTES } from './task-routes.ts'

export interface RouteCall {
  readonly lab: Lab
  /** The part of the path after the route's name. */
  readonly item: string
  readonly body: JsonObject
  /** A body that is no JSON but a piece of a file. */
  readonly bytes: Buffer
  readonly signal: AbortSignal
}

export type Route = (call: RouteCall) => unknown

/** Those whose body is a piece of a file as it is. */
export const BYTE_ROUTES: ReadonlySet<string> = new Set(['POST add-recording'])

export const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['GET state', ({ lab }) => lab.state()],
  ['GET fleet', ({ lab }) => lab.fleet()],
  [
    'POST connect',
    ({ lab, body }) => {
      const target = asked.text(body, 'target')
      return { agent: lab.open(target, asked.authForm(body), asked.texts(body, 'allowOrigins')).id }
    },
  ],
  [
    'POST reconnect',
    ({ lab, body }) => {
      const { request } = lab.agent(asked.text(body, 'agent'))
      lab.closeAgent(request.id)
      const allowOrigins = [...request.allowOrigins, ...asked.texts(body, 'allowOrigins')]
      const auth = body.auth === undefined ? request.auth : asked.authForm(body)
      return { agent: lab.open(request.target, auth, allowOrigins, request.standing).id }
    },
  ],
  ['POST disconnect', ({ lab, body }) => lab.closeAgent(asked.text(body, 'agent'))],
  ['POST extended-card', ({ lab, body }) => lab.agent(asked.text(body, 'agent')).extendedCard()],
  [
    'POST send',
    ({ lab, body }) => ({
      turn: lab.conversations.send(lab.agent(asked.text(body, 'agent')), asked.messageForm(body)),
    }),
  ],
  ['POST stop', ({ lab, body }) => lab.conversations.stop(asked.text(body, 'turn'))],
  [
    'GET wire',
    ({ lab, item }) => {
      const detail = lab.wire.detail(item)
      if (detail === undefined) throw asked.badRequest('This exchange is no longer kept; the oldest are dropped first.')
      return detail
    },
  ],
  ['POST resend', ({ lab, body }) => resend(lab, body)],
  ...TASK_ROUTES,
  ...PUSH_ROUTES,
  ...JUDGE_ROUTES,
  ...MOCK_ROUTES,
  ...FILE_ROUTES,
])
