// The `tasks/send` generation (0.1.0 and the drafts before it): the client names the task, everything is a task.

import type { Dialect } from '../dialect.ts'
import { endsStream } from '../older-shapes.ts'
import { cardCodec } from './card.ts'
import { jsonRpcCodec } from './codec.ts'
import { errorCodec } from './errors.ts'
import { EXPECTATIONS } from './expectations.ts'
import { METHODS } from './methods.ts'
import { pushRules } from './push-rules.ts'
import { ROUTES } from './routes.ts'
import { MESSAGES } from './schema/operations.ts'
import { mayFollow } from './states.ts'
import { withStatusHistory } from './status-history.ts'

export const v0_1: Dialect<'0.1'> = {
  id: '0.1',
  versions: ['0.1'],
  isServedByDefault: false,
  versionHeader: undefined,
  cardVersion: '0.1',
  extensionHeaders: [],
  has: (op) => op === 'getCard' || METHODS[op] !== undefined,
  methods: METHODS,
  routes: ROUTES,
  grpc: undefined,
  codecs: { jsonrpc: jsonRpcCodec, rest: undefined, grpc: undefined },
  messages: MESSAGES,
  card: cardCodec,
  push: pushRules,
  expects: EXPECTATIONS,
  errors: () => errorCodec,
  mediaType: () => 'application/json',
  eventName: (event) => ('artifactUpdate' in event ? 'artifact' : 'status'),
  streamsBeginWithTask: false,
  hasDirectReplies: false,
  withStatusHistory,
  endsStream,
  // `tasks/send` answered with the task as it stood; clients then polled or cancelled it.
  waitsByDefault: false,
  mayFollow,
}
