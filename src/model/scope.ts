// Whose data an operation may touch. The scope is the first parameter of every store method, so that forgetting
// authorization does not compile.

export interface Scope {
  /** The mount the request came to: tasks of one agent are invisible to another. */
  readonly agent: string
  readonly tenant: string
  /** Who the caller is, as authentication established it; ANONYMOUS on open mounts. */
  readonly subject: string
}

export const ANONYMOUS = 'anonymous'

/** One string per scope, for keys and indexes; the separator cannot occur in the parts of valid scopes. */
export function scopeKey(scope: Scope): string {
  return `${scope.agent}\u0000${scope.tenant}\u0000${scope.subject}`
}
