// `parley chat`: a conversation with an agent, turn by turn. Lines are read one at a time, so it works in a dumb terminal and
// from a pipe; in a real one the arrow keys bring earlier lines back.

import { randomUUID } from 'node:crypto'
import { createInterface } from 'node:readline'
import { Command } from 'commander'
import { defined } from '../base/defined.ts'
import type { A2AClient } from '../client/a2a-client.ts'
import { A2AError, ParleyError } from '../model/errors.ts'
import type { StreamEvent } from '../model/event.ts'
import { isSettled } from '../model/state-machine.ts'
import type { Part, TaskState } from '../model/task.ts'
import { jsonText } from '../trace/json-text.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { watchers } from './exchange-log.ts'
import { describeFailure } from './failure.ts'
import { addLoginOptions, connectAgent, type LoginFlags, withWanted } from './login.ts'
import { filePart } from './message-parts.ts'
import { renderTask, StreamRenderer } from './render-answer.ts'
import { saveParts } from './save-parts.ts'
import { addTargetOptions, clientOptions, type TargetFlags } from './target-options.ts'
import { terminalLine } from './terminal-text.ts'

interface ChatFlags extends TargetFlags, LoginFlags {
  contextId?: string
  save?: string
  quiet?: boolean
  verbose?: boolean
}

/** Where lines come from, and how the next one is asked for. */
export interface Lines extends AsyncIterable<string> {
  ask(): void
  close(): void
  /** What Ctrl-C does; false leaves the conversation. */
  onInterrupt?(stop: () => boolean): void
}

const COMMANDS: { readonly [name: string]: string } = {
  '/help': 'this list',
  '/file PATH': 'attach a file to the next message',
  '/task': 'show the task of this conversation',
  '/cancel': 'cancel it',
  '/raw': 'switch between JSON and text answers',
  '/history': 'show the conversation so far',
  '/new': 'begin a new conversation',
  '/quit': 'quit; Ctrl-D does the same. Ctrl-C ends the wait for an answer',
}

export function chatCommand(io: CliIo = processIo, open: () => Lines = terminalLines): Command {
  const command = new Command('chat')
    .description('Talk with an agent, turn by turn; /help shows what can be typed.')
    .argument('<agent>', 'host, URL, card URL or card file')
    .option('--context-id <id>', 'continue this context')
    .option('--save <dir>', 'save the files of the answers in this folder')
    .option('-q, --quiet', 'no progress on stderr')
    .option('-v, --verbose', 'show the exchanges with the agent as they happen, without secrets')
    .addHelpText('before', 'Examples:\n  parley chat localhost:9999/spec\n  parley chat @staging --save files/\n')
    .action((agent: string) => chat(agent, command.opts<ChatFlags>(), io, open))
  return addLoginOptions(addTargetOptions(command))
}

async function chat(agent: string, flags: ChatFlags, io: CliIo, open: () => Lines): Promise<void> {
  const tell = (line: string) => io.err(`${line}\n`)
  const options = clientOptions(flags, tell)
  using client = await connectAgent(agent, { ...options, ...watchers(flags, io) }, flags, tell)
  const conversation = new Conversation(client, flags, io)
  if (flags.quiet !== true) tell(`${terminalLine(client.card?.name ?? agent)}. Type a message, or /help.`)
  const lines = open()
  lines.onInterrupt?.(() => conversation.interrupt())
  try {
    lines.ask()
    for await (const line of lines) {
      if (!(await conversation.hear(line.trim()))) break
      lines.ask()
    }
  } finally {
    lines.close()
  }
}

class Conversation {
  readonly #client: A2AClient
  readonly #flags: ChatFlags
  readonly #io: CliIo
  readonly #history: string[] = []
  #contextId: string | undefined
  /** The last task, and whether it waits for the next message. */
  #task: { id: string; state: TaskState } | undefined
  #files: Part[] = []
  #isRaw = false
  /** While an answer is waited for. */
  #wait: AbortController | undefined

  constructor(client: A2AClient, flags: ChatFlags, io: CliIo) {
    this.#client = client
    this.#flags = flags
    this.#io = io
    this.#contextId = flags.contextId
  }

  /** Ends the wait for an answer; false when there is none. */
  interrupt(): boolean {
    this.#wait?.abort()
    return this.#wait !== undefined
  }

  /** False when the person leaves. A failure is told, and the conversation goes on. */
  async hear(line: string): Promise<boolean> {
    if (line === '/quit' || line === '/exit') return false
    try {
      if (line.startsWith('/')) await this.#obey(line)
      else if (line !== '' || this.#files.length > 0) await this.#say(line)
    } catch (error) {
      if (this.#wait?.signal.aborted === true) {
        this.#tell(
          this.#task === undefined || isSettled(this.#task.state)
            ? '\nStopped waiting; the agent may still be working.'
            : `\nThe agent is still working on task ${terminalLine(this.#task.id)}; /cancel cancels it, /task shows it.`,
        )
        return true
      }
      if (!(error instanceof ParleyError) && !(error instanceof A2AError)) throw error
      this.#io.err(describeFailure(withWanted(error, this.#client.discovery)).text)
    } finally {
      this.#wait = undefined
    }
    return true
  }

  async #obey(line: string): Promise<void> {
    const [name = '', ...rest] = line.split(' ')
    const argument = rest.join(' ').trim()
    switch (name) {
      case '/file':
        if (argument === '') return this.#tell('Name the file: /file PATH')
        this.#files.push(filePart(argument))
        return this.#tell(`${argument} goes with the next message.`)
      case '/task':
        if (this.#task === undefined) return this.#tell('There is no task in this conversation yet.')
        return this.#io.out(renderTask(await this.#client.getTask({ id: this.#task.id })))
      case '/cancel':
        if (this.#task === undefined) return this.#tell('There is no task to cancel.')
        return this.#io.out(renderTask(await this.#client.cancelTask({ id: this.#task.id })))
      case '/raw':
        this.#isRaw = !this.#isRaw
        return this.#tell(this.#isRaw ? 'Answers are shown as JSON.' : 'Answers are shown as text.')
      case '/history':
        return this.#io.out(this.#history.map((said) => `${said}\n`).join(''))
      case '/new':
        this.#contextId = undefined
        this.#task = undefined
        return this.#tell('A new conversation.')
      default:
        return this.#help(name)
    }
  }

  #help(name: string): void {
    const names = Object.keys(COMMANDS).map((each) => each.split(' ')[0] ?? '')
    if (name !== '/help') this.#tell(`There is no ${name}${didYouMean(name, names)}`)
    const width = Math.max(...Object.keys(COMMANDS).map((each) => each.length))
    for (const [each, meaning] of Object.entries(COMMANDS)) this.#tell(`  ${each.padEnd(width)}  ${meaning}`)
  }

  async #say(text: string): Promise<void> {
    const parts: Part[] = [...(text === '' ? [] : [{ text }]), ...this.#files]
    const waits = this.#task?.state === 'TASK_STATE_INPUT_REQUIRED' || this.#task?.state === 'TASK_STATE_AUTH_REQUIRED'
    const message = {
      ...{ messageId: randomUUID(), role: 'ROLE_USER' as const, parts },
      ...defined({ contextId: this.#contextId }),
      ...(waits && this.#task !== undefined ? { taskId: this.#task.id } : {}),
    }
    this.#history.push(`> ${terminalLine(text)}`)
    this.#files = []
    const received: Part[] = []
    const renderer = new StreamRenderer()
    const show = (event: StreamEvent) => {
      const shown = this.#isRaw ? `${jsonText(event)}\n` : renderer.render(event)
      this.#io.out(shown)
      this.#history.push(shown.trimEnd())
      this.#remember(event, received)
    }
    this.#wait = new AbortController()
    const { signal } = this.#wait
    if (this.#client.card?.capabilities.streaming === true) {
      for await (const { event } of this.#client.streamMessage({ message }, { resume: true, signal })) show(event)
    } else {
      const result = await this.#client.sendMessage({ message }, { signal })
      show(
        'task' in result && !isSettled(result.task.status.state) ? await this.#ended(result.task.id, signal) : result,
      )
    }
    signal.throwIfAborted()
    if (this.#flags.save !== undefined)
      for (const path of await saveParts(received, this.#flags.save)) this.#tell(`Saved ${terminalLine(path)}`)
    if (this.#task?.state === 'TASK_STATE_INPUT_REQUIRED') this.#tell('The agent waits for your answer.')
  }

  async #ended(id: string, signal: AbortSignal): Promise<StreamEvent> {
    const { timeout: deadlineMs } = this.#flags
    return { task: await this.#client.waitForTask({ id }, { signal, ...defined({ deadlineMs }) }) }
  }

  #remember(event: StreamEvent, received: Part[]): void {
    if ('message' in event) {
      received.push(...event.message.parts)
      this.#contextId = event.message.contextId ?? this.#contextId
    } else if ('artifactUpdate' in event) received.push(...event.artifactUpdate.artifact.parts)
    else {
      const { id, contextId, state } =
        'task' in event
          ? { id: event.task.id, contextId: event.task.contextId, state: event.task.status.state }
          : {
              id: event.statusUpdate.taskId,
              contextId: event.statusUpdate.contextId,
              state: event.statusUpdate.status.state,
            }
      this.#contextId = contextId ?? this.#contextId
      this.#task = { id, state }
      if ('task' in event) for (const { parts } of event.task.artifacts ?? []) received.push(...parts)
    }
  }

  #tell(line: string): void {
    this.#io.err(`${line}\n`)
  }
}

function terminalLines(): Lines {
  const isTerminal = process.stdin.isTTY && process.stderr.isTTY && process.env.TERM !== 'dumb'
  // The prompt is no answer, so it goes to stderr.
  const reader = createInterface({ input: process.stdin, output: process.stderr, terminal: isTerminal, prompt: '> ' })
  let stop = () => false
  reader.on('SIGINT', () => {
    if (!stop()) reader.close()
  })
  return {
    onInterrupt: (stopping) => {
      stop = stopping
    },
    [Symbol.asyncIterator]: () => reader[Symbol.asyncIterator](),
    ask() {
      if (process.stdin.isTTY) reader.prompt()
    },
    close: () => reader.close(),
  }
}
