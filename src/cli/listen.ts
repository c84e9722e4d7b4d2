// `parley listen`: a webhook that shows every push notification it receives and what is wrong with it.

import { Command, Option } from 'commander'
import { type DeliveryReport, reportDelivery } from '../client/delivery-report.ts'
import { EXIT } from '../model/errors.ts'
import { HttpFault } from '../net/serve/http-fault.ts'
import { createListener } from '../net/serve/http-listener.ts'
import { nodeHandler } from '../net/serve/node-handler.ts'
import { readBody } from '../net/serve/read-body.ts'
import { type Reply, wrongMethod } from '../net/serve/reply.ts'
import type { ServerRequest } from '../net/serve/request.ts'
import { isSameDigest, secretDigest } from '../server/auth/secret-digest.ts'
import { jsonText } from '../trace/json-text.ts'
import { watchCertificates } from './certificate-watch.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { port, wholeNumber } from './flag-values.ts'
import { addServeTlsOptions, type ServeTlsFlags, serveTls } from './serve-tls.ts'
import { terminalLine } from './terminal-text.ts'
import { untilStopped } from './until-stopped.ts'

interface ListenFlags extends ServeTlsFlags {
  port: number
  host: string
  token?: string
  answer: number
  count?: number
  output: 'text' | 'json'
}

const MAX_BODY_BYTES = 4 * 1024 * 1024
/** Of repeated deliveries only so many ids are remembered. */
const REMEMBERED = 10_000

export function listenCommand(io: CliIo = processIo): Command {
  const command = new Command('listen')
    .description('Receive push notifications, show what each says, and check its shape. Exit code 1 when one is wrong.')
    .option('-p, --port <number>', 'port to listen on; 0 takes any free one', port, 0)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--token <token>', 'the token notifications must carry; others are answered 401')
    .option(
      '--answer <status>',
      'HTTP status to answer with, to see how an agent retries',
      wholeNumber('--answer', 200, 599),
      200,
    )
    .option('--count <number>', 'stop after so many', wholeNumber('--count', 1))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText('before', 'Examples:\n  parley listen\n  parley listen --port 8123 --token secret -o json\n')
    .action((flags: ListenFlags) => listen(io, flags))
  return addServeTlsOptions(command)
}

async function listen(io: CliIo, flags: ListenFlags): Promise<void> {
  const { answer, count = Number.POSITIVE_INFINITY } = flags
  const digest = flags.token === undefined ? undefined : secretDigest(flags.token)
  const isToken = digest && ((given: string) => isSameDigest(digest, secretDigest(given)))
  const enough = Promise.withResolvers<void>()
  const known = new Set<string>()
  let seen = 0

  const receive = async (request: ServerRequest): Promise<Reply> => {
    if (request.method !== 'POST') return wrongMethod('POST')
    let body: Buffer
    try {
      body = await readBody(request, MAX_BODY_BYTES)
    } catch (error) {
      return { status: error instanceof HttpFault ? error.status : 400, headers: [] }
    }
    const report = reportDelivery(request.headers, body, isToken)
    const isRefused = isToken !== undefined && report.token !== 'right'
    const status = isRefused ? 401 : answer
    const isRepeat = report.deliveryId !== undefined && known.has(report.deliveryId)
    if (report.deliveryId !== undefined && known.size < REMEMBERED) known.add(report.deliveryId)
    if (isRefused || report.issues.length > 0) io.exit(EXIT.failed)
    const shown = { ...report, path: request.url, isRepeat, answered: status }
    io.out(flags.output === 'json' ? `${jsonText({ event: 'delivery', ...shown })}\n` : asText(shown))
    if (++seen >= count) enough.resolve()
    return { status, headers: [] }
  }

  const tls = serveTls(flags)
  const listener = createListener(nodeHandler(receive), tls === undefined ? {} : { tls })
  const { url } = await listener.listen({ port: flags.port, host: flags.host })
  io.out(flags.output === 'json' ? `${jsonText({ event: 'ready', url })}\n` : `Listening on ${url}\n`)
  const stopWatching = watchCertificates(
    flags,
    (renewed) => listener.setTls(renewed),
    ({ message }) => io.err(`${message}\n`),
  )
  await Promise.race([untilStopped(), enough.promise])
  stopWatching()
  await listener.close({ graceMs: 1_000 })
}

const TOKEN_WORDS: { readonly [token in DeliveryReport['token']]: string } = {
  right: 'token OK',
  wrong: 'wrong token',
  present: 'token present',
  absent: 'no token',
}

function asText(shown: DeliveryReport & { path: string; isRepeat: boolean; answered: number }): string {
  const { generation = '?', kind = '?', taskId, state, token, authorization, attempt, isRepeat, answered } = shown
  const facts = [
    `A2A ${generation}`,
    kind,
    taskId === undefined ? 'no task' : `task ${taskId}`,
    ...(state === undefined ? [] : [state]),
    TOKEN_WORDS[token],
    authorization === undefined ? 'no Authorization header' : `Authorization: ${authorization}`,
    ...(attempt === undefined ? [] : [`attempt ${attempt}`]),
    ...(isRepeat ? ['again'] : []),
    `answered ${answered}`,
  ]
  const issues = shown.issues.map(
    ({ pointer, message }) => `  wrong: ${terminalLine(`${pointer || 'the body'} ${message}`)}\n`,
  )
  return `${terminalLine(facts.join(' · '))}\n${issues.join('')}`
}
