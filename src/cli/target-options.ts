// The flags every command that talks to an agent shares, read into the options of the client. Values are checked
// here, so that a typing mistake is one sentence and exit code 2, before anything is sent.

import { type Command, Option } from 'commander'
import { readFileUpTo } from '../base/read-file-up-to.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import type { ClientOptions } from '../client/a2a-client.ts'
import type { BindingId, DialectId } from '../dialects/dialect.ts'
import { BINDING_IDS } from '../dialects/dialect.ts'
import { DIALECT_IDS } from '../dialects/index.ts'
import type { Attempt } from '../discovery/discover.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { TlsOptions } from '../net/http-request.ts'
import { checkTls, type TlsMaterial } from '../net/serve/check-tls.ts'
import { bearerToken, collect, duration, oneOf, usage } from './flag-values.ts'
import { terminalLine } from './terminal-text.ts'

export interface TargetFlags {
  transport?: BindingId[]
  a2aVersion?: DialectId[]
  bearer?: string
  apiKey?: string
  header?: [string, string][]
  allowOrigin?: string[]
  tenant?: string
  timeout?: number
  insecure?: boolean
  plaintext?: boolean
  caCert?: string
  clientCert?: string
  clientKey?: string
  extension?: string[]
}

export function addTargetOptions(command: Command): Command {
  return command
    .option(
      '--transport <binding>',
      `${BINDING_IDS.join(', ')}; repeatable`,
      collect(oneOf('--transport', BINDING_IDS)),
    )
    .option('--a2a-version <version>', `${VERSIONS.join(', ')}; repeatable`, collect(oneOf('--a2a-version', VERSIONS)))
    .addOption(
      new Option('--bearer <token>', 'send this bearer token').env('PARLEY_BEARER').argParser(bearerToken('--bearer')),
    )
    .addOption(new Option('--api-key <key>', 'send this API key where the card asks for it').env('PARLEY_API_KEY'))
    .option('-H, --header <line>', "send this header, 'Name: value'; repeatable", collect(parseHeader))
    .option(
      '--allow-origin <origin>',
      'another origin that may be called and receive the credentials; repeatable',
      collect(asGiven),
    )
    .option('--tenant <id>', 'speak to this tenant')
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for an answer: 500ms, 30s, 2m')
        .env('PARLEY_TIMEOUT')
        .argParser(duration('--timeout')),
    )
    .option('--plaintext', 'speak gRPC without TLS to addresses that do not say, also beyond this machine')
    .option('--insecure', 'accept any TLS certificate')
    .option('--ca-cert <file>', 'trust this certificate, of an authority or of the agent itself (PEM)')
    .option('--client-cert <file>', 'present this certificate (PEM)')
    .option('--client-key <file>', 'the key of --client-cert (PEM)')
    .option('--extension <uri>', 'activate this extension; repeatable', collect(asGiven))
}

/** `warn` is told what the user should know before it happens. */
export function clientOptions(flags: TargetFlags, warn: (line: string) => void): ClientOptions {
  if (flags.insecure === true)
    warn('Warning: --insecure accepts any certificate; anyone in between can read and answer.')
  if (flags.plaintext === true && flags.transport?.includes('grpc') === false)
    throw usage('--plaintext is about gRPC; leave it out, or add --transport grpc.')
  const { caCert: ca, clientCert: cert, clientKey: key } = flags
  const tls: TlsOptions = {
    ...(flags.insecure === true ? { insecure: true } : {}),
    ...(flags.plaintext === true ? { plaintext: true } : {}),
    ...readTlsFiles({ ca, cert, key }, CLIENT_TLS_FLAGS),
  }
  const options: ClientOptions = {}
  if (Object.keys(tls).length > 0) options.tls = tls
  if (flags.transport !== undefined) options.transports = flags.transport
  if (flags.a2aVersion !== undefined) options.versions = flags.a2aVersion
  if (flags.bearer !== undefined) options.bearer = flags.bearer
  if (flags.apiKey !== undefined) options.apiKey = flags.apiKey
  if (flags.header !== undefined) options.headers = flags.header
  if (flags.allowOrigin !== undefined) options.allowOrigins = flags.allowOrigin
  if (flags.tenant !== undefined) options.tenant = flags.tenant
  if (flags.timeout !== undefined) options.timeoutMs = flags.timeout
  if (flags.extension !== undefined) options.extensions = flags.extension
  return options
}

/** Prints every URL that is tried for a card, with its outcome. */
export function attemptLine(print: (line: string) => void): (attempt: Attempt) => void {
  return ({ url, outcome }) => print(`GET ${url}: ${terminalLine(outcome)}\n`)
}

/** `Name: value`. */
export function parseHeader(line: string): [string, string] {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(colon, 0)).trim()
  // The value may be a secret, so the message repeats nothing of it.
  if (name === '') throw usage("A header is written 'Name: value'.")
  return [name, line.slice(colon + 1).trim()]
}

/** More than any agent takes; a device never ends. */
const MOST_BYTES = 512 * 1024 * 1024

/** The text of a flag's `@file`, or the flag itself. */
export function textOrFile(flag: string, value: string): string {
  return value.startsWith('@') ? readInput(flag, value.slice(1)).toString('utf8') : value
}

export function readInput(flag: string, path: string): Buffer {
  try {
    return readFileUpTo(path, MOST_BYTES)
  } catch (cause) {
    const message = `The file ${path} given with ${flag} cannot be read: ${whyUnreadable(cause)}.`
    throw new ParleyError('unreadable-file', message, { exitCode: EXIT.usage, cause })
  }
}

type TlsPart = keyof TlsMaterial
export type TlsFiles = { readonly [part in TlsPart]?: string | undefined }

/** Certificates and keys from files, each given with a flag, and checked to be that. */
export function readTlsFiles(
  files: TlsFiles,
  flags: Readonly<Record<TlsPart, string>>,
): Pick<TlsOptions, TlsPart | 'files'> {
  if ((files.cert === undefined) !== (files.key === undefined))
    throw usage(`${flags.cert} and ${flags.key} are needed together.`)
  const given = TLS_PARTS.flatMap((part) => (files[part] === undefined ? [] : [[part, files[part]] as const]))
  if (given.length === 0) return {}
  const material: TlsMaterial = Object.fromEntries(given.map(([part, path]) => [part, readInput(flags[part], path)]))
  const name = (part: TlsPart) => `The file ${files[part]} given with ${flags[part]}`
  checkTls(material, { cert: name('cert'), key: name('key'), ca: name('ca') })
  return { ...material, files: Object.fromEntries(given) }
}

const VERSIONS = DIALECT_IDS.toReversed()
const TLS_PARTS: readonly TlsPart[] = ['ca', 'cert', 'key']
const CLIENT_TLS_FLAGS = { ca: '--ca-cert', cert: '--client-cert', key: '--client-key' }

function asGiven(value: string): string {
  return value
}
