// What the generations before 1.0 have in common: nested files, words for roles, streams that end when the agent's turn is
// over, push credentials with a list of schemes.

import type { PushAuthentication, StreamingOperation } from '../model/operation.ts'
import { isSettled } from '../model/state-machine.ts'
import type { Part, Role, TaskState } from '../model/task.ts'
import type { Losses } from './losses.ts'

export type WireRole = 'user' | 'agent'

export interface WireFile {
  name?: string
  mimeType?: string
  bytes?: string
  uri?: string
}

export interface WireAuthentication {
  schemes: string[]
  credentials?: string
}

export function encodeRole(role: Role): WireRole {
  return role === 'ROLE_USER' ? 'user' : 'agent'
}

export function decodeRole(role: WireRole): Role {
  return role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT'
}

/** With `final: true`, at terminal and interrupted states (0.3 §7.2.2). */
export function endsStream(_op: StreamingOperation, state: TaskState): boolean {
  return isSettled(state)
}

/** A part without its tag, which holds a file. */
export function unnestFile({ file, ...part }: { file: WireFile }): Part {
  const { bytes, uri, name, mimeType, ...unknown } = file
  return {
    ...part,
    ...(bytes === undefined ? { url: uri ?? '' } : { raw: bytes }),
    ...(name === undefined ? {} : { filename: name }),
    ...(mimeType === undefined ? {} : { mediaType: mimeType }),
    // Unknown members of the file stay with it, for the way back.
    ...(Object.keys(unknown).length === 0 ? {} : { file: unknown }),
  }
}

/** The same part without its tag, with the file nested. */
export function nestFile(part: Extract<Part, { raw: string } | { url: string }>): { file: WireFile } {
  const { filename, mediaType, ...rest } = part
  const { file: unknown, ...named } = rest as typeof rest & { file?: object }
  const file: WireFile = { ...unknown }
  if (filename !== undefined) file.name = filename
  if (mediaType !== undefined) file.mimeType = mediaType
  if ('raw' in named) {
    const { raw, ...others } = named
    return { ...others, file: { ...file, bytes: raw } }
  }
  const { url, ...others } = named
  return { ...others, file: { ...file, uri: url } }
}

/** They travel as members the generation does not know: harmless, and restored by whoever does. */
export function checkFileMembers(part: Part, pointer: string, lost: Losses, version: string): void {
  lost.check(part, 'filename', pointer, `${version} names files only`)
  lost.check(part, 'mediaType', pointer, `${version} types files only`)
}

/** 1.0 has one scheme: the first. A longer list stays beside it, unknown to 1.0, for the way back. */
export function decodeAuthentication(wire: WireAuthentication): PushAuthentication {
  const { schemes, ...rest } = wire
  return { ...rest, scheme: schemes[0] ?? '', ...(schemes.length > 1 ? { schemes } : {}) }
}

export function encodeAuthentication(authentication: PushAuthentication): WireAuthentication {
  const { scheme, schemes, ...rest } = authentication as PushAuthentication & { schemes?: string[] }
  return { ...rest, schemes: schemes ?? (scheme === '' ? [] : [scheme]) }
}
