// `parley task`: look at a task, list tasks, cancel one, or follow one until it is the caller's turn again.

import { Argument, Command, Option } from 'commander'
import type { A2AClient } from '../client/a2a-client.ts'
import { A2AError, EXIT } from '../model/errors.ts'
import type { ListTasksRequest, ListTasksResult } from '../model/operation.ts'
import { isSettled } from '../model/state-machine.ts'
import { TASK_STATES, type Task, type TaskState } from '../model/task.ts'
import { jsonText } from '../trace/json-text.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { watchers } from './exchange-log.ts'
import { usage, wholeNumber } from './flag-values.ts'
import { ownCommand } from './invocation.ts'
import { addLoginOptions, connectAgent, type LoginFlags, withWanted } from './login.ts'
import { renderTask, StreamRenderer, stateWord } from './render-answer.ts'
import { saveParts } from './save-parts.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'
import { terminalLine } from './terminal-text.ts'

const ACTIONS = ['get', 'list', 'cancel', 'follow'] as const
type Action = (typeof ACTIONS)[number]

interface TaskFlags extends TargetFlags, LoginFlags {
  historyLength?: number
  contextId?: string
  status?: TaskState
  limit?: number
  save?: string
  output: 'text' | 'json'
  quiet?: boolean
  verbose?: boolean
}

const EXAMPLES = `Examples:
  parley task list localhost:9999 --status working
  parley task get localhost:9999 3f2a… --save files/
  parley task follow localhost:9999 3f2a…
  parley task cancel localhost:9999 3f2a…
`

const DEFAULT_LIMIT = 50
const SHOWN_STATES = TASK_STATES.filter((state) => state !== 'TASK_STATE_UNSPECIFIED')

export function taskCommand(io: CliIo = processIo): Command {
  const command = new Command('task')
    .description('Get, list, cancel or follow the tasks of an agent.')
    .addArgument(new Argument('<action>', 'what to do').choices(ACTIONS))
    .argument('<agent>', 'host, URL, card URL or card file')
    .argument('[id]', 'the id of the task; not for list')
    .option('--history-length <n>', 'how many messages of the history to return', wholeNumber('--history-length'))
    .option('--context-id <id>', 'list: only tasks of this context')
    .option('--status <state>', 'list: only tasks in this state, such as working or completed', parseState)
    .option(
      '--limit <n>',
      `list: at most so many, newest first; ${DEFAULT_LIMIT} unless given`,
      wholeNumber('--limit', 1),
    )
    .option('--save <dir>', 'get and follow: save the files of the task in this folder')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'show the exchange with the agent as it happens, without secrets')
    .addHelpText('before', EXAMPLES)
    .action((action: Action, agent: string, id: string | undefined) =>
      act(action, agent, id, command.opts<TaskFlags>(), io),
    )
  return addLoginOptions(addTargetOptions(command))
}

async function act(action: Action, agent: string, id: string | undefined, flags: TaskFlags, io: CliIo): Promise<void> {
  const options = clientOptions(flags, (line) => io.err(`${line}\n`))
  if (action !== 'list' && id === undefined)
    throw usage(`Name the task: ${ownCommand()} task ${action} ${agent} <id>. \`task list\` shows them.`)
  if (action === 'list' && id !== undefined) throw usage('task list takes no task id; task get shows one task.')
  using client = await connectAgent(agent, { ...options, ...watchers(flags, io) }, flags, (line) => io.err(`${line}\n`))
  try {
    await perform(action, client, id ?? '', flags, io)
  } catch (error) {
    throw withWanted(error, client.discovery)
  }
}

async function perform(action: Action, client: A2AClient, taskId: string, flags: TaskFlags, io: CliIo): Promise<void> {
  if (action === 'list') return list(client, flags, io)
  if (action === 'follow') return follow(client, taskId, flags, io)
  const task =
    action === 'cancel'
      ? await client.cancelTask({ id: taskId })
      : await client.getTask({ id: taskId, ...historyOf(flags) })
  io.out(flags.output === 'json' ? `${jsonText(task)}\n` : renderTask(task))
  if (action === 'get') await save(task, flags, io)
}

async function list(client: A2AClient, flags: TaskFlags, io: CliIo): Promise<void> {
  const limit = flags.limit ?? DEFAULT_LIMIT
  const tasks: Task[] = []
  let page: ListTasksResult
  let pageToken = ''
  do {
    const request: ListTasksRequest = { ...historyOf(flags), pageSize: Math.min(limit - tasks.length, 100) }
    if (flags.contextId !== undefined) request.contextId = flags.contextId
    if (flags.status !== undefined) request.status = flags.status
    if (pageToken !== '') request.pageToken = pageToken
    page = await client.listTasks(request)
    tasks.push(...page.tasks)
    pageToken = page.nextPageToken
  } while (pageToken !== '' && tasks.length < limit)
  if (flags.output === 'json') {
    io.out(`${jsonText({ tasks, totalSize: page.totalSize })}\n`)
    return
  }
  for (const task of tasks) io.out(`${lineOf(task)}\n`)
  if (tasks.length === 0) io.out('There are no such tasks.\n')
  else if (tasks.length < page.totalSize && flags.quiet !== true)
    io.err(`${tasks.length} of ${page.totalSize}; --limit ${page.totalSize} shows all.\n`)
}

function lineOf({ id, contextId, status }: Task): string {
  return terminalLine(
    [stateWord(status.state).padEnd(14), id, ...(contextId === undefined ? [] : [contextId]), status.timestamp ?? '']
      .join('  ')
      .trimEnd(),
  )
}

/** What is left of the task, event by event; a task that has ended is shown as it is. */
async function follow(client: A2AClient, id: string, flags: TaskFlags, io: CliIo): Promise<void> {
  const before = await client.getTask({ id })
  let { state } = before.status
  if (isSettled(state)) {
    io.out(flags.output === 'json' ? `${jsonText({ task: before })}\n` : renderTask(before))
  } else if (client.card?.capabilities.streaming === true) {
    state = await followStream(client, id, state, flags, io)
  } else {
    const task = await client.waitForTask({ id }, flags.timeout === undefined ? {} : { deadlineMs: flags.timeout })
    state = task.status.state
    io.out(flags.output === 'json' ? `${jsonText({ task })}\n` : renderTask(task))
  }
  if (flags.save !== undefined) await save(await client.getTask({ id }), flags, io)
  if (state === 'TASK_STATE_FAILED' || state === 'TASK_STATE_REJECTED') io.exit(EXIT.failed)
}

async function followStream(
  client: A2AClient,
  id: string,
  before: TaskState,
  flags: TaskFlags,
  io: CliIo,
): Promise<TaskState> {
  const renderer = new StreamRenderer()
  let state = before
  try {
    for await (const { event } of client.subscribeTask({ id }, { resume: true })) {
      io.out(flags.output === 'json' ? `${jsonText(event)}\n` : renderer.render(event))
      if ('task' in event) state = event.task.status.state
      if ('statusUpdate' in event) state = event.statusUpdate.status.state
    }
  } catch (error) {
    // It may have ended between the two questions.
    if (!(error instanceof A2AError) || error.kind !== 'UnsupportedOperation') throw error
    const task = await client.getTask({ id })
    io.out(flags.output === 'json' ? `${jsonText({ task })}\n` : renderTask(task))
    return task.status.state
  }
  return state
}

async function save(task: Task, { save: folder }: TaskFlags, io: CliIo): Promise<void> {
  if (folder === undefined) return
  const parts = (task.artifacts ?? []).flatMap((artifact) => artifact.parts)
  for (const path of await saveParts(parts, folder)) io.err(`Saved ${path}\n`)
}

function historyOf({ historyLength }: TaskFlags): { historyLength?: number } {
  return historyLength === undefined ? {} : { historyLength }
}

function parseState(text: string): TaskState {
  const name = `TASK_STATE_${text
    .replace(/^TASK_STATE_/i, '')
    .replaceAll(/[- ]/g, '_')
    .toUpperCase()}`
  const found = SHOWN_STATES.find((state) => state === name)
  if (found !== undefined) return found
  const words = SHOWN_STATES.map((state) => stateWord(state).replaceAll(' ', '-'))
  throw usage(`--status takes ${words.join(', ')}, not ${JSON.stringify(text)}${didYouMean(text, words)}.`)
}
