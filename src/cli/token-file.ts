// Tokens that a person asked to keep (`--save-token`): one JSON file only its owner may read, by token server, client and scope.

import { chmodSync, mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Tokens } from '../auth/token-endpoint.ts'
import { isJsonObject, type JsonObject } from '../model/json.ts'
import { usage } from './flag-values.ts'

export function defaultTokenFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CONFIG_HOME
  return join(base === undefined || base === '' ? join(homedir(), '.config') : base, 'a2a-parley', 'tokens.json')
}

export function readTokens(file: string, key: string): Tokens | undefined {
  const found = entriesOf(file)[key]
  if (!isJsonObject(found)) return undefined
  const { accessToken, refreshToken, staleAtMs } = found
  if (typeof accessToken !== 'string' || typeof staleAtMs !== 'number') return undefined
  return { accessToken, staleAtMs, ...(typeof refreshToken === 'string' ? { refreshToken } : {}) }
}

export function writeTokens(file: string, key: string, tokens: Tokens): void {
  const entries = { ...entriesOf(file), [key]: { ...tokens } }
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(entries, null, 2)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, file)
}

function entriesOf(file: string): JsonObject {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) return {}
  if (process.platform !== 'win32' && (found.mode & 0o077) !== 0)
    throw usage(`The token file ${file} can be read by others.`, `Make it yours alone: chmod 600 ${file}`)
  try {
    const json: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (isJsonObject(json)) return json
  } catch {
    // Said below.
  }
  throw usage(`The token file ${file} does not hold JSON.`, 'Delete it, or name another with --save-token FILE.')
}
