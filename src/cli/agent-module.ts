// A user's own agent for `parley serve`: a TypeScript or JavaScript module whose default export is an agent function, an
// agent with its card, or everything createServer takes. Whatever is wrong with it is one sentence.

import { statSync } from 'node:fs'
import { basename, extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Agent } from '../server/engine/agent.ts'
import type { CardInput, MountOptions } from '../server/mount-options.ts'
import type { ServerOptions } from '../server/server.ts'
import { importFailure } from './import-failure.ts'
import { hookImports } from './import-hooks.ts'

const EXTENSIONS: readonly string[] = ['.ts', '.mts', '.cts', '.js', '.mjs', '.cjs']
const SHAPES = 'an agent function, { card, agent }, or the options of createServer'

export interface LoadOptions {
  timeoutMs: number
  /** Told of every file the module consists of, also when it cannot be loaded. */
  onFile?: (path: string) => void
}

/** As `createServer` takes them: one agent or several. */
export async function loadAgentModule(path: string, { timeoutMs, onFile }: LoadOptions): Promise<ServerOptions> {
  const file = resolve(path)
  const files = [file]
  onFile?.(file)
  checkFile(path, file)
  hookImports((each) => {
    files.push(each)
    onFile?.(each)
  })
  const url = pathToFileURL(file).href
  const loading = import(url).catch((error: unknown) => {
    throw importFailure(error, path, files)
  }) as Promise<Record<string, unknown>>
  return optionsOf(await within(loading, timeoutMs, path), path)
}

function checkFile(path: string, file: string): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw wrong(`There is no file ${path}.`)
  if (found.isDirectory()) throw wrong(`${path} is a folder; name the file of the agent in it.`)
  if (!EXTENSIONS.includes(extname(file)))
    throw wrong(`${path} is not a TypeScript or JavaScript module; its name has to end in ${EXTENSIONS.join(', ')}.`)
}

/** A top-level await that waits for nothing leaves no other trace than time. */
async function within<T>(loading: Promise<T>, timeoutMs: number, path: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message =
      `${path} has not finished loading after ${timeoutMs / 1_000} s: an await at its top level still waits. ` +
      'Wait inside the agent instead, or give it longer with --load-timeout.'
    timer = setTimeout(() => reject(new ParleyError('agent-module-hangs', message)), timeoutMs)
  })
  try {
    return await Promise.race([loading, late])
  } finally {
    clearTimeout(timer)
  }
}

function optionsOf(module: Record<string, unknown>, path: string): ServerOptions {
  const { default: exported, card } = module
  if (exported === undefined) {
    const names = Object.keys(module)
    const others = names.length === 0 ? 'it exports nothing' : `it exports ${names.slice(0, 5).join(', ')}`
    throw wrong(`${path} has no default export (${others}); export as default ${SHAPES}.`)
  }
  if (typeof exported === 'function') return { agents: [{ card: cardOf(card, path), agent: exported as Agent }] }
  if (typeof exported !== 'object' || exported === null)
    throw wrong(`The default export of ${path} is ${described(exported)}; export ${SHAPES}.`)
  const given = exported as Partial<MountOptions> & Partial<ServerOptions>
  if ('listen' in given && 'requestListener' in given)
    throw wrong(`The default export of ${path} is a server; export the options of createServer, and parley starts it.`)
  if (Array.isArray(given.agents)) return { ...given, agents: given.agents.map((each) => agentIn(each, path)) }
  if (typeof given.agent === 'function')
    return { ...given, agents: [{ ...given, agent: given.agent, card: cardOf(given.card ?? card, path) }] }
  if ('service' in given && given.card !== undefined) return { ...given, agents: [given as MountOptions] }
  throw wrong(`The default export of ${path} has neither agent nor agents; export ${SHAPES}.`)
}

function agentIn(given: Partial<MountOptions> | undefined, path: string): MountOptions {
  if (given?.agent === undefined && !('service' in (given ?? {})))
    throw wrong(`One of the agents of ${path} has no agent function; each is { path, card, agent }.`)
  return { ...(given as MountOptions), card: cardOf(given?.card, path) }
}

/** An agent that says nothing about itself is described by the name of its file. */
function cardOf(card: unknown, path: string): CardInput {
  if (card !== undefined) {
    if (typeof card !== 'object' || card === null)
      throw wrong(`The card of ${path} is ${described(card)}, not an object.`)
    return card as CardInput
  }
  const name = basename(path, extname(path))
  return {
    name,
    description: `The agent of ${basename(path)}.`,
    version: '0.0.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: name, name, description: 'Answers messages.', tags: ['agent'] }],
  }
}

function described(value: unknown): string {
  return value === null ? 'null' : `a ${typeof value}`
}

function wrong(message: string): ParleyError {
  return new ParleyError('agent-module', message, { exitCode: EXIT.usage })
}
