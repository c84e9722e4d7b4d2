// Every command with its summary; a command's module is loaded when it is asked for, so that the others cost nothing.

import type { Command } from 'commander'

export interface CommandEntry {
  summary: string
  load(): Promise<() => Command>
}

export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  test: {
    summary: 'certify an agent, with evidence for every finding',
    load: async () => (await import('./test.ts')).testCommand,
  },
  report: {
    summary: 'show a stored run again, in any format',
    load: async () => (await import('./report.ts')).reportCommand,
  },
  diff: {
    summary: 'what changed between two stored runs',
    load: async () => (await import('./diff.ts')).diffCommand,
  },
  explain: {
    summary: 'what a check requires, why, and how it is tested',
    load: async () => (await import('./explain.ts')).explainCommand,
  },
  fleet: {
    summary: 'certify many agents repeatedly, with any number of workers',
    load: async () => (await import('./fleet.ts')).fleetCommand,
  },
  serve: {
    summary: 'start the reference agents of every protocol version, or your own agent',
    load: async () => (await import('./serve.ts')).serveCommand,
  },
  init: {
    summary: 'write a small agent project, with a test, to start from',
    load: async () => (await import('./init.ts')).initCommand,
  },
  send: {
    summary: 'send a message to any agent and print the answer',
    load: async () => (await import('./send.ts')).sendCommand,
  },
  chat: {
    summary: 'talk with an agent, turn by turn',
    load: async () => (await import('./chat.ts')).chatCommand,
  },
  task: {
    summary: 'get, list, cancel or follow the tasks of an agent',
    load: async () => (await import('./task.ts')).taskCommand,
  },
  inspect: {
    summary: 'show a card, what is wrong with it, and what the agent really speaks',
    load: async () => (await import('./inspect.ts')).inspectCommand,
  },
  ui: {
    summary: 'the inspector in a browser: connect, talk, see every byte, test',
    load: async () => (await import('./ui.ts')).uiCommand,
  },
  mock: {
    summary: 'start an agent that follows a script, with faults and a journal',
    load: async () => (await import('./mock.ts')).mockCommand,
  },
  proxy: {
    summary: 'proxy calls to agents: ids, credentials, files, protocol versions',
    load: async () => (await import('./proxy.ts')).proxyCommand,
  },
  listen: {
    summary: 'receive push notifications, show them and check their shape',
    load: async () => (await import('./listen.ts')).listenCommand,
  },
  push: {
    summary: 'list push notifications that could not be delivered, and retry them',
    load: async () => (await import('./push.ts')).pushCommand,
  },
  har: {
    summary: 'turn recordings into HAR files, and back',
    load: async () => (await import('./har.ts')).harCommand,
  },
  load: {
    summary: 'put load on an agent and print its latencies',
    load: async () => (await import('./load.ts')).loadCommand,
  },
  grade: {
    summary: 'test a client against agents that each behave unusually in one way',
    load: async () => (await import('./grade.ts')).gradeCommand,
  },
  matrix: {
    summary: 'run every client against every server, and say which side is wrong',
    load: async () => (await import('./matrix.ts')).matrixCommand,
  },
  run: {
    summary: 'run declarative test cases through the proxy',
    load: async () => (await import('./run.ts')).runCommand,
  },
  demo: {
    summary: 'start the reference agents, talk to each in every protocol version, stop',
    load: async () => (await import('./demo.ts')).demoCommand,
  },
  help: {
    summary: 'this overview, a command, exit-codes, environment or statuses',
    load: async () => {
      const { helpCommand } = await import('./help.ts')
      return () => helpCommand(summaries())
    },
  },
  skill: {
    summary: 'install the skills that teach coding agents to use Parley',
    load: async () => (await import('./skill.ts')).skillCommand,
  },
  completion: {
    summary: 'print a completion script for bash, zsh, fish or PowerShell',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
}

/** What each command is for, in one line. */
export type Summaries = Readonly<Record<string, string>>

export function summaries(): Summaries {
  return Object.fromEntries(Object.entries(COMMANDS).map(([name, { summary }]) => [name, summary]))
}

export async function loadAll(): Promise<Command[]> {
  return Promise.all(Object.values(COMMANDS).map(async ({ load }) => (await load())()))
}
