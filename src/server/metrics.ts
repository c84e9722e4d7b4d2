// Counters and gauges in the text format of Prometheus. Counting costs one map access on the way of a request.

import { performance } from 'node:perf_hooks'

export interface Gauges {
  /** Undefined when no agent sends push notifications. */
  push: { delivered: number; failed: number; givenUp: number; pending: number } | undefined
  runningTasks: readonly { agent: string; count: number }[]
  openStreams: number
  isStoreUp: boolean
}

export class Metrics {
  readonly #requests = new Map<string, number>()
  readonly #errors = new Map<string, number>()
  readonly #startedAtSeconds = Date.now() / 1000
  #utilization = performance.eventLoopUtilization()

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
