// The messages a run has sent, by their ids, as they went out: what an agent shows of them later must be them.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'
import { objectAt, textAt } from './raw.ts'

export class Said {
  readonly #messages = new Map<string, JsonObject>()

  /** The encoded parameters of a call that is about to go out. */
  note(params: JsonValue): void {
    const message = objectAt(params, 'message') ?? objectAt(params, 'request')
    const id = textAt(message, 'messageId')
    if (isJsonObject(message) && id !== undefined && id !== '') this.#messages.set(id, structuredClone(message))
  }

  /** The message of that id, when it is ours. */
  message(id: string | undefined): JsonObject | undefined {
    return id === undefined ? undefined : this.#messages.get(id)
  }
}
