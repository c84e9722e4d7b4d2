// What the operations on push configurations need; agents without push have none of it.

import type { DialectId } from '../../dialects/dialect.ts'
import type { ListPushConfigsRequest, ListPushConfigsResult, PushConfig, PushConfigKey } from '../../model/operation.ts'
import type { Scope } from '../../model/scope.ts'

export interface PushService {
  /** `registeredIn` decides the shape of the webhook bodies. */
  create(scope: Scope, config: PushConfig, registeredIn: DialectId): Promise<PushConfig>
  get(scope: Scope, key: PushConfigKey): Promise<PushConfig>
  list(scope: Scope, request: ListPushConfigsRequest): Promise<ListPushConfigsResult>
  delete(scope: Scope, key: PushConfigKey): Promise<void>
}
