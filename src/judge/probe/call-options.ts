// How a check may deviate from the request a correct client would send.

import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { SendMessageRequest } from '../../model/operation.ts'
import type { Message, Part } from '../../model/task.ts'
import type { OutgoingRequest } from './outgoing.ts'
import type { Identity } from './surface.ts'

export interface CallOptions {
  /** Added to the request; a value of undefined removes the header the probe would send. Names are case-insensitive. */
  headers?: Readonly<Record<string, string | undefined>>
  identity?: Identity
  /** A rate limit answers it as well: nothing was handed out. Elsewhere it means that nothing was measured. */
  mayBeLimited?: boolean
  /** Changes the encoded parameters before they are sent: this is where wrong requests come from. */
  edit?: (params: JsonObject) => JsonValue
  /** Changes the finished HTTP request. */
  tamper?: (request: OutgoingRequest) => OutgoingRequest
  /** JSON-RPC request id. */
  id?: JsonValue
  /** False when the answer may rightly be in another generation's form, so that it is not held against this one's. */
  watched?: boolean
  timeoutMs?: number
}

export interface RawRequest {
  method?: string
  /** Below the interface URL; REST only. */
  path?: string
  body?: string | Uint8Array | JsonObject | JsonValue[]
  headers?: Readonly<Record<string, string | undefined>>
  identity?: Identity
  timeoutMs?: number
}

export interface SendOptions extends CallOptions {
  taskId?: string
  contextId?: string
  configuration?: SendMessageRequest['configuration']
  metadata?: JsonObject
  parts?: Part[]
  message?: Partial<Message>
}
