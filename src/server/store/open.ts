// Turns what a person writes after --store into a store. One row per kind; its code and driver are loaded only when
// it is asked for.

import { EXIT, ParleyError } from '../../model/errors.ts'
import type { MemoryStoreOptions } from './memory/store.ts'
import type { TaskStore } from './task-store.ts'
import type { StartOptions } from './wait-for-start.ts'

export interface StoreOptions extends StartOptions {
  /** Of the memory store: how much of what has ended is kept. */
  readonly memory?: MemoryStoreOptions
  /** Accept a Redis that may forget. */
  readonly allowVolatile?: boolean
  /** In shared stores: how long after the death of a process its running tasks have ended; see lease.ts. */
  readonly leaseMs?: number
}

interface StoreKind {
  /** How to write it. */
  readonly form: string
  readonly matches: (spec: string) => boolean
  readonly open: (spec: string, options: StoreOptions) => Promise<TaskStore>
}

const KINDS: readonly StoreKind[] = [
  {
    form: 'memory',
    matches: (spec) => spec === 'memory',
    open: async (_spec, { memory }) => (await import('./memory/store.ts')).openMemoryStore(memory),
  },
  {
    form: 'sqlite:<file>',
    matches: (spec) => /^sqlite:./.test(spec),
    open: async (spec) => (await import('./sqlite/store.ts')).openSqliteStore(spec.slice('sqlite:'.length)),
  },
  {
    form: 'postgres://user:password@host:port/database',
    matches: (spec) => /^postgres(ql)?:\/\//.test(spec),
    open: async (spec, options) => (await import('./postgres/store.ts')).openPostgresStore(spec, options),
  },
  {
    form: 'redis://host:port/0',
    matches: (spec) => /^rediss?:\/\//.test(spec),
    open: async (spec, options) => (await import('./redis/store.ts')).openRedisStore(spec, options),
  },
]

const specs = new WeakMap<TaskStore, string>()

/** What a store was opened with, for those who need more of the same database; undefined for anybody else's store. */
export function specOf(store: TaskStore): string | undefined {
  return specs.get(store)
}

export async function openStore(spec: string, options: StoreOptions = {}): Promise<TaskStore> {
  const kind = KINDS.find(({ matches }) => matches(spec))
  if (kind !== undefined) {
    const store = await kind.open(spec, options)
    specs.set(store, spec)
    return store
  }
  const forms = KINDS.map(({ form }) => form)
  const near = forms.find((form) => isNear(schemeOf(spec), schemeOf(form)))
  const meant = near === undefined ? '' : ` Did you mean ${near}?`
  // Only the scheme is repeated: the rest of a database address may hold a password.
  throw new ParleyError('unknown-store', `There is no store "${schemeOf(spec)}".${meant}`, {
    exitCode: EXIT.usage,
    hint: `Stores are: ${forms.join(', ')}.`,
  })
}

function schemeOf(spec: string): string {
  return (spec.split(':')[0] ?? '').slice(0, 40)
}

/** Same word in other letters, a beginning of it, or at most two edits away. */
function isNear(written: string, known: string): boolean {
  const word = written.toLowerCase()
  return word !== '' && (known.startsWith(word) || word.startsWith(known) || edits(word, known) <= 2)
}

function edits(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, n) => n)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
