// The areas of a score: what a person would call the parts of an agent. Files of checks are finer than that.

import type { Category } from './result.ts'

const BY_FILE: readonly (readonly [RegExp, string])[] = [
  [/^card/, 'card'],
  [/^version/, 'versions'],
  [/^(send|input-required|in-task-auth)/, 'messages'],
  [/^(get-task|cancel|list)/, 'tasks'],
  [/^(stream|subscribe)/, 'streaming'],
  [/^push/, 'push'],
  [/^(error|validation|input-validation|rest-query)/, 'errors'],
  [/^(security|isolation|permissions|tenants)/, 'security'],
  [/^exten/, 'extensions'],
  [/^(schema|data-model|equivalence)/, 'data'],
]

const BY_CATEGORY: Readonly<Record<Category, string>> = {
  'agent-card': 'card',
  lifecycle: 'tasks',
  streaming: 'streaming',
  'error-handling': 'errors',
  interop: 'data',
}

/** In the order they are shown. */
export const AREAS: readonly string[] = [
  'card',
  'versions',
  'messages',
  'tasks',
  'streaming',
  'push',
  'errors',
  'security',
  'extensions',
  'data',
]

export function scoreAreaOf(check: { area: string; category: Category }): string {
  return BY_FILE.find(([pattern]) => pattern.test(check.area))?.[1] ?? BY_CATEGORY[check.category]
}
