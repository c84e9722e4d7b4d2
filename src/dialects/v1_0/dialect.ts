// A2A 1.0: the generation the model is shaped after.

import { mayFollow } from '../../model/state-machine.ts'
import type { Dialect } from '../dialect.ts'
import { cardCodec } from './card.ts'
import { jsonRpcCodec } from './codec.ts'
import { errors } from './errors.ts'
import { EXPECTATIONS } from './expectations.ts'
import { GRPC, grpcCodec } from './grpc-codec.ts'
import { METHODS } from './methods.ts'
import { pushRules } from './push-rules.ts'
import { restCodec } from './rest-codec.ts'
import { ROUTES } from './routes.ts'
import { MESSAGES } from './schema/operations.ts'
import { endsStream } from './states.ts'

export const v1_0: Dialect<'1.0'> = {
  id: '1.0',
  versions: ['1.0'],
  isServedByDefault: true,
  versionHeader: '1.0',
  cardVersion: '1.0',
  extensionHeaders: ['A2A-Extensions'],
  has: () => true,
  methods: METHODS,
  routes: ROUTES,
  grpc: GRPC,
  codecs: { jsonrpc: jsonRpcCodec, rest: restCodec, grpc: grpcCodec },
  messages: MESSAGES,
  card: cardCodec,
  push: pushRules,
  expects: EXPECTATIONS,
  errors,
  // application/a2a+json came with 1.0.1 (§11.1); 1.0.0 said application/json.
  mediaType: (revision) => (revision === '1.0.0' ? 'application/json' : 'application/a2a+json'),
  eventName: () => undefined,
  streamsBeginWithTask: true,
  hasDirectReplies: true,
  endsStream,
  waitsByDefault: true,
  mayFollow,
}
