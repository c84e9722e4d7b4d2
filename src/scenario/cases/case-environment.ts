// Everything a case needs, started in this process on free ports: artifact service, scripted agent, token server, proxy.
// An environment belongs to one run of one case, so cases cannot disturb each other.

import type { ArtifactStore } from '../../artifacts/artifact-store.ts'
import { createMemoryArtifactStore } from '../../artifacts/memory-store.ts'
import { defined } from '../../base/defined.ts'
import { SERVED_BINDINGS } from '../../bindings/serving.ts'
import { A2AClient } from '../../client/a2a-client.ts'
import type { DialectId } from '../../dialects/dialect.ts'
import { MODEL_GENERATION } from '../../dialects/index.ts'
import { createMockAgent, type MockAgent } from '../../mock/index.ts'
import type { DownstreamAuth } from '../../proxy/downstream-credentials.ts'
import { createProxy } from '../../proxy/proxy.ts'
import type { Case, Variant } from './load-case.ts'
import { startTokenServer, type TokenServer } from './token-server.ts'

const IDENTITY_HEADER = 'X-Parley-User'
const DEFAULT_USER = 'tester@example.com'
const DEFAULT_AGENT = 'agent'

export interface CaseEnvironment {
  readonly artifacts: ArtifactStore
  readonly mock: MockAgent
  readonly tokens: TokenServer | undefined
  /** What the agent is spoken to in. */
  readonly spoken: DialectId
  /** Owner of the case's artifacts. */
  readonly owner: { readonly app: string; readonly user: string; readonly session: string }
  clientFor(user: string): Promise<A2AClient>
  close(): Promise<void>
}

export async function openEnvironment(written: Case, variant: Variant): Promise<CaseEnvironment> {
  const { gateway_input: input, proxy: settings = {} } = written
  const context = input.external_context?.session
  const owner = {
    app: input.target_agent_name ?? DEFAULT_AGENT,
    user: input.user_identity ?? DEFAULT_USER,
    session: typeof context === 'string' ? context : written.test_case_id,
  }
  const closing: Closing = []
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each()
  }
  try {
    const artifacts = createMemoryArtifactStore()
    closing.push(() => artifacts.close())
    await storeArtifacts(written, owner, artifacts)
    const hasOwnPort = SERVED_BINDINGS.some(({ id, hasOwnPort: own }) => own && id === variant.binding)
    const mock = await startAgent(written, hasOwnPort)
    closing.push(() => mock.stop())
    const { oauth2 } = written.downstream_auth ?? {}
    const tokens = oauth2 === undefined ? undefined : await startTokenServer(oauth2)
    if (tokens !== undefined) closing.push(() => tokens.close())
    // Translating, the agent keeps to the newest generation, whatever the caller speaks.
    const spoken = settings.translate === true ? MODEL_GENERATION : variant.generation
    const agent = {
      name: owner.app,
      url: `${mock.url}/v${spoken}`,
      speaks: [spoken],
      // Over gRPC on both sides; what shares a port is spoken to the agent as its card prefers.
      ...(hasOwnPort ? { transports: [variant.binding] } : {}),
      ...defined({
        auth: authOf(written, tokens),
        idleTimeoutMs: settings.idle_timeout,
        totalTimeoutMs: settings.total_timeout,
      }),
      askAfterCut: settings.ask_after_cut ?? false,
    }
    const proxy = createProxy({
      agents: [agent],
      identityHeader: IDENTITY_HEADER,
      ...(hasOwnPort ? { grpc: {}, allowPrivateUpstreams: true } : {}),
      ...(settings.artifacts === false ? {} : { artifacts }),
      ...(settings.translate === true ? { translate: [variant.generation] } : {}),
      ...defined({ faults: settings.faults }),
    })
    const { url } = await proxy.listen()
    closing.push(() => proxy.close({ graceMs: 0 }))
    return { artifacts, mock, tokens, spoken, owner, clientFor: clientsOf(url, variant, closing), close }
  } catch (error) {
    await close()
    throw error
  }
}

type Closing = (() => Promise<void> | void)[]

/** One client for each user, made when it is first asked for. */
function clientsOf(url: string, variant: Variant, closing: Closing): CaseEnvironment['clientFor'] {
  const clients = new Map<string, Promise<A2AClient>>()
  const connect = async (user: string) => {
    const client = await A2AClient.connect(url, {
      headers: [[IDENTITY_HEADER, user]],
      versions: [variant.generation],
      transports: [variant.binding],
      fallback: false,
    })
    closing.push(() => client.close())
    return client
  }
  return (user) => {
    const known = clients.get(user) ?? connect(user)
    clients.set(user, known)
    return known
  }
}

async function storeArtifacts(written: Case, owner: CaseEnvironment['owner'], store: ArtifactStore): Promise<void> {
  for (const { filename, text, bytes_base64, mime_type, user_identity, session } of written.setup_artifacts ?? []) {
    const bytes = text === undefined ? Buffer.from(bytes_base64 ?? '', 'base64') : Buffer.from(text)
    await store.save(
      { app: owner.app, user: user_identity ?? owner.user, session: session ?? owner.session, name: filename },
      { bytes, source: 'setup', ...defined({ mimeType: mime_type }) },
    )
  }
}

async function startAgent(written: Case, hasOwnPort: boolean): Promise<MockAgent> {
  const { script } = written
  const isTurns = Array.isArray(script)
  const options = script === undefined || isTurns ? {} : { scriptText: JSON.stringify(script) }
  const mock = await createMockAgent(options).start(hasOwnPort ? { grpcPort: 0 } : {})
  if (isTurns) mock.prime(script)
  for (const fault of written.faults) mock.inject(fault)
  for (let refusals = written.refuse_downstream_requests ?? 0; refusals > 0; refusals--) mock.refuseOnce()
  return mock
}

function authOf(written: Case, tokens: TokenServer | undefined): DownstreamAuth | undefined {
  const { bearer, api_key: key, header = 'X-API-Key', oauth2 } = written.downstream_auth ?? {}
  if (bearer !== undefined) return { is: 'bearer', token: bearer }
  if (key !== undefined) return { is: 'api-key', header, key }
  if (oauth2 === undefined || tokens === undefined) return undefined
  const { client_id: clientId, client_secret: clientSecret, scope } = oauth2
  return { is: 'oauth2', tokenUrl: tokens.url, clientId, clientSecret, ...defined({ scope }) }
}
