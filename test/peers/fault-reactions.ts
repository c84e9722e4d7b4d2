// What clients do when an answer goes wrong, in a few words: what they saw, and how it ended. Ours, and those of the
// official JavaScript SDK 1.3 and 0.3.

import { randomUUID } from 'node:crypto'
import { Role } from '@a2a-js/sdk'
import { ClientFactory } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { credentials } from '@grpc/grpc-js'
import { ClientFactory as ClientFactory03 } from 'a2a-js-sdk-0-3/client'
import { A2AClient, A2AError, ParleyError } from '../../src/client/index.ts'
import type { BindingId } from '../../src/dialects/dialect.ts'
import type { FaultName } from '../../src/mock/faults/catalogue.ts'
import type { FaultInput } from '../../src/mock/index.ts'

/** A task with text beyond ASCII, a file and several states, so that every fault finds something to spoil. */
export const FAULT_SCRIPT = `
rules:
  - id: work
    turns:
      - - { status: working, text: "Grüße 🎉" }
        - { artifact: { name: a.bin, base64: "AAECAw==" } }
        - { status: working, text: "almost" }
        - { complete: "Done." }
`

/** For faults that need to be told what to do. */
export const FAULT_PARAMS: { readonly [name in FaultName]?: FaultInput['with'] } = {
  'http-status': { status: 503, body: 'busy', retryAfter: 1 },
  'slow-drip': { bytes: 400, interval: '1ms' },
  'grpc-status': { code: 14, message: 'busy' },
}

/** Long enough for an answer from this machine, short enough to call silence silence. */
const SILENCE_MS = 1_000

const message = () => ({ messageId: randomUUID(), role: 'ROLE_USER' as const, parts: [{ text: 'go' }] })

/** The agent at the URL is asked once; resolves with what came of it. */
export type Probe = (url: string) => Promise<string>

const ourUnaryOver =
  (binding: BindingId): Probe =>
  (url) =>
    answered(async () => {
      using client = await A2AClient.connect(url, { transports: [binding], fallback: false })
      const result = await client.sendMessage({ message: message() })
      return 'task' in result ? `task ${short(result.task.status.state)}` : 'message'
    })

const ourStreamOver =
  (binding: BindingId): Probe =>
  (url) =>
    told(async (seen) => {
      using client = await A2AClient.connect(url, { transports: [binding], fallback: false })
      for await (const { event } of client.streamMessage({ message: message() }))
        if ('task' in event) seen(short(event.task.status.state))
        else if ('statusUpdate' in event) seen(short(event.statusUpdate.status.state))
        else seen('artifactUpdate' in event ? 'artifact' : 'message')
    })

export const ourUnary = ourUnaryOver('jsonrpc')
export const ourStream = ourStreamOver('jsonrpc')
export const ourGrpcUnary = ourUnaryOver('grpc')
export const ourGrpcStream = ourStreamOver('grpc')

const sdkRequest = () => ({
  tenant: '',
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts: [{ content: { $case: 'text' as const, value: 'go' }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
  configuration: undefined,
  metadata: undefined,
})

const STATES = [
  'unspecified',
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
]

function sdkState(state: number | undefined): string {
  return STATES[state ?? 0] ?? `state ${state}`
}

/** The SDK's client over gRPC, in plaintext. */
function grpcFactory(): ClientFactory {
  const grpcChannelCredentials = credentials.createInsecure()
  return new ClientFactory({ transports: [new GrpcTransportFactory({ grpcChannelCredentials })] })
}

const sdkUnaryOver =
  (factory: () => ClientFactory): Probe =>
  (url) =>
    answered(async () => {
      const client = await factory().createFromUrl(url)
      const result = await client.sendMessage(sdkRequest())
      return 'status' in result ? `task ${sdkState(result.status?.state)}` : 'message'
    })

const sdkStreamOver =
  (factory: () => ClientFactory): Probe =>
  (url) =>
    told(async (seen) => {
      const client = await factory().createFromUrl(url)
      for await (const { payload } of client.sendMessageStream(sdkRequest())) {
        if (payload?.$case === 'task' || payload?.$case === 'statusUpdate') seen(sdkState(payload.value.status?.state))
        else seen(payload?.$case === 'artifactUpdate' ? 'artifact' : (payload?.$case ?? 'nothing'))
      }
    })

export const sdkUnary = sdkUnaryOver(() => new ClientFactory())
export const sdkStream = sdkStreamOver(() => new ClientFactory())
export const sdkGrpcUnary = sdkUnaryOver(grpcFactory)
export const sdkGrpcStream = sdkStreamOver(grpcFactory)

const sdk03Request = () => ({
  message: {
    kind: 'message' as const,
    messageId: randomUUID(),
    role: 'user' as const,
    parts: [{ kind: 'text' as const, text: 'go' }],
  },
})

export const sdk03Unary: Probe = (url) =>
  answered(async () => {
    const client = await new ClientFactory03().createFromUrl(`${url}/.well-known/agent-card.json`, '')
    const result = await client.sendMessage(sdk03Request())
    return result.kind === 'task' ? `task ${result.status.state}` : result.kind
  })

export const sdk03Stream: Probe = (url) =>
  told(async (seen) => {
    const client = await new ClientFactory03().createFromUrl(`${url}/.well-known/agent-card.json`, '')
    for await (const event of client.sendMessageStream(sdk03Request()))
      if (event.kind === 'task' || event.kind === 'status-update') seen(event.status.state)
      else seen(event.kind === 'artifact-update' ? 'artifact' : event.kind)
  })

/** What was seen, and how it ended. */
async function told(run: (seen: (what: string) => void) => Promise<void>): Promise<string> {
  const seen: string[] = []
  let silence: NodeJS.Timeout | undefined
  const silent = new Promise<string>((resolve) => {
    silence = setTimeout(() => resolve('waits'), SILENCE_MS)
  })
  const end = await Promise.race([run((what) => seen.push(what)).then(() => 'end', nameOf), silent])
  clearTimeout(silence)
  return [...seen, end].join(', ')
}

async function answered(run: () => Promise<string>): Promise<string> {
  let answer = ''
  const end = await told(async () => {
    answer = await run()
  })
  return end === 'end' ? answer : end
}

function nameOf(error: unknown): string {
  if (error instanceof A2AError) return `error ${error.kind}`
  if (error instanceof ParleyError) return `error ${error.code}`
  return error instanceof Error ? `error ${error.constructor.name}` : 'error'
}

function short(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', '-')
}
