// The YAML of a matrix: which servers and clients are put together, in which protocol versions and over which bindings, and
// which failures are known. Every key is read here or is an error with its line.

import { BINDING_IDS } from '../../dialects/dialect.ts'
import { DIALECT_IDS } from '../../dialects/index.ts'
import { generationShape } from '../../mock/script/script-shape.ts'
import { readSource, textOfFile } from '../../yaml/file.ts'
import {
  choice,
  durationMs,
  type Infer,
  list,
  mapOf,
  nonEmptyText,
  optional,
  record,
  refine,
  text,
} from '../../yaml/shape.ts'
import { YamlSource } from '../../yaml/source.ts'

/** What every pair is asked to do. */
export const CONVERSATIONS = [
  'card',
  'send',
  'stream',
  'multi-turn',
  'cancel',
  'get',
  'list',
  'subscribe',
  'error',
  'file',
  'data',
  'push',
] as const

const name = refine(nonEmptyText, (value, report) =>
  /^[\w.-]+$/.test(value) ? value : report("may only contain letters, digits, '_', '.' and '-'"),
)
const bindings = list(choice(BINDING_IDS), 1)
const generations = list(generationShape, 1)
const command = list(nonEmptyText, 1)
const environment = mapOf(text)

const COMMON = {
  name: 'Its name in the results.',
  version: 'The version of the SDK, for the results.',
  versions: 'Protocol versions it speaks; all of the matrix unless given.',
  bindings: 'Bindings it speaks; all of the matrix unless given.',
  cwd: 'The folder the command runs in, relative to this file.',
  env: 'Environment variables of the command.',
}

const server = refine(
  record(
    {
      name,
      url: optional(nonEmptyText),
      command: optional(command),
      cwd: optional(nonEmptyText),
      env: optional(environment),
      version: optional(nonEmptyText),
      versions: optional(generations),
      bindings: optional(bindings),
    },
    { ...COMMON, url: 'Where it listens already.', command: 'Starts it; it prints its URL as its first line.' },
  ),
  (value, report) =>
    (value.url === undefined) === (value.command === undefined) ? report('needs exactly one of url, command') : value,
)

const client = record(
  {
    name,
    command,
    harness: optional(choice(['process', 'ndjson'])),
    cwd: optional(nonEmptyText),
    env: optional(environment),
    version: optional(nonEmptyText),
    versions: optional(generations),
    bindings: optional(bindings),
  },
  {
    ...COMMON,
    command: 'Program and arguments; {url} is replaced by the URL of the server, which is added at the end otherwise.',
    harness: 'process: one process per conversation; ndjson: one process that reads a request per line.',
  },
)

const knownFailure = record(
  {
    client: name,
    server: name,
    conversation: optional(choice(CONVERSATIONS)),
    version: optional(generationShape),
    binding: optional(choice(BINDING_IDS)),
    reason: nonEmptyText,
    link: optional(nonEmptyText),
  },
  {
    client: 'Who calls.',
    server: 'Who answers.',
    conversation: 'In which conversation; in all unless given.',
    version: 'In which protocol version; in all unless given.',
    binding: 'Over which binding; over all unless given.',
    reason: 'Why it is accepted. An entry that no longer fails ends the run with exit code 11.',
    link: 'Where it is tracked.',
  },
)

export const matrixShape = record(
  {
    servers: list(server, 1),
    clients: list(client, 1),
    versions: optional(generations),
    bindings: optional(bindings),
    conversations: optional(list(choice(CONVERSATIONS), 1)),
    timeout: optional(durationMs),
    known: optional(list(knownFailure)),
  },
  {
    servers: 'Who answers.',
    clients: 'Who calls.',
    versions: `Protocol versions to try; ${DIALECT_IDS.join(', ')} unless given.`,
    bindings: 'Bindings to try; all unless given.',
    conversations: 'What every pair is asked to do; everything unless given.',
    timeout: 'For one conversation, such as 30s.',
    known: 'Failures that are known and do not count.',
  },
)

export type MatrixFile = Infer<typeof matrixShape>

export function readMatrix(path: string): MatrixFile {
  return parseMatrix(textOfFile(path, 'matrix', 'matrix-unreadable'), path)
}

export function parseMatrix(written: string, file = 'matrix.yaml'): MatrixFile {
  const source = new YamlSource(file, written)
  return readSource(source, matrixShape, 'bad-matrix', (matrix) => checkNames(matrix, source))
}

function checkNames({ servers, clients, known = [] }: MatrixFile, source: YamlSource): void {
  for (const [what, all] of [
    ['server', servers],
    ['client', clients],
  ] as const) {
    const names = all.map((one) => one.name)
    const twice = names.find((one, at) => names.indexOf(one) !== at)
    if (twice !== undefined) source.report(source.root, `two ${what}s are called '${twice}'`)
    const stranger = known.map((entry) => entry[what]).find((one) => !names.includes(one))
    if (stranger !== undefined)
      source.report(source.root, `known names the ${what} '${stranger}', which does not exist`)
  }
}
