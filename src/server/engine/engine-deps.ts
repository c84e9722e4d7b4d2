// What the engine of one agent is made of; the assembly of the server provides it.

import type { Task, TaskState } from '../../model/task.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import type { WakeBus } from '../bus/wake-bus.ts'
import type { TaskStore } from '../store/task-store.ts'
import type { Agent } from './agent.ts'
import type { Clock } from './clock.ts'
import type { TaskLimits } from './task-limits.ts'
import type { TurnRoom } from './turn-room.ts'

export interface LifecycleRules {
  mayFollow(from: TaskState, to: TaskState): boolean
  /** Whether a message alone is an answer; where not, it completes a task. */
  hasDirectReplies: boolean
  /** Log the first status as an event too, for generations whose streams and histories begin with it. */
  logsSubmission: boolean
}

export interface EngineDeps {
  readonly agent: Agent
  readonly store: TaskStore
  readonly bus: WakeBus
  readonly clock: Clock
  /** How tasks live in the generation of the agent. */
  readonly rules: LifecycleRules
  /** The id of a new task or context. */
  readonly newId: (what: 'task' | 'context') => string
  /** Complete an open task when the agent's function returns; a scripted agent leaves it open. */
  readonly autoComplete: boolean
  /** A client that does not wait gets a task after this time even if the agent has not said anything. */
  readonly promoteAfterMs: number
  readonly maxConcurrentTasks: number
  readonly taskLimits: TaskLimits
  /** Shared by all agents of a server. */
  readonly room: TurnRoom
  /** A page of tasks ends before it becomes larger than this. */
  readonly pageBytes: number
  /** Whether other processes write to the same store. */
  readonly isShared: boolean
  /** Whether a message to this ended task begins another in its context; refused otherwise (1.0 §3.4.2). */
  readonly continuesInNewTask?: ((ended: Task) => boolean) | undefined
  /** The agent's own exceptions, for the operator's log; clients only learn that the task failed. */
  /** So many events of a task are written together, in a store that is waited for. */
  readonly onWrite?: (events: number) => void
  readonly onAgentError?: (error: unknown, taskId: string, trace: TraceContext | undefined) => void
}
