// Webhooks of 1.0: several configurations a task, each delivery one StreamResponse (§4.3.3).

import type { PushRules } from '../dialect.ts'
import { asWritten } from './codec.ts'

export const pushRules: PushRules = {
  configId: () => crypto.randomUUID(),
  requiresHttps: false,
  retryPausesMs: undefined,
  wants: () => true,
  tellsTask: false,
  encodeBody: (event) => asWritten(event).wire,
  authorization: ({ authentication }) =>
    authentication?.credentials ? `${authentication.scheme} ${authentication.credentials}` : undefined,
}
