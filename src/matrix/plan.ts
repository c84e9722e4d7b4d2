// The cells of a matrix: every client with every server, in every version and over every binding that both speak.

import { BINDING_IDS } from '../dialects/dialect.ts'
import { DIALECT_IDS, dialectById } from '../dialects/index.ts'
import type { Surface } from '../grade/scenario.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { CONVERSATIONS, type MatrixFile } from '../scenario/matrix/matrix-shape.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import type { ConversationId } from './conversations.ts'
import type { MatrixClient, MatrixServer } from './peers.ts'

export interface Cell {
  readonly client: MatrixClient
  readonly server: MatrixServer
  readonly surface: Surface
}

export interface MatrixPlan {
  readonly cells: readonly Cell[]
  readonly conversations: readonly ConversationId[]
}

type Limits = Pick<MatrixFile, 'versions' | 'bindings' | 'conversations'>

/** `only`: `client→server` (or `client->server`), a client, a server, or a conversation. */
export function planMatrix(
  peers: { clients: readonly MatrixClient[]; servers: readonly MatrixServer[] },
  limits: Limits,
  only: readonly string[] = [],
): MatrixPlan {
  const { versions = DIALECT_IDS, bindings = BINDING_IDS, conversations = CONVERSATIONS } = limits
  const wanted = only.map((word) => word.split(/→|->/).map((each) => each.trim()))
  checkNames(wanted.flat(), peers)
  const isConversation = (word: string) => (CONVERSATIONS as readonly string[]).includes(word)
  const asked = wanted.flat().filter(isConversation)
  const pairs = wanted.filter((words) => !words.every(isConversation))
  const isWanted = (client: string, server: string) =>
    pairs.length === 0 ||
    pairs.some(([first, second]) =>
      second === undefined ? first === client || first === server : first === client && second === server,
    )
  const cells = peers.servers.flatMap((server) =>
    peers.clients
      .filter((client) => isWanted(client.name, server.name))
      .flatMap((client) =>
        surfacesOf(versions, bindings, client, server).map((surface) => ({ client, server, surface })),
      ),
  )
  if (cells.length === 0)
    throw new ParleyError('nothing-selected', 'No client and server of the matrix share a version and a binding.', {
      exitCode: EXIT.inconclusive,
      hint: 'Look at versions and bindings of the file and its peers, and at --only.',
    })
  return {
    cells,
    conversations: asked.length === 0 ? conversations : conversations.filter((each) => asked.includes(each)),
  }
}

function surfacesOf(
  versions: readonly Surface['version'][],
  bindings: readonly Surface['binding'][],
  client: MatrixClient,
  server: MatrixServer,
): Surface[] {
  return versions
    .filter(
      (version) => (client.versions ?? versions).includes(version) && (server.versions ?? versions).includes(version),
    )
    .flatMap((version) =>
      bindings
        .filter(
          (binding) =>
            (client.bindings ?? bindings).includes(binding) && (server.bindings ?? bindings).includes(binding),
        )
        .filter((binding) => dialectById(version).codecs[binding] !== undefined)
        .map((binding) => ({ version, binding })),
    )
}

function checkNames(names: readonly string[], { clients, servers }: Parameters<typeof planMatrix>[0]): void {
  const known = [...clients.map(({ name }) => name), ...servers.map(({ name }) => name), ...CONVERSATIONS]
  const unknown = names.find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new ParleyError(
    'unknown-peer',
    `There is no client, server or conversation '${unknown}'${didYouMean(unknown, known) || '.'}`,
    { exitCode: EXIT.usage, hint: "--only takes 'client→server', a client, a server or a conversation." },
  )
}
