// What a proxied agent's service is made of; createProxy provides it.

import type { ArtifactStore } from '../artifacts/artifact-store.ts'
import type { DialectId, Loss } from '../dialects/dialect.ts'
import type { AgentCard } from '../model/card.ts'
import type { Operation } from '../model/operation.ts'
import type { Limits } from '../net/limits.ts'
import type { WakeBus } from '../server/bus/wake-bus.ts'
import type { PushService } from '../server/push/push-service.ts'
import type { LinkStore } from '../server/store/link-store.ts'
import type { TaskStore } from '../server/store/task-store.ts'
import type { Downstream, ForwardOptions } from './downstream.ts'

/** What one generation said and the other cannot. */
export interface TranslationLoss {
  /** Which way it was going. */
  readonly direction: 'to-agent' | 'to-caller'
  /** The operation that was translated. */
  readonly operation: Operation
  /** The generation it came in. */
  readonly from: DialectId
  /** The generation it went out in. */
  readonly to: DialectId
  /** What could not be said, one by one. */
  readonly losses: readonly Loss[]
}

export interface ProxyDeps {
  /** Separates its tasks from those of other agents. */
  readonly name: string
  readonly downstream: Downstream
  readonly store: TaskStore
  readonly bus: WakeBus
  /** Where links survive a restart; undefined in a proxy that forgets. */
  readonly links: LinkStore | undefined
  /** In a shared store: how often to look for what a dead proxy left. */
  readonly lookMs: number
  /** Where files go; undefined lets bytes pass. */
  readonly artifacts: ArtifactStore | undefined
  /** First segment of the artifact URIs. */
  readonly app: string
  /** Tells webhooks what happens to our copies of the tasks; undefined where they cannot be followed. */
  readonly push: PushService | undefined
  readonly limits: Limits
  readonly cancelsOnDisconnect: boolean
  readonly asksAfterCut: boolean
  /** For calls without a caller: cancels and questions of the proxy itself. */
  readonly forwardOptions: ForwardOptions
  card(): AgentCard
  /** A card of the agent, as the proxy shows it. */
  dressed(card: AgentCard): AgentCard
  readonly onLoss?: (loss: TranslationLoss) => void
  readonly onTrouble: (error: unknown) => void
}
