// `parley send`: one message to any agent, and its answer.

import { randomUUID } from 'node:crypto'
import { Command, Option } from 'commander'
import { defined } from '../base/defined.ts'
import type { A2AClient } from '../client/a2a-client.ts'
import { EXIT } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import type { SendMessageRequest } from '../model/operation.ts'
import { isSettled, isTerminal } from '../model/state-machine.ts'
import type { Message, Part, Task, TaskState } from '../model/task.ts'
import { jsonText } from '../trace/json-text.ts'
import { reproduce } from '../trace/reproduce.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { watchers } from './exchange-log.ts'
import { collect, usage, wholeNumber } from './flag-values.ts'
import { Interrupt } from './interrupt.ts'
import { ownCommand } from './invocation.ts'
import { addLoginOptions, connectAgent, type LoginFlags, withWanted } from './login.ts'
import { dataPart, filePart, metadataOf } from './message-parts.ts'
import { renderResult, StreamRenderer } from './render-answer.ts'
import { saveParts } from './save-parts.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'
import { terminalLine } from './terminal-text.ts'

interface SendFlags extends TargetFlags, LoginFlags {
  stream?: boolean
  taskId?: string
  contextId?: string
  messageId?: string
  file?: string[]
  data?: string[]
  wait: boolean
  save?: string
  cancelOnInterrupt?: boolean
  metadata?: string
  historyLength?: number
  output: 'text' | 'json'
  curl?: boolean
  quiet?: boolean
  verbose?: boolean
}

const EXAMPLES = `Examples:
  parley send localhost:9999 "What can you do?"
  parley send https://agent.example.com --stream "Write a poem"
  parley send localhost:9999 --task-id 3f2a… "blue"         continue a task
  parley send localhost:9999 --file report.pdf "Summarise"
  echo "from a pipe" | parley send localhost:9999 -
  parley send localhost:9999 --curl "hello"                 print the request instead
`

export function sendCommand(io: CliIo = processIo): Command {
  const command = new Command('send')
    .summary('send a message to any agent')
    .description('Sends one message to an agent of any protocol version and prints the answer.')
    .argument('<agent>', 'host, URL, card URL or card file')
    .argument('[text]', 'the message; - reads it from standard input')
    .option('--stream', 'print the answer as it comes')
    .option('--task-id <id>', 'continue this task')
    .option('--context-id <id>', 'speak in this context')
    .option('--message-id <id>', 'the id of the message; a new one unless given')
    .option('--file <path>', 'attach this file; repeatable', collect(String))
    .option('--data <json>', 'attach this JSON, or @file; repeatable', collect(String))
    .option('--no-wait', 'do not wait for the task to finish')
    .option('--save <dir>', 'save the files of the answer in this folder')
    .option('--cancel-on-interrupt', 'cancel the task when Ctrl-C ends the wait')
    .option('--metadata <json>', 'metadata of the request, a JSON object or @file')
    .option('--history-length <n>', 'how many messages of the history to return', wholeNumber('--history-length'))
    .option('--curl', 'print the request as a curl command instead of sending it')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['text', 'json']).default('text'))
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'show the exchange with the agent as it happens, without secrets')
    .addHelpText('before', EXAMPLES)
    .action((agent: string, text: string | undefined) => send(agent, text, command.opts<SendFlags>(), io))
  return addLoginOptions(addTargetOptions(command))
}

async function send(agent: string, text: string | undefined, flags: SendFlags, io: CliIo): Promise<void> {
  const tell = (line: string) => {
    if (flags.quiet !== true) io.err(`${line}\n`)
  }
  const options = clientOptions(flags, (line) => io.err(`${line}\n`))
  const request = requestOf(await messageOf(text, flags, io), flags)
  using client = await connectAgent(agent, { ...options, ...watchers(flags, io) }, flags, (line) => io.err(`${line}\n`))
  if (flags.curl === true) {
    const prepared = client.prepare(flags.stream === true ? 'streamMessage' : 'sendMessage', request)
    const curl = reproduce(prepared, { placeholders: true, tls: options.tls })
    io.out(flags.output === 'json' ? `${jsonText({ curl })}\n` : `${curl}\n`)
    return
  }
  const { messageId } = request.message
  const interrupt = new Interrupt({ client, agent, mayCancel: flags.cancelOnInterrupt === true, messageId, tell })
  interrupt.taskId = flags.taskId
  const wait: Wait = { client, request, flags, io, interrupt, tell }
  const end = await interrupt
    .during(() => (flags.stream === true ? stream(wait) : once(wait)))
    .catch((error: unknown) => {
      throw withWanted(error, client.discovery)
    })
  const { dialect, binding, url } = client.endpoint
  tell(`A2A ${dialect} over ${binding} at ${url}`)
  if (end === undefined) return
  // Only a completed task is what was asked for.
  if (isTerminal(end.state) && end.state !== 'TASK_STATE_COMPLETED') io.exit(EXIT.failed)
  if (end.state === 'TASK_STATE_INPUT_REQUIRED') {
    tell(`The agent waits for you: ${ownCommand()} send ${agent} --task-id ${terminalLine(end.taskId)} "your answer"`)
  }
}

interface End {
  taskId: string
  state: TaskState
}

interface Wait {
  client: A2AClient
  request: SendMessageRequest
  flags: SendFlags
  io: CliIo
  interrupt: Interrupt
  tell(line: string): void
}

async function once({ client, request, flags, io, interrupt, tell }: Wait): Promise<End | undefined> {
  // Only a task whose id is known can be canceled, so it must be there before it is waited for.
  const isEarly = flags.wait && flags.cancelOnInterrupt === true
  const configuration = { ...request.configuration, returnImmediately: true }
  let result = await client.sendMessage(isEarly ? { ...request, configuration } : request)
  if (flags.wait && 'task' in result && !isSettled(result.task.status.state)) {
    // Protocol versions before 1.0 may answer while the task still works.
    const { id } = result.task
    interrupt.taskId = id
    if (isEarly) tell(`task ${terminalLine(id)}`)
    result = {
      task: await client.waitForTask({ id }, flags.timeout === undefined ? {} : { deadlineMs: flags.timeout }),
    }
  }
  io.out(flags.output === 'json' ? `${jsonText(result)}\n` : renderResult(result))
  const parts = 'task' in result ? partsOf(result.task) : result.message.parts
  await save(parts, flags, io)
  return 'task' in result ? { taskId: result.task.id, state: result.task.status.state } : undefined
}

async function stream({ client, request, flags, io, interrupt, tell }: Wait): Promise<End | undefined> {
  const renderer = new StreamRenderer()
  const parts: Part[] = []
  let end: End | undefined
  for await (const { event } of client.streamMessage(request)) {
    const next = endOf(event)
    if (next !== undefined && interrupt.taskId !== next.taskId) {
      interrupt.taskId = next.taskId
      tell(`task ${terminalLine(next.taskId)}`)
    }
    io.out(flags.output === 'json' ? `${jsonText(event)}\n` : renderer.render(event))
    if ('message' in event) parts.push(...event.message.parts)
    if ('artifactUpdate' in event) parts.push(...event.artifactUpdate.artifact.parts)
    end = next ?? end
  }
  await save(parts, flags, io)
  return end
}

function partsOf({ artifacts = [] }: Task): Part[] {
  return artifacts.flatMap((artifact) => artifact.parts)
}

async function save(parts: readonly Part[], { save: folder }: SendFlags, io: CliIo): Promise<void> {
  if (folder === undefined) return
  for (const path of await saveParts(parts, folder)) io.err(`Saved ${terminalLine(path)}\n`)
}

function endOf(event: StreamEvent): End | undefined {
  if ('task' in event) return { taskId: event.task.id, state: event.task.status.state }
  if ('statusUpdate' in event) return { taskId: event.statusUpdate.taskId, state: event.statusUpdate.status.state }
  return undefined
}

async function messageOf(text: string | undefined, flags: SendFlags, io: CliIo): Promise<Message> {
  const parts: Part[] = []
  const said = text === '-' ? (await io.stdin()).replace(/\r?\n$/, '') : text
  if (said !== undefined && said !== '') parts.push({ text: said })
  for (const path of flags.file ?? []) parts.push(filePart(path))
  for (const json of flags.data ?? []) parts.push(dataPart(json))
  if (parts.length === 0) throw usage('There is nothing to send; add a text, --file or --data.')
  const message: Message = { messageId: flags.messageId ?? randomUUID(), role: 'ROLE_USER', parts }
  if (flags.taskId !== undefined) message.taskId = flags.taskId
  if (flags.contextId !== undefined) message.contextId = flags.contextId
  return message
}

function requestOf(message: Message, flags: SendFlags): SendMessageRequest {
  const configuration = {
    ...(flags.wait ? {} : { returnImmediately: true }),
    ...defined({ historyLength: flags.historyLength }),
  }
  return {
    message,
    ...(Object.keys(configuration).length === 0 ? {} : { configuration }),
    ...(flags.metadata === undefined ? {} : { metadata: metadataOf(flags.metadata) }),
  }
}
