// Push notifications of one server: the stored configurations, the sender, and the services of its mounts.

import type { SpecRevision } from '../../dialects/dialect.ts'
import type { PushConfig } from '../../model/operation.ts'
import type { Scope } from '../../model/scope.ts'
import type { GuardOptions } from '../../net/guard/guarded-url.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemoryPushStore } from '../backend/memory/push.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { Clock } from '../engine/clock.ts'
import type { PushKey, PushRow, PushStore, TaskKey } from '../store/push-store.ts'
import type { TaskStore } from '../store/task-store.ts'
import { PushSender, type SenderDeps } from './push-sender.ts'
import { createPushService, type PushService } from './push-service.ts'

/** How webhooks are called. */
export interface PushOptions
  extends Pick<SenderDeps, 'leaseMs' | 'maxConcurrent' | 'maxPerEndpoint' | 'random'>,
    Pick<GuardOptions, 'resolve'> {
  /** Where configurations live; by default the database of the tasks, if that was opened by name or with openStore. */
  readonly store?: PushStore
}

/** A subscription that was given up: its webhook failed for longer than the schedule, or said it is gone. */
export interface DeadLetter extends PushKey {
  /** Whose task it was about. */
  readonly scope: Scope
  /** Without its token and credentials. */
  readonly config: Pick<PushConfig, 'id' | 'taskId' | 'url'>
  /** The last event it acknowledged; a replay goes on after it. */
  readonly deliveredSeq: number
  /** Attempts that failed in a row. */
  readonly attempts: number
  /** Why the last attempt failed. */
  readonly error: string | undefined
}

/** Deliveries since the start of this process. */
export interface PushCounts {
  readonly delivered: number
  /** Attempts that failed and will be repeated. */
  readonly failed: number
  /** Configurations given up. */
  readonly givenUp: number
  /** Configurations that wait for a free place, or are being delivered to. */
  readonly pending: number
}

/** What webhooks did not take, and how to send it again. */
export interface PushAdmin {
  /** Subscriptions that were given up, at most 100 unless a limit is given. */
  deadLetters(limit?: number): Promise<readonly DeadLetter[]>
  /** Tries once more, and goes on from there if that works; false when there is no such dead letter. */
  replay(key: PushKey): Promise<boolean>
}

export interface PushDeps {
  readonly tasks: TaskStore
  readonly bus: WakeBus
  readonly clock: Clock
  /** The database of the tasks; undefined for a store opened elsewhere, beside which configurations live in memory. */
  readonly backend: Backend | undefined
  readonly options: PushOptions
  /** Which addresses webhooks may have. */
  readonly guard: GuardOptions
  /** Told how long after a status a webhook acknowledged it. */
  onLag?(seconds: number): void
  log(level: 'warn', event: string, fields: { [name: string]: string | number }): void
}

const DEAD_LETTERS = 100
const MAX_GRACE_MS = 2_000

export class Push implements PushAdmin {
  readonly #deps: PushDeps
  readonly #rows: PushStore
  readonly #sender: PushSender
  readonly #counts = { delivered: 0, failed: 0, givenUp: 0 }

  private constructor(deps: PushDeps, rows: PushStore) {
    const { tasks, bus, clock, guard, options, log } = deps
    this.#deps = deps
    this.#rows = rows
    this.#sender = new PushSender({
      ...options,
      ...{ tasks, rows, bus, clock, guard },
      onDelivered: (statusAt) => {
        this.#counts.delivered++
        if (statusAt !== undefined) deps.onLag?.(Math.max(0, clock.now() - statusAt) / 1_000)
      },
      onFailure: ({ taskId, id, attempts, config }, { error, isGivenUp, traceId }) => {
        this.#counts[isGivenUp ? 'givenUp' : 'failed']++
        // Only the host: the path of a webhook may be its secret.
        const host = URL.parse(config.url)?.host ?? ''
        const event = isGivenUp ? 'push-given-up' : 'push-failed'
        log('warn', event, { taskId, id, host, attempt: attempts + 1, error, ...(traceId && { traceId }) })
      },
      onTrouble: (error) => log('warn', 'push-postponed', { error: error instanceof Error ? error.message : 'failed' }),
    })
  }

  static async open(given: PushDeps): Promise<Push> {
    const { options, backend, tasks, clock } = given
    const { resolve } = options
    const parts = resolve === undefined ? given : { ...given, guard: { ...given.guard, resolve } }
    const now = () => clock.now()
    const rows = options.store ?? (await backend?.openPush({ clock: now })) ?? openMemoryPushStore(tasks, now)
    const push = new Push(parts, rows)
    tasks.onForgotten?.((scope, taskId) => push.#forget({ scope, taskId }))
    return push
  }

  #forget(task: TaskKey): void {
    this.#rows.forget?.(task)
    this.#sender.forget(task)
  }

  start(): void {
    this.#sender.start()
  }

  service(revision: SpecRevision): PushService {
    const { tasks, guard } = this.#deps
    return createPushService({ tasks, rows: this.#rows, sender: this.#sender, guard, revision })
  }

  get counts(): PushCounts {
    return { ...this.#counts, pending: this.#sender.pending }
  }

  async deadLetters(limit: number = DEAD_LETTERS): Promise<readonly DeadLetter[]> {
    return (await this.#rows.dead(limit)).map(deadLetterOf)
  }

  async replay(key: PushKey): Promise<boolean> {
    const isRevived = await this.#rows.revive(key)
    if (isRevived) this.#sender.watch(key)
    return isRevived
  }

  async close(graceMs: number): Promise<void> {
    await this.#sender.close(Math.min(graceMs, MAX_GRACE_MS))
    if (this.#deps.options.store === undefined) await this.#rows.close()
  }
}

export function deadLetterOf({ scope, taskId, id, config, deliveredSeq, attempts, error }: PushRow): DeadLetter {
  return { ...{ scope, taskId, id, deliveredSeq, attempts, error }, config: { id, taskId, url: config.url } }
}
