// The reference agents as one set of mounts: what `parley serve` puts on its paths.

import type { SpecRevision } from '../dialects/dialect.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { AuthConfig } from '../server/auth/auth-config.ts'
import type { CardSigning } from '../server/card-signing.ts'
import type { CardInput, MountOptions } from '../server/mount-options.ts'
import {
  ECHO_CARD,
  EXTENDED_SPEC_CARD,
  ITK_CARD,
  LEGACY_CARD,
  PUSH_CARD,
  RELAY_CARD,
  SECURE_CARD,
  SIGNED_CARD,
  SPEC_CARD,
  SPEC03_CARD,
  TCK_CARD,
  TCK03_CARD,
} from './cards.ts'
import { echoAgent } from './echo.ts'
import { type ItkOptions, itkAgent } from './itk.ts'
import { type RelayOptions, relayAgent } from './relay.ts'
import { specAgent } from './spec.ts'
import { tck03Agent, tckAgent } from './tck.ts'

export interface ReferenceOptions {
  relay: RelayOptions
  /** How `/itk` calls other agents; not at all unless given. */
  itk?: ItkOptions
  /** Who may call the secure agents; two test tokens when nothing is given. */
  auth?: readonly AuthConfig[]
  /** The revision `/tck` speaks, for kits that still expect 1.0.0. */
  revision?: SpecRevision
  /** Signs the card of `/signed`, which is only there with it. */
  signing?: CardSigning
  /** URI of an extension `/tck` requires of its clients. */
  requiredExtension?: string
  /** The mount that is also at the root of the host; `/spec` unless given. */
  root?: string
}

/** Tokens that open the extended card; the second is what existing client programs send. */
const EXTENDED_CARD_TOKENS: ReadonlySet<string> = new Set(['Bearer parley-test-token', 'Bearer agentbin-test-token'])

const extendedCard: NonNullable<MountOptions['extendedCard']> = {
  card: EXTENDED_SPEC_CARD,
  isVisibleTo: ({ authorization }) => authorization !== undefined && EXTENDED_CARD_TOKENS.has(authorization),
  // No requirement beside it: everything else is open, and one official client cannot parse requirements.
  securitySchemes: { bearer: { httpAuthSecurityScheme: { scheme: 'Bearer' } } },
}

/** Whoever got past authentication, but one: so that there is a caller who may see less. */
const forAllButBob: NonNullable<MountOptions['extendedCard']> = {
  card: { ...EXTENDED_SPEC_CARD, name: 'Parley Secure Spec Agent (Extended)' },
  isVisibleTo: ({ subject }) => subject !== 'bob',
}

/** Known to everybody, for trying out authentication, and the isolation and the permissions of two callers. */
const TEST_AUTH: readonly AuthConfig[] = [
  { kind: 'bearer', token: 'parley-test-token', subject: 'alice' },
  { kind: 'bearer', token: 'parley-other-token', subject: 'bob' },
]

const CALLS_NOBODY: ItkOptions = { allowsCalls: false, call: async () => [] }

export function referenceAgents(options: ReferenceOptions): MountOptions[] {
  const revision = options.revision === undefined ? {} : { revision: options.revision }
  const auth = options.auth?.length ? options.auth : TEST_AUTH
  const { signing } = options
  const mounts: MountOptions[] = [
    { path: '/echo', card: ECHO_CARD, agent: echoAgent, unversionedAs: '1.0' },
    { path: '/spec', card: SPEC_CARD, agent: specAgent, unversionedAs: '1.0', extendedCard },
    { path: '/spec03', card: SPEC03_CARD, agent: specAgent, dialects: ['0.3'] },
    { path: '/legacy', card: LEGACY_CARD, agent: specAgent, dialects: ['0.1'] },
    { path: '/push', card: PUSH_CARD, agent: specAgent, unversionedAs: '1.0', extendedCard },
    { path: '/secure', card: SECURE_CARD, agent: specAgent, unversionedAs: '1.0', auth, extendedCard: forAllButBob },
    { path: '/secure-legacy', card: LEGACY_CARD, agent: specAgent, dialects: ['0.1'], auth },
    { path: '/relay', card: RELAY_CARD, agent: relayAgent(options.relay), unversionedAs: '1.0', pages: [] },
    // The kit looks for JSON-RPC below its agents.
    {
      path: '/itk',
      card: ITK_CARD,
      agent: itkAgent(options.itk ?? CALLS_NOBODY),
      unversionedAs: '1.0',
      pages: [],
      rpcPaths: ['/jsonrpc'],
    },
    // The kit of 1.0 asks for streams alone and yet knows an error only as JSON.
    { path: '/tck', card: tckCard(options), agent: tckAgent, dialects: ['1.0'], plainErrors: true, ...revision },
    { path: '/tck03', card: TCK03_CARD, agent: tck03Agent, dialects: ['0.3'] },
    ...(signing === undefined
      ? []
      : [{ path: '/signed', card: SIGNED_CARD, agent: specAgent, unversionedAs: '1.0' as const, signing }]),
  ]
  return [atRoot(mounts, options.root ?? '/spec'), ...mounts]
}

/** The same agent at the root of the host, with the same tasks: kits look for the card there and nowhere else. */
function atRoot(mounts: readonly MountOptions[], wanted: string): MountOptions {
  const mount = mounts.find(({ path }) => path === `/${wanted.replace(/^\/+|\/+$/g, '')}`)
  if (mount?.path !== undefined) return { ...mount, path: '/', name: mount.name ?? mount.path }
  const names = mounts.map(({ path = '' }) => path.slice(1)).join(', ')
  throw new ParleyError('usage', `There is no agent ${wanted} to put at the root; choose one of ${names}.`, {
    exitCode: EXIT.usage,
  })
}

function tckCard({ requiredExtension }: ReferenceOptions): CardInput {
  if (requiredExtension === undefined) return TCK_CARD
  const extensions = [{ uri: requiredExtension, description: 'Required by --require-extension.', required: true }]
  return { ...TCK_CARD, capabilities: { ...TCK_CARD.capabilities, extensions } }
}
