// What an agent author writes: a function (or async generator) that receives a message and a context to answer with.
// The first thing it emits decides the interaction: ctx.message() before anything else is a direct reply without a
// task; everything else creates a task.

import type { JsonObject } from '../../model/json.ts'
import type { Scope } from '../../model/scope.ts'
import type { Artifact, Message, Part, Task, TaskState } from '../../model/task.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'

/** Text, parts, or a message without the ids the engine fills in. */
export type Content =
  | string
  | readonly Part[]
  | (Omit<Message, 'messageId' | 'role'> & {
      /**
       * Unique within the conversation.
       * @default a random UUID
       */
      messageId?: string
    })

/** An artifact as an agent gives it. */
export type ArtifactInput = Omit<Artifact, 'artifactId'> & {
  /**
   * Unique within the task.
   * @default a random UUID
   */
  artifactId?: string
}

/** Members of an update beside its state; the engine sets the time unless one is given. */
export interface UpdateDetails {
  /** Metadata of the update, not of the task. */
  metadata?: JsonObject | undefined
  /** ISO 8601, UTC: for agents that replay what happened elsewhere. */
  timestamp?: string | undefined
}

/** How a piece of an artifact continues the ones before it. */
export interface ArtifactChunk {
  /**
   * Whether the parts follow those already given under the same id, instead of replacing them.
   * @default false
   */
  append?: boolean
  /** Whether nothing more comes for this artifact. */
  lastChunk?: boolean
  /** Metadata of the update, not of the artifact. */
  metadata?: JsonObject | undefined
}

/** What an agent can say, and what it knows about its task. */
export interface AgentContext {
  /** Id of the task, also before it exists: nothing is stored until something other than a direct reply is said. */
  readonly taskId: string
  /** Id of the conversation: the client's, or a new one. */
  readonly contextId: string
  /** The task this message continues; undefined for a new one. */
  readonly task: Task | undefined
  /** Who is asking, and for which tenant. */
  readonly caller: Scope
  /** Metadata of the request (not of the message). */
  readonly requestMetadata: JsonObject | undefined
  /** Media types the client can take; undefined when it did not say. */
  readonly acceptedOutputModes: readonly string[] | undefined
  /** Extension URIs the client activated for this request. */
  readonly extensions: readonly string[]
  /**
   * The trace this turn belongs to, for calls the agent makes: `client.sendMessage(request, { trace: context.trace })`.
   * Undefined when the caller sent none.
   */
  readonly trace: TraceContext | undefined
  /** Aborted when the task is canceled or the server stops. */
  readonly signal: AbortSignal
  /**
   * Reports a state. What is emitted is stored in order and not seen by readers before; the promise resolves when it has its
   * place in line, and rejects when something before it could not be stored. See `flush`.
   */
  status(state: TaskState, content?: Content, update?: UpdateDetails): Promise<void>
  /** Emits an artifact, or with `append` more parts of one already emitted; resolves to its id. */
  artifact(artifact: ArtifactInput, chunk?: ArtifactChunk): Promise<string>
  /** Before any task event: the direct reply. Afterwards: a progress message (status WORKING). */
  message(content: Content): Promise<void>
  /** Ends the turn in INPUT_REQUIRED: the task waits for another message of the client. */
  requireInput(content?: Content): Promise<void>
  /** Ends the turn in AUTH_REQUIRED: the task waits until the client has authorized something elsewhere. */
  requireAuth(content?: Content): Promise<void>
  /** Ends the task in COMPLETED. Nothing can follow the end of a task. */
  complete(content?: Content): Promise<void>
  /** Ends the task in FAILED. */
  fail(content?: Content): Promise<void>
  /** Ends the task in REJECTED: the agent will not do it. */
  reject(content?: Content): Promise<void>
  /** Merges into the task's metadata. */
  setMetadata(metadata: JsonObject): Promise<void>
  /** Resolves when everything emitted so far is stored; rejects when it cannot be. */
  flush(): Promise<void>
  /** Resolves after `ms`, or rejects with the signal's reason when the task is canceled. */
  sleep(ms: number): Promise<void>
}

/** What a generator may yield; a returned or yielded string is the answer in text. */
export type AgentYield =
  | {
      /** The new state of the task. */
      status: TaskState
      /** What is said with it. */
      content?: Content
    }
  | {
      /** An artifact, or more of one. */
      artifact: ArtifactInput
      /**
       * Whether its parts follow those already given under the same id.
       * @default false
       */
      append?: boolean
      /** Whether nothing more comes for this artifact. */
      lastChunk?: boolean
    }
  | {
      /** A direct reply before any task event, a progress message afterwards. */
      message: Content
    }
  | string

/** An agent: a function from a message to what it says. A string returned or yielded is its answer in text. */
export type Agent = (
  message: Message,
  context: AgentContext,
) => AsyncIterable<AgentYield> | Promise<Content | undefined> | Promise<void> | Content | undefined
