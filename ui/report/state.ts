// What the reader chose: the text of the box and the open result. Both stand in the address, so a link shows the same.

import { computed, effect, signal } from '@preact/signals'
import { type ChangedResult, compareRuns } from '../../src/run/compare-runs.ts'
import type { Run } from '../../src/run/run.ts'
import type { Row, RunIndex } from './data.ts'
import { testOf } from './filter.ts'

export const index = signal<RunIndex | undefined>(undefined)
/** An older run to compare with. */
export const before = signal<RunIndex | undefined>(undefined)
export const query = signal('')
export const chosen = signal<string | undefined>(undefined)
/** Whether the address of the page leads to what is chosen. */
export const hasAddress = signal(false)

export const comparison = computed(() => {
  const [old, now] = [before.value, index.value]
  return old === undefined || now === undefined ? undefined : compareRuns(old as Run, now as Run)
})

/** What became of each result since the older run. */
const changes = computed((): ReadonlyMap<string, string> => {
  const found = comparison.value
  const named = (list: readonly ChangedResult[], change: string) =>
    list.map((result): [string, string] => [nameOf(result), change])
  if (found === undefined) return new Map()
  return new Map([
    ...named(found.newFailures, 'new'),
    ...named(found.repaired, 'fixed'),
    ...named(found.stillFailing, 'still'),
    ...named([...found.otherChanges, ...found.unknownNow], 'changed'),
    ...named(found.added, 'added'),
  ])
})

export function changeOf(row: Row): string | undefined {
  return changes.value.get(nameOf(row))
}

export const shown = computed((): { row: Row; at: number }[] => {
  const fits = testOf(query.value, changeOf)
  return (index.value?.results ?? []).flatMap((row, at) => (fits(row) ? [{ row, at }] : []))
})

/** Names a result in the address: of two agents both may have the same key. */
export function nameOf({ agent, key }: Pick<Row, 'agent' | 'key'>): string {
  return agent === undefined ? key : `${agent}/${key}`
}

export const open = computed(() => {
  const name = chosen.value
  const at = index.value?.results.findIndex((row) => nameOf(row) === name) ?? -1
  const row = index.value?.results[at]
  return row === undefined ? undefined : { row, at }
})

export function step(by: 1 | -1): void {
  const at = shown.value.findIndex(({ row }) => nameOf(row) === chosen.value)
  const next = shown.value[at < 0 ? 0 : at + by]
  if (next !== undefined) chosen.value = nameOf(next.row)
}

export function followAddress(): void {
  const read = () => {
    const words = new URLSearchParams(location.hash.slice(1))
    query.value = words.get('q') ?? ''
    chosen.value = words.get('check') ?? undefined
  }
  read()
  hasAddress.value = true
  addEventListener('hashchange', read)
  effect(() => {
    const words = new URLSearchParams()
    if (query.value !== '') words.set('q', query.value)
    if (chosen.value !== undefined) words.set('check', chosen.value)
    const hash = words.size === 0 ? '' : `#${words}`
    if (hash !== location.hash) history.replaceState(null, '', hash === '' ? location.pathname + location.search : hash)
  })
}
