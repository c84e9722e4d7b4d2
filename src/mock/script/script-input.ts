// What a script of the mock says, as TypeScript sees it: the shapes that builders take and that YAML files are read into.

import type { DialectId } from '../../dialects/dialect.ts'
import type { JsonObject, JsonValue } from '../../model/json.ts'
import type { Operation } from '../../model/operation.ts'
import type { FaultName } from '../faults/catalogue.ts'

/** What a message says: a text, nothing, or its parts. Texts may hold templates such as `{{captures.name}}`. */
export type MockContent =
  | string
  | null
  | {
      /** A text part. */
      text?: string
      /** A data part. */
      data?: JsonValue
      /** Parts as JSON, in the form of the protocol. */
      parts?: readonly JsonValue[]
      /** Metadata of the message. */
      metadata?: JsonObject
    }

/** The states of a task as scripts write them. */
export type MockState =
  | 'submitted'
  | 'working'
  | 'completed'
  | 'failed'
  | 'canceled'
  | 'rejected'
  | 'input-required'
  | 'auth-required'

/** An artifact, whole or in pieces; its contents are one of `text`, `data`, `base64` and `file`. */
export interface MockArtifact {
  /** Unique within the task; made up when absent. */
  id?: string
  /** A name for people, or a file name. */
  name?: string
  /** What it is, for people. */
  description?: string
  /** Media type of the content. */
  mediaType?: string
  /** Content as text. */
  text?: string
  /** Content as JSON. */
  data?: JsonValue
  /** Content as bytes, in base64. */
  base64?: string
  /** A file with its contents; only in scripts that are files themselves. */
  file?: string
  /** Send it in so many pieces. */
  chunks?: number
  /**
   * Whether it continues the artifact of this id.
   * @default false
   */
  append?: boolean
  /** Whether nothing more comes for it. */
  lastChunk?: boolean
  /** Anything else about it. */
  metadata?: JsonObject
}

/** One step of a turn, in the words of the script file. `steps` makes them. */
export type MockStep =
  | {
      /** The task takes this state. */
      status: MockState
      /** What is said with it, as text. */
      text?: string
      /** What is said with it, as JSON. */
      data?: JsonValue
      /** What is said with it, as parts. */
      parts?: readonly JsonValue[]
      /** Metadata of the update. */
      metadata?: JsonObject
    }
  /** Milliseconds, or a text such as `2s`. */
  | {
      /** Says nothing for so long: milliseconds, or a text such as `2s`. */
      delay: number | string
    }
  | {
      /** Produces an artifact. */
      artifact: MockArtifact
    }
  | {
      /** Alone in its turn a reply without a task; among other steps, progress of the task. */
      message: MockContent
    }
  | {
      /** Ends the task in COMPLETED. */
      complete: MockContent
    }
  | {
      /** Ends the task in FAILED. */
      fail: MockContent
    }
  | {
      /** Ends the task in REJECTED. */
      reject: MockContent
    }
  | {
      /** The task waits for another message. */
      'input-required': MockContent
    }
  | {
      /** The task waits for authorization. */
      'auth-required': MockContent
    }
  /** Any event as JSON, in the shape of 0.3 or of 1.0. */
  | {
      /** Any event as JSON, in the shape of 0.3 or of 1.0. */
      event: JsonObject
    }
  | {
      /** Answers with an A2A error. */
      error: {
        /** Which error, such as `TaskNotFound`. */
        kind: string
        /** What it says. */
        message?: string
      }
    }

/** What a text must be: a text it contains, a pattern (named groups become captures), or one of these. */
export type MockTextMatch =
  | string
  | RegExp
  | {
      /** A regular expression that must match; named groups become captures. */
      regex?: string
      /** Text that must be in it. */
      contains?: string
      /** The whole text. */
      equals?: string
    }

/** Which messages a rule answers: all of it must hold. */
export interface MockMatch {
  /** The text parts together. */
  text?: MockTextMatch
  /** JSON paths into data parts, with the value expected there. */
  jsonpath?: {
    [path: string]:
      | JsonValue
      | {
          /** A regular expression that must match. */
          regex?: string
          /** Text that must be in it. */
          contains?: string
          /** The value itself. */
          equals?: JsonValue
          /** Whether there is anything. */
          exists?: boolean
        }
  }
  /** Names of header fields, and what their values must be. */
  headers?: { [name: string]: MockTextMatch }
  /** `skillId` or `skill` in the metadata of message or request. */
  skill?: string
  /** Answer the message with this index of a task instead of the first. */
  turn?: number
  /** What the context id must be. */
  context?: MockTextMatch
}

/** What is answered to which messages. */
export interface MockRule {
  /**
   * How the journal and `verify` call it.
   * @default 'rule-1', 'rule-2', …
   */
  id?: string
  /** Every first message fits unless given. */
  match?: MockMatch
  /** What is answered to the first message of the task, the next, and so on. */
  turns: readonly (readonly MockStep[])[]
  /** How often it may and must be played. */
  times?:
    | number
    | {
        /**
         * At least so often; `verify` asks for it.
         * @default 0
         */
        min?: number
        /** At most so often; then it no longer fits. */
        max?: number
      }
}

/** What the card of the mock says, and which credentials it asks for. */
export interface MockAgentInput {
  /**
   * The name on the card.
   * @default 'mock'
   */
  name?: string
  /**
   * The description on the card.
   * @default 'An agent that follows a script.'
   */
  description?: string
  /**
   * The version of the agent, on the card.
   * @default '1.0.0'
   */
  version?: string
  /**
   * Whether the card promises streaming.
   * @default true
   */
  streaming?: boolean
  /**
   * The protocol version of the card at the root.
   * @default '1.0'
   */
  generation?: DialectId
  /**
   * Credentials that are accepted, any of which is enough.
   * @default [], none are asked for
   */
  security?: readonly (
    | 'bearer'
    | 'api-key'
    | {
        /** The bearer token that is accepted. */
        bearer?: string
        /** The API key that is accepted. */
        apiKey?: {
          /**
           * The header it comes in.
           * @default 'X-API-Key'
           */
          header?: string
          /** The key. */
          value?: string
        }
      }
  )[]
  /**
   * The skills on the card.
   * @default one called `scripted`
   */
  skills?: readonly {
    /** The id of the skill. */
    id: string
    /**
     * Its name.
     * @default the id
     */
    name?: string
    /** What it does. */
    description?: string
    /** Words to find it by. */
    tags?: readonly string[]
  }[]
  /**
   * 'counted' names tasks and contexts task-1, context-1, …, the same in every run.
   * @default 'random'
   */
  ids?: 'random' | 'counted'
}

/** A fault as a script writes it: `{ do: 'http-status', with: { status: 503 }, count: 1 }`. */
export interface FaultInput {
  /** How the journal calls it. */
  id?: string
  /** What goes wrong. */
  do: FaultName | 'reset'
  /**
   * Where.
   * @default everywhere
   */
  at?: {
    /** Only while this rule is played. */
    rule?: string
    /** Only in this turn of it, counted from 0. */
    turn?: number
    /** Only for this operation. */
    operation?: Operation
    /** Let so many events of a stream pass. */
    afterEvent?: number
  }
  /** The parameters of the fault. */
  with?: { [name: string]: JsonValue }
  /**
   * At most so many times.
   * @default no limit
   */
  count?: number
  /**
   * Not on the first so many occasions.
   * @default 0
   */
  after?: number
  /**
   * On every n-th occasion, beginning with the first that counts.
   * @default 1
   */
  every?: number
  /**
   * On a share of the occasions, 0 to 1; needs a seed, so that a run can be repeated.
   * @default 1
   */
  probability?: number
  /**
   * Chooses the occasions of `probability`.
   * @default 0
   */
  seed?: number
}

/** A script as its file writes it. */
export interface MockScript {
  /** What the card says. */
  agent?: MockAgentInput
  /** What is answered to which message; the first rule that matches is used. */
  rules?: readonly MockRule[]
  /** What goes wrong, where and when. */
  faults?: readonly FaultInput[]
}
