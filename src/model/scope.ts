// Whose data an operation may touch. The scope is the first parameter of every store method, so that forgetting
// authorization does not compile.

import { keyText } from './key-text.ts'

/** Who is asking: agent, tenant and subject. Nothing is stored or read without it. */
export interface Scope {
  /** The mount the request came to: tasks of one agent are invisible to another. */
  readonly agent: string
  /** As the path or the request names it; '' where there is none. */
  readonly tenant: string
  /** Who the caller is, as authentication established it; ANONYMOUS on open mounts. */
  readonly subject: string
}

export const ANONYMOUS = 'anonymous'

/** One string per scope, for keys and indexes: no two scopes have the same. */
export function scopeKey({ agent, tenant, subject }: Scope): string {
  return `${agent}\u0000${keyText(tenant)}\u0000${keyText(subject)}`
}
