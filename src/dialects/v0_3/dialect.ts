// A2A 0.3, which also reads and serves 0.2.x: `message/send`, objects tagged with `kind`.

import { mayFollow } from '../../model/state-machine.ts'
import type { Dialect } from '../dialect.ts'
import { endsStream } from '../older-shapes.ts'
import { cardCodec } from './card.ts'
import { jsonRpcCodec } from './codec.ts'
import { errorCodec } from './errors.ts'
import { EXPECTATIONS } from './expectations.ts'
import { GRPC, grpcCodec } from './grpc-codec.ts'
import { METHODS } from './methods.ts'
import { pushRules } from './push-rules.ts'
import { restCodec } from './rest-codec.ts'
import { ROUTES } from './routes.ts'
import { MESSAGES } from './schema/operations.ts'

export const v0_3: Dialect<'0.3'> = {
  id: '0.3',
  // 0.2 and 0.3 share their wire format (0.3 added members, not shapes).
  versions: ['0.3', '0.2'],
  isServedByDefault: true,
  // 0.3 defined no version header; servers of 1.0 read a missing one as 0.3 (1.0 §3.6.2).
  versionHeader: undefined,
  cardVersion: '0.3.0',
  extensionHeaders: ['X-A2A-Extensions', 'A2A-Extensions'],
  has: (op) => op === 'getCard' || METHODS[op] !== undefined,
  methods: METHODS,
  routes: ROUTES,
  grpc: GRPC,
  codecs: { jsonrpc: jsonRpcCodec, rest: restCodec, grpc: grpcCodec },
  messages: MESSAGES,
  card: cardCodec,
  push: pushRules,
  expects: EXPECTATIONS,
  errors: () => errorCodec,
  mediaType: () => 'application/json',
  eventName: () => undefined,
  // 0.3 fixes no first event; the Task first is what its proto asks for and what 1.0 made the rule.
  streamsBeginWithTask: true,
  hasDirectReplies: true,
  endsStream,
  // 0.3 leaves an absent `blocking` to the server, and the official servers wait.
  waitsByDefault: true,
  mayFollow,
}
