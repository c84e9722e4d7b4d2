// A fleet of three thousand agents over two days, one of which became worse.

import type { FleetRow, FleetView } from '../../src/run/fleet-view.ts'

const DAY = Date.UTC(2026, 0, 31, 12)
const moment = (at: number, standing: string, stage: number) => ({
  ...{ at, standing, stage, kept: 20, measured: 21, attempts: 1, turns: 9 },
})

function row(n: number, given: Partial<FleetRow> = {}): FleetRow {
  return {
    ...{ id: `id-${n}`, url: `https://a${n}.example`, host: `https://a${n}.example`, name: `Agent ${n}`, labels: {} },
    ...{ profile: 'quick', standing: 'at least minimal', stage: 4, message: '', durationMs: 5, dueAt: 0 },
    history: [moment(DAY - 86_400_000, 'at least minimal', 4), moment(DAY, 'at least minimal', 4)],
    ...given,
  }
}

/** `name` is what the agent that became worse calls itself. */
export function sampleFleet(name = 'Invoice Agent'): FleetView {
  const before = moment(DAY - 86_400_000, 'at least minimal', 4)
  const changed = row(1, {
    ...{ name, labels: { team: 'pay' }, standing: 'non-conformant', stage: 3 },
    history: [before, { ...moment(DAY, 'non-conformant', 3), attempts: 2 }],
  })
  const silent = row(2, {
    ...{ standing: 'dead', stage: 0, message: 'Nobody listens at 127.0.0.1:9.', dueAt: DAY + 3_600_000 },
    history: [before, moment(DAY, 'dead', 0)],
  })
  const rows = [changed, silent, ...Array.from({ length: 2_999 }, (_, n) => row(n + 3))]
  const funnel = [
    { stage: 'listed', agents: 3_001 },
    { stage: 'reachable', agents: 3_000 },
    { stage: 'a card', agents: 3_000 },
    { stage: 'an interface that answers', agents: 3_000 },
    { stage: 'at least minimal', agents: 2_999 },
  ]
  return { name: 'mine', run: '2026-01-31', madeAt: '2026-01-31T12:00:00Z', funnel, rows }
}
