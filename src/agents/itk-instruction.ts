// The instructions of the integration test kit (ITK): protobuf bytes in a message part, read by hand. An instruction meant
// for another agent stays bytes, so that nesting costs nothing here and nothing of it is lost on the way.

import type { Message, Part } from '../model/task.ts'

export type Instruction =
  | { readonly is: 'call'; readonly call: CallInstruction }
  | { readonly is: 'response'; readonly text: string; readonly holdsTask: boolean }
  | { readonly is: 'steps'; readonly steps: readonly Instruction[] }

export interface CallInstruction {
  /** As the kit writes it: jsonrpc, http_json, grpc. */
  readonly transport: string
  readonly cardUri: string
  /** For the called agent. */
  readonly instruction: Uint8Array
  readonly isStreaming: boolean
  readonly resubscribes: boolean
  /** Where the called agent shall report its progress. */
  readonly webhook: string | undefined
}

export const INSTRUCTION_TYPE = 'application/x-protobuf'
export const INSTRUCTION_FILE = 'instruction.bin'

/** More than any traversal of the kit needs, and less than would make one message a burden to others. */
const MAX_STEPS = 64
const MAX_DEPTH = 16

/** The first instruction in the message; undefined when there is none that can be read. */
export function instructionIn(message: Message): Instruction | undefined {
  for (const part of message.parts) {
    const bytes = bytesIn(part)
    if (bytes === undefined) continue
    try {
      return readInstruction(bytes, { left: MAX_STEPS }, MAX_DEPTH)
    } catch (error) {
      if (!(error instanceof Malformed)) throw error
    }
  }
  return undefined
}

/** Some clients have no binary parts and send the bytes as base64 text. */
function bytesIn(part: Part): Uint8Array | undefined {
  const base64 = 'raw' in part ? part.raw : 'text' in part ? part.text : undefined
  return base64 === undefined || !/^[A-Za-z0-9+/_-]+=*$/.test(base64) ? undefined : Buffer.from(base64, 'base64')
}

class Malformed extends Error {}

function readInstruction(bytes: Uint8Array, budget: { left: number }, depth: number): Instruction {
  if (budget.left-- === 0 || depth === 0) throw new Malformed()
  let read: Instruction | undefined
  for (const { number, bytes: inside } of fieldsOf(bytes)) {
    if (inside === undefined) continue
    if (number === 1) read = { is: 'call', call: readCall(inside) }
    else if (number === 2) read = readResponse(inside)
    else if (number === 3) read = { is: 'steps', steps: readSteps(inside, budget, depth) }
  }
  if (read === undefined) throw new Malformed()
  return read
}

function readSteps(bytes: Uint8Array, budget: { left: number }, depth: number): Instruction[] {
  const steps: Instruction[] = []
  for (const { number, bytes: inside } of fieldsOf(bytes))
    if (number === 1 && inside !== undefined) steps.push(readInstruction(inside, budget, depth - 1))
  return steps
}

function readResponse(bytes: Uint8Array): Instruction {
  let text = ''
  let holdsTask = false
  for (const { number, bytes: inside, value } of fieldsOf(bytes)) {
    if (number === 1 && inside !== undefined) text = textIn(inside)
    else if (number === 2) holdsTask = value !== 0
  }
  return { is: 'response', text, holdsTask }
}

function readCall(bytes: Uint8Array): CallInstruction {
  const call: { -readonly [K in keyof CallInstruction]: CallInstruction[K] } = {
    ...{ transport: '', cardUri: '', instruction: new Uint8Array() },
    ...{ isStreaming: false, resubscribes: false, webhook: undefined },
  }
  for (const { number, bytes: inside, value } of fieldsOf(bytes)) {
    if (number === 4) call.isStreaming = value !== 0
    else if (inside === undefined) continue
    else if (number === 1) call.transport = textIn(inside)
    else if (number === 2) call.cardUri = textIn(inside)
    else if (number === 3) call.instruction = inside
    else if (number === 6) call.webhook = [...fieldsOf(inside)].map((url) => textIn(url.bytes ?? inside)).at(-1) ?? ''
    else if (number === 7) call.resubscribes = true
  }
  return call
}

interface Field {
  number: number
  /** Of a varint; 0 for everything else. */
  value: number
  /** Of a string or an embedded message. */
  bytes: Uint8Array | undefined
}

/** The fields of a protobuf message in the order they were written, unknown ones included. */
function* fieldsOf(bytes: Uint8Array): Generator<Field> {
  let at = 0
  const varint = (): number => {
    let value = 0
    for (let scale = 1; scale < 2 ** 64; scale *= 128) {
      const byte = bytes[at++]
      if (byte === undefined) throw new Malformed()
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
    throw new Malformed()
  }
  const take = (length: number): Uint8Array => {
    if (length > bytes.length - at) throw new Malformed()
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = varint()
    const number = Math.floor(tag / 8)
    if (number === 0) throw new Malformed()
    const wireType = tag % 8
    if (wireType === 0) yield { number, value: varint(), bytes: undefined }
    else if (wireType === 2) yield { number, value: 0, bytes: take(varint()) }
    else if (wireType === 1 || wireType === 5) take(wireType === 1 ? 8 : 4)
    else throw new Malformed()
  }
}

function textIn(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Malformed()
  }
}
