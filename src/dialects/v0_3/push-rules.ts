// Webhooks of 0.3: each delivery is the task itself (0.3 §9.5). A configuration without an id is the task's only one, as
// it was before 0.2.5, and is named like the task, as the official servers do.

import type { PushRules } from '../dialect.ts'
import { encoded } from '../losses.ts'
import { encodeEvent } from './objects.ts'
import { schemas } from './schema/schemas.ts'

const KINDS: Readonly<Record<string, string>> = { 'status-update': 'status', 'artifact-update': 'artifact' }

export const pushRules: PushRules = {
  configId: (taskId) => taskId,
  requiresHttps: false,
  retryPausesMs: undefined,
  wants: () => true,
  sendsWholeTask: true,
  encodeBody: (event, task) => encoded((lost) => encodeEvent(task === undefined ? event : { task }, lost)).wire,
  readBody(body) {
    const { kind } = body
    if (typeof kind !== 'string') return undefined
    return { kind: KINDS[kind] ?? kind, subject: body, issues: schemas.validate('StreamEvent', body) }
  },
  authorization: ({ authentication }) =>
    authentication?.credentials ? `${authentication.scheme} ${authentication.credentials}` : undefined,
}
