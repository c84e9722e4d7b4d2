// How an agent is put on a path of a server: what an author gives, with everything but card and agent optional.

import type { Service } from '../bindings/service.ts'
import type { DialectId, SpecRevision } from '../dialects/dialect.ts'
import type { AgentCard } from '../model/card.ts'
import type { A2AError } from '../model/errors.ts'
import type { Task } from '../model/task.ts'
import type { ExtendedCard } from './agent-service.ts'
import type { AuthConfig } from './auth/auth-config.ts'
import type { AuthRequest } from './auth/credentials.ts'
import type { CardSigning } from './card-signing.ts'
import type { Agent } from './engine/agent.ts'

/** A card whose interfaces the server fills in from where it listens. */
export type CardInput = Omit<AgentCard, 'supportedInterfaces'> & Partial<Pick<AgentCard, 'supportedInterfaces'>>

/** Who is calling: what a check of credentials yields. */
export interface Caller {
  /** A stable name of the caller; tasks are visible to the subject that made them. */
  subject: string
  /** The only tenant the credentials are good for. */
  tenant?: string | undefined
  /** When the credentials end; open streams end with them. */
  expiresAtMs?: number | undefined
}

/** A longer card for known callers. */
export interface ExtendedCardOptions {
  /** The fuller card. */
  card: CardInput
  /** Whether this caller may see it; others get Unauthenticated or PermissionDenied. */
  isVisibleTo: ExtendedCard['isVisibleTo']
  /**
   * How callers of an agent that is open otherwise prove who they are for this card alone. The public card declares
   * them, since clients may use nothing else (1.0 §13.3).
   */
  securitySchemes?: NonNullable<AgentCard['securitySchemes']>
}

/** An agent on a path of a server; everything but card and agent can be left out. */
export interface MountOptions {
  /** What the agent says about itself; interfaces and security are filled in from what is served. */
  card: CardInput
  /** What it does with a message. */
  agent: Agent
  /**
   * Publishes the card whatever the schema of its generation says, for cards that another agent wrote.
   * @default false
   */
  skipCardValidation?: boolean
  /** @deprecated Use `skipCardValidation`. */
  isCardProven?: boolean
  /**
   * Where it lives.
   * @default '/'
   */
  path?: string
  /**
   * Separates its tasks from those of other agents in the store.
   * @default the path
   */
  name?: string
  /**
   * Generations served, the preferred one first.
   * @default ['1.0', '0.3']
   */
  dialects?: readonly DialectId[]
  /**
   * Generations whose clients can read the card: all that are served by default, or the first alone where the card
   * names its interfaces itself. A client that sends A2A-Version gets the form of that generation.
   */
  cardDialects?: readonly DialectId[]
  /**
   * Serve requests without A2A-Version as this generation.
   * @default as 0.3, which is what 1.0 §3.6.2 says
   */
  unversionedAs?: DialectId
  /** @deprecated Use `unversionedAs: '1.0'`. */
  lenient?: boolean
  /**
   * The revision of the specification to follow where they differ.
   * @default that of the server
   */
  revision?: SpecRevision
  /**
   * Paths below its own where JSON-RPC is answered too, such as `/jsonrpc`.
   * @default []
   */
  rpcPaths?: readonly string[]
  /**
   * Errors are JSON whatever `Accept` says, also to clients that ask for a stream alone.
   * @default false
   */
  plainErrors?: boolean
  /**
   * Complete an open task when the agent's function returns, or leave it open.
   * @default true
   */
  autoComplete?: boolean
  /**
   * Beyond it, new messages to this agent are refused with a retry hint.
   * @default that of the server
   */
  maxConcurrentTasks?: number
  /** Whether a message to this ended task begins another in its context, instead of being refused. */
  continuesInNewTask?: (ended: Task) => boolean
  /** @deprecated Use `continuesInNewTask`. */
  hasSequel?: (ended: Task) => boolean
  /**
   * Names new tasks and contexts. What it returns must never repeat.
   * @default UUIDs that begin with the time
   */
  newId?: (what: 'task' | 'context') => string
  /** A fuller card for callers who have authenticated; none when absent. */
  extendedCard?: ExtendedCardOptions
  /** Signs the public card; needs `publicUrl` unless the server listens on loopback. */
  signing?: CardSigning
  /**
   * Origins of web pages that may use the agent; pages of any origin when absent. An empty list is for agents that call
   * others on behalf of whoever asks: a page must not borrow the network this server stands in.
   */
  pages?: readonly string[]
  /**
   * Ways to authenticate, any of which is enough; the card declares them by itself.
   * @default [], open to everybody
   */
  auth?: readonly AuthConfig[]
  /**
   * A check of your own instead: who is calling; an A2AError (Unauthenticated, PermissionDenied …) refuses. Open to everybody
   * when absent.
   */
  authenticate?(request: AuthRequest): Caller | A2AError | Promise<Caller | A2AError>
}

/** A place on the server where something else than an agent on the engine answers: a proxy, a gateway. */
export interface ServiceMountOptions
  extends Pick<
    MountOptions,
    | 'card'
    | 'isCardProven'
    | 'skipCardValidation'
    | 'path'
    | 'dialects'
    | 'cardDialects'
    | 'lenient'
    | 'unversionedAs'
    | 'revision'
    | 'pages'
    | 'auth'
    | 'authenticate'
  > {
  /** What answers instead of an agent on the engine; it keeps its own tasks. */
  service: Service
}
