// Interfaces a card declares in words no client can act upon: a misspelled binding, a version that is none. They must
// not drop out of the run in silence.

import { isProtocolVersion } from '../../dialects/version.ts'
import type { DeclaredInterface } from '../probe/surface.ts'

/** How people misspell the core bindings, without case and punctuation. */
const MISSPELLINGS: Readonly<Record<string, string>> = {
  jsonrpc: 'JSONRPC',
  jsonrpc20: 'JSONRPC',
  jsonrpc2: 'JSONRPC',
  rpc: 'JSONRPC',
  httpjson: 'HTTP+JSON',
  httpjsonrest: 'HTTP+JSON',
  restjson: 'HTTP+JSON',
  rest: 'HTTP+JSON',
  http: 'HTTP+JSON',
  https: 'HTTP+JSON',
  grpc: 'GRPC',
}

/** Why the interface cannot be used, whatever answers there; undefined when the words are in order. */
export function misdeclared(entry: DeclaredInterface): string | undefined {
  const { bindingText, versionText } = entry
  if (entry.binding === undefined) {
    const meant = MISSPELLINGS[bindingText.toLowerCase().replaceAll(/[^a-z0-9]/g, '')]
    if (meant !== undefined && meant !== bindingText) return `its binding is called ${meant}, not "${bindingText}"`
    if (bindingText.trim() === '') return 'it names no binding'
  }
  if (!isProtocolVersion(versionText)) return `"${versionText}" is not a protocol version`
  return undefined
}
