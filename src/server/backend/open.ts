// Turns what a person writes after --store into a database. One row per kind; its code and driver are loaded only when
// it is asked for.

import { existsSync } from 'node:fs'
import { EXIT, ParleyError } from '../../model/errors.ts'
import type { PushStore } from '../store/push-store.ts'
import type { TaskStore } from '../store/task-store.ts'
import { type Backend, type BackendOptions, openOnly } from './backend.ts'

interface BackendKind {
  /** How to write it. */
  readonly form: string
  /** Several processes may use it at the same time. */
  readonly isShared?: boolean
  readonly matches: (spec: string) => boolean
  readonly open: (spec: string, options: BackendOptions) => Promise<Backend>
  /** Before another process looks into what a server uses: throws where there is nothing to look into. */
  readonly checkExisting?: (spec: string) => void
}

const KINDS: readonly BackendKind[] = [
  {
    form: 'memory',
    matches: (spec) => spec === 'memory',
    open: async (_spec, options) => {
      if (options.sync === 'full') throw notDurable()
      return (await import('./memory/backend.ts')).openMemoryBackend(options)
    },
    checkExisting: refusePrivate,
  },
  {
    form: 'sqlite:<file>',
    matches: (spec) => /^sqlite:./.test(spec),
    open: async (spec, { sync, ...options }) =>
      (await import('./sqlite/backend.ts')).openSqliteBackend(fileOf(spec), {
        ...options,
        synchronous: sync === 'full' ? 'FULL' : 'NORMAL',
      }),
    checkExisting: checkFile,
  },
  {
    form: 'postgres://user:password@host:port/database',
    isShared: true,
    matches: (spec) => /^postgres(ql)?:\/\//.test(spec),
    open: async (spec, options) => (await import('./postgres/backend.ts')).openPostgresBackend(spec, options),
  },
  {
    form: 'redis://host:port/0',
    isShared: true,
    matches: (spec) => /^rediss?:\/\//.test(spec),
    open: async (spec, options) => (await import('./redis/backend.ts')).openRedisBackend(spec, options),
  },
]

const backends = new WeakMap<TaskStore, Backend>()

/** The database a store belongs to, for those who need more of it; undefined for anybody else's store. */
export function backendOf(store: TaskStore): Backend | undefined {
  return backends.get(store)
}

export async function openBackend(spec: string, options: BackendOptions = {}): Promise<Backend> {
  return kindOf(spec).open(spec, options)
}

/** Whether others may be using it, too. */
export function isSharedStore(spec: string): boolean {
  return kindOf(spec).isShared === true
}

/**
 * Opens the tasks of a database by its URL: `memory`, `sqlite:<file>`, `postgres://…` or `redis://…`. A server that is
 * given them uses the same database for webhooks, too, and leaves them open when it closes.
 *
 * @example
 * ```ts
 * import { openStore } from 'a2a-parley/server'
 *
 * const store = await openStore('sqlite:tasks.db', { sync: 'full' })
 * // … createServer({ store, agents }) …
 * await store.close()
 * ```
 */
export function openStore(spec: string, options: BackendOptions = {}): Promise<TaskStore> {
  return openOnly(openBackend(spec, options), async (backend) => {
    const tasks = await backend.openTasks()
    backends.set(tasks, backend)
    return tasks
  })
}

/** For an operator, beside a server that may be running: nothing is created, and no lease is taken away. */
export async function openExistingPushStore(spec: string): Promise<PushStore> {
  const kind = KINDS.find(({ matches }) => matches(spec))
  if (kind === undefined) throw notShared(spec)
  kind.checkExisting?.(spec)
  // Whether a Redis may forget is the server's business.
  return openOnly(kind.open(spec, { allowVolatile: true }), (backend) => backend.openPush({ isServing: false }))
}

function fileOf(spec: string): string {
  return spec.slice('sqlite:'.length)
}

function checkFile(spec: string): void {
  if (spec === 'sqlite::memory:') throw notShared(spec)
  if (existsSync(fileOf(spec))) return
  throw new ParleyError('store-missing', `There is no file ${fileOf(spec)}; name the one the server uses.`, {
    exitCode: EXIT.usage,
  })
}

function refusePrivate(spec: string): void {
  throw notShared(spec)
}

function notDurable(): ParleyError {
  return new ParleyError('store-not-durable', 'Tasks in memory do not outlive the process; name a persistent store.', {
    exitCode: EXIT.usage,
    hint: 'sqlite:<file>, postgres://… or redis://… keep what they were given.',
  })
}

function notShared(spec: string): ParleyError {
  return new ParleyError(
    'store-not-shared',
    `"${spec}" is not a store that another process can open; name sqlite:<file>, postgres://… or redis://….`,
    { exitCode: EXIT.usage },
  )
}

function kindOf(spec: string): BackendKind {
  const kind = KINDS.find(({ matches }) => matches(spec))
  if (kind !== undefined) return kind
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
