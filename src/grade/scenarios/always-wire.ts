// A world that gives one answer, in the words of 1.0, whatever the message.

import type { JsonObject } from '../../model/json.ts'
import type { Surface, World } from '../scenario.ts'
import { answered, wireReply } from '../wire-replies.ts'

/** Every message is answered with this JSON, of 1.0. */
export const alwaysWire =
  (task: JsonObject) =>
  (surface: Surface): World => ({
    answer: (call, next) => {
      if (call.isMessage) return wireReply(surface, call, { task })
      return call.op === 'getTask' ? answered(surface, call, task) : next()
    },
  })
