// Credentials of a fleet stand in its list, its queue and its results only by reference: the name of an environment
// variable, or a file. Each worker looks them up where it runs, when it judges the agent, and forgets them afterwards.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { whyUnreadable } from '../base/why-unreadable.ts'
import type { CredentialOptions } from '../judge/runner/credentials.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'

const KINDS = ['bearer', 'apiKey'] as const

/** `${NAME}` or `file:path`, for each kind. */
export type CredentialReferences = Readonly<Partial<Record<(typeof KINDS)[number], string>>>

const VARIABLE = /^\$\{(\w+)\}$/

/** The references, or what is wrong with them. A secret that stands there as text is not repeated. */
export function referencesOf(given: JsonValue | undefined): CredentialReferences | string {
  if (!isJsonObject(given)) return `'credentials' must be a map with ${KINDS.join(' or ')}`
  const references: Partial<Record<(typeof KINDS)[number], string>> = {}
  for (const [key, text] of Object.entries(given)) {
    const kind = KINDS.find((known) => known === key)
    if (kind === undefined) return `unknown credentials '${key}'; known are ${KINDS.join(', ')}`
    if (typeof text !== 'string' || !(VARIABLE.test(text) || text.startsWith('file:')))
      return `secrets are not written into the list; write ${key}: \${NAME} for an environment variable, or ${key}: file:/path`
    references[kind] = text
  }
  return references
}

/** The secrets themselves, or which reference leads nowhere on this machine. */
export function lookUp(references: CredentialReferences = {}): CredentialOptions | string {
  const found: { bearer?: string; apiKey?: string } = {}
  for (const [kind, reference] of Object.entries(references) as [keyof CredentialReferences, string][]) {
    const secret = secretOf(reference)
    if (typeof secret !== 'string') return `its credentials refer to ${secret.missing}`
    found[kind] = secret
  }
  return found
}

function secretOf(reference: string): string | { missing: string } {
  const name = VARIABLE.exec(reference)?.[1]
  if (name !== undefined) {
    const value = process.env[name]
    return value === undefined || value === ''
      ? { missing: `the environment variable ${name}, which is not set for this worker` }
      : value
  }
  const path = reference.slice('file:'.length).replace(/^~(?=\/)/, homedir())
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    return { missing: `the file ${path}, which cannot be read: ${whyUnreadable(cause)}` }
  }
}
