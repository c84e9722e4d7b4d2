// Webhooks of 1.0: several configurations a task, each delivery one StreamResponse (§4.3.3).

import { isJsonObject } from '../../model/json.ts'
import type { PushRules } from '../dialect.ts'
import { asWritten } from './codec.ts'
import { schemas } from './schema/schemas.ts'

const MEMBERS = [
  ['task', 'task'],
  ['message', 'message'],
  ['statusUpdate', 'status'],
  ['artifactUpdate', 'artifact'],
] as const

export const pushRules: PushRules = {
  configId: () => crypto.randomUUID(),
  requiresHttps: false,
  retryPausesMs: undefined,
  wants: () => true,
  sendsWholeTask: false,
  encodeBody: (event) => asWritten(event).wire,
  readBody(body) {
    for (const [member, kind] of MEMBERS) {
      const subject = body[member]
      if (isJsonObject(subject)) return { kind, subject, issues: schemas.validate('StreamResponse', body) }
    }
    return undefined
  },
  authorization: ({ authentication }) =>
    authentication?.credentials ? `${authentication.scheme} ${authentication.credentials}` : undefined,
}
