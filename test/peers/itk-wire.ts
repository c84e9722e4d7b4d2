// Instructions of the integration test kit as its runner writes them: just enough protobuf for the tests.

export interface CallOptions {
  transport: string
  cardUri: string
  instruction: Uint8Array
  isStreaming?: boolean
  resubscribes?: boolean
  webhook?: string
}

export const respond = (text: string, holdsTask = false): Uint8Array =>
  bytesField(2, join(textField(1, text), holdsTask ? varintField(2, 1) : none))

export const steps = (...instructions: Uint8Array[]): Uint8Array =>
  bytesField(3, join(...instructions.map((instruction) => bytesField(1, instruction)), varintField(2, 1)))

export function callAgent(options: CallOptions): Uint8Array {
  const { transport, cardUri, instruction, isStreaming, resubscribes, webhook } = options
  return bytesField(
    1,
    join(
      ...[textField(1, transport), textField(2, cardUri), bytesField(3, instruction)],
      isStreaming ? varintField(4, 1) : none,
      resubscribes ? bytesField(7, none) : webhook === undefined ? bytesField(5, none) : none,
      webhook === undefined ? none : bytesField(6, textField(1, webhook)),
    ),
  )
}

export function instructionPart(instruction: Uint8Array) {
  const raw = Buffer.from(instruction).toString('base64')
  return { raw, mediaType: 'application/x-protobuf', filename: 'instruction.bin' }
}

const none = new Uint8Array()

export function varintField(number: number, value: number): Uint8Array {
  return join(varint(number * 8), varint(value))
}

function textField(number: number, text: string): Uint8Array {
  return bytesField(number, new TextEncoder().encode(text))
}

export function bytesField(number: number, bytes: Uint8Array): Uint8Array {
  return join(varint(number * 8 + 2), varint(bytes.length), bytes)
}

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    bytes.push(rest < 128 ? rest : (rest % 128) + 128)
    if (rest < 128) return Uint8Array.from(bytes)
  }
}

export function join(...pieces: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(pieces))
}
