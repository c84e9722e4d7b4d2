// Counters, gauges and histograms in the text format of Prometheus. Counting costs one map access on the way of a request. Labels
// are agents, operations and kinds of errors: nothing a caller chooses, so that their number is bounded.

import { performance } from 'node:perf_hooks'
import type { Operation } from '../model/operation.ts'
import { SPAN_NAME } from '../telemetry/attributes.ts'
import { Histogram, SECONDS, SIZES } from './histogram.ts'

export interface Gauges {
  /** Undefined when no agent sends push notifications. */
  push: { delivered: number; failed: number; givenUp: number; pending: number } | undefined
  runningTasks: readonly { agent: string; count: number }[]
  openStreams: number
  isStoreUp: boolean
}

/** What one agent is measured by. */
export class AgentMetrics {
  readonly #operations = new Map<Operation, Histogram>()
  readonly firstEvent = new Histogram(SECONDS)

  observeOperation(op: Operation, seconds: number): void {
    let histogram = this.#operations.get(op)
    if (histogram === undefined) {
      histogram = new Histogram(SECONDS)
      this.#operations.set(op, histogram)
    }
    histogram.observe(seconds)
  }

  observeFirstEvent(seconds: number): void {
    this.firstEvent.observe(seconds)
  }

  get operations(): Iterable<readonly [Operation, Histogram]> {
    return this.#operations
  }
}

export class Metrics {
  readonly #agents = new Map<string, AgentMetrics>()
  /** Events of one task that had gathered while its last write was under way. */
  readonly writeQueue = new Histogram(SIZES)
  /** Writes that shared a commit, where the store lets them. */
  readonly commitWrites = new Histogram(SIZES)
  /** From a status to its acknowledgement by a webhook. */
  readonly pushLag = new Histogram(SECONDS)
  readonly #requests = new Map<string, number>()
  readonly #errors = new Map<string, number>()
  readonly #startedAtSeconds = Date.now() / 1000
  #utilization = performance.eventLoopUtilization()

  /** The same for every mount of that path. */
  agent(name: string): AgentMetrics {
    const known = this.#agents.get(name) ?? new AgentMetrics()
    this.#agents.set(name, known)
    return known
  }

  countRequest(agent: string): void {
    this.#requests.set(agent, (this.#requests.get(agent) ?? 0) + 1)
  }

  countError(agent: string, kind: string): void {
    const labels = `agent="${label(agent)}",kind="${label(kind)}"`
    this.#errors.set(labels, (this.#errors.get(labels) ?? 0) + 1)
  }

  render(gauges: Gauges): string {
    const busy = performance.eventLoopUtilization(this.#utilization)
    this.#utilization = performance.eventLoopUtilization()
    const tasks = gauges.runningTasks.map(({ agent, count }) => [`agent="${label(agent)}"`, count] as const)
    return [
      family('parley_requests_total', 'counter', 'Requests by agent.', labelled(this.#requests)),
      family('parley_errors_total', 'counter', 'Protocol errors answered, by agent and kind.', [...this.#errors]),
      family('parley_running_tasks', 'gauge', 'Turns of agents under way.', tasks),
      family('parley_open_streams', 'gauge', 'Event streams open.', [['', gauges.openStreams]]),
      ...(gauges.push === undefined ? [] : pushFamilies(gauges.push)),
      ...this.#histograms(gauges.push !== undefined),
      family('parley_store_up', 'gauge', 'Whether the task store answers and takes writes.', [
        ['', gauges.isStoreUp ? 1 : 0],
      ]),
      family('parley_event_loop_utilization', 'gauge', 'Share of time busy since the last look.', [
        ['', busy.utilization],
      ]),
      family('process_resident_memory_bytes', 'gauge', 'Resident memory.', [['', process.memoryUsage.rss()]]),
      family('process_start_time_seconds', 'gauge', 'Start time since the epoch.', [['', this.#startedAtSeconds]]),
    ].join('')
  }

  #histograms(sendsPush: boolean): string[] {
    const operation = 'parley_operation_duration_seconds'
    const firstEvent = 'parley_first_event_seconds'
    const agents = [...this.#agents].map(([name, each]) => [`agent="${label(name)}"`, each] as const)
    const one = (name: string, help: string, histogram: Histogram) =>
      histogramFamily(name, help, [histogram.lines(name, '')])
    return [
      histogramFamily(
        operation,
        'Time to the answer; of streams, to their end.',
        agents.flatMap(([labels, { operations }]) =>
          [...operations].map(([op, each]) => each.lines(operation, `${labels},operation="${SPAN_NAME[op]}"`)),
        ),
      ),
      histogramFamily(
        firstEvent,
        'Time from the request for a stream to its first event.',
        agents.map(([labels, each]) => each.firstEvent.lines(firstEvent, labels)),
      ),
      one('parley_write_queue_events', 'Events of a task written together.', this.writeQueue),
      one('parley_commit_writes', 'Writes of all tasks in one commit.', this.commitWrites),
      ...(sendsPush
        ? [one('parley_push_lag_seconds', 'Time from a status to its acknowledgement by a webhook.', this.pushLag)]
        : []),
    ]
  }
}

function histogramFamily(name: string, help: string, lines: readonly string[]): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} histogram\n${lines.join('')}`
}

function pushFamilies({ delivered, failed, givenUp, pending }: NonNullable<Gauges['push']>): string[] {
  return [
    family('parley_push_deliveries_total', 'counter', 'Attempts at webhooks by outcome.', [
      ['outcome="delivered"', delivered],
      ['outcome="failed"', failed],
      ['outcome="given_up"', givenUp],
    ]),
    family('parley_push_pending', 'gauge', 'Webhooks that wait for, or are in, a delivery.', [['', pending]]),
  ]
}

/** The text format escapes three characters in the value of a label. */
function label(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

function labelled(counts: ReadonlyMap<string, number>): (readonly [string, number])[] {
  return [...counts].map(([agent, count]) => [`agent="${label(agent)}"`, count] as const)
}

function family(name: string, type: string, help: string, samples: readonly (readonly [string, number])[]): string {
  const lines = samples.map(([labels, value]) => `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`)
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
}
