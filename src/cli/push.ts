// `parley push`: what webhooks did not take, for the operator. It works on the store, whether a server runs on it or not.

import { Argument, Command, Option } from 'commander'
import { EXIT } from '../model/errors.ts'
import { openExistingPushStore } from '../server/backend/open.ts'
import { type DeadLetter, deadLetterOf } from '../server/push/push.ts'
import type { PushStore } from '../server/store/push-store.ts'
import { jsonText } from '../trace/json-text.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { usage } from './flag-values.ts'
import { terminalLine } from './terminal-text.ts'

interface PushFlags {
  store?: string
  id?: string
  all?: boolean
  output: 'text' | 'json'
}

/** More than anybody reads; replaying goes on with the next when these are done. */
const LIMIT = 1_000

export function pushCommand(io: CliIo = processIo): Command {
  return new Command('push')
    .description('List push notifications that could not be delivered, and retry them.')
    .addArgument(new Argument('<action>', 'what to do').choices(['dead-letters', 'replay']))
    .argument('[task]', 'replay: the task whose notifications are retried')
    .option('--store <store>', 'the store of the server: sqlite:<file>, postgres://…, redis://…')
    .option('--id <id>', 'only the configuration with this id')
    .option('--all', 'replay: every one of them')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .addHelpText(
      'before',
      'Examples:\n  parley push dead-letters --store sqlite:tasks.db\n  parley push replay 3f0c… --store sqlite:tasks.db\n',
    )
    .action((action: 'dead-letters' | 'replay', task: string | undefined, flags: PushFlags) =>
      push(io, action, task, flags),
    )
}

async function push(
  io: CliIo,
  action: 'dead-letters' | 'replay',
  task: string | undefined,
  flags: PushFlags,
): Promise<void> {
  if (flags.store === undefined) throw usage('Name the store of the server, for instance: --store sqlite:tasks.db')
  if (action === 'replay' && (task === undefined) !== (flags.all === true))
    throw usage('Name the task to replay, or --all for every dead letter.')
  const store = await openExistingPushStore(flags.store)
  try {
    const letters = (await store.dead(LIMIT))
      .map(deadLetterOf)
      .filter(({ taskId, id }) => (task ?? taskId) === taskId && (flags.id ?? id) === id)
    if (action === 'dead-letters') show(io, letters, flags)
    else await replay(io, letters, store, flags)
  } finally {
    await store.close()
  }
}

function show(io: CliIo, letters: readonly DeadLetter[], { output }: PushFlags): void {
  if (output === 'json') {
    io.out(`${jsonText(letters.map(shown))}\n`)
    return
  }
  if (letters.length === 0) io.out('There are no dead letters.\n')
  for (const letter of letters) {
    const { taskId, id, host, attempts, error, scope } = shown(letter)
    const whose = [scope.agent, scope.tenant, scope.subject].filter((part) => part !== '').join(' ')
    io.out(`${terminalLine(`${taskId}  ${id}  ${host}  ${error} (attempt ${attempts})  ${whose}`)}\n`)
  }
}

async function replay(
  io: CliIo,
  letters: readonly DeadLetter[],
  store: PushStore,
  { output, all }: PushFlags,
): Promise<void> {
  const revived: DeadLetter[] = []
  for (const letter of letters) if (await store.revive(letter)) revived.push(letter)
  if (output === 'json') io.out(`${jsonText(revived.map(shown))}\n`)
  else if (revived.length === 0) io.out(all ? 'There are no dead letters.\n' : 'There is no such dead letter.\n')
  else io.out(`${revived.length} to be tried again: by a running server within seconds, else by the next one.\n`)
  // Whoever asks for all of them has none left.
  if (revived.length === 0 && all !== true) io.exit(EXIT.failed)
}

/** Only the host: the path of a webhook may be its secret. */
function shown({ taskId, id, scope, config, deliveredSeq, attempts, error = 'unknown' }: DeadLetter) {
  return { taskId, id, scope, host: URL.parse(config.url)?.host ?? '', deliveredSeq, attempts, error }
}
