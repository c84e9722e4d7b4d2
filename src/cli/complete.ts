// What can come next on a command line: asked by the completion scripts of all shells, answered from the commands themselves, so
// no shell can fall behind. One candidate a line, with a tab before its description; ':files' says that file names fit too.

import type { Argument, Command, Option } from 'commander'
import { takesValue } from './standing-values.ts'

export interface Candidates {
  values: readonly (readonly [value: string, description: string])[]
  /** Whether names of files fit as well. */
  files: boolean
}

export interface CompletionContext {
  summaries: Readonly<Record<string, string>>
  load(name: string): Promise<Command | undefined>
  topics: readonly string[]
  /** Of the project file. */
  profiles: readonly string[]
}

/** Loaded when they are wanted: whoever presses TAB after `parley mo` does not wait for the judge. */
type Values = () => Promise<readonly string[]> | readonly string[]

/** `words` are those after the name of the program; the last one is being typed. */
export async function complete(words: readonly string[], around: CompletionContext): Promise<Candidates> {
  const typed = words.at(-1) ?? ''
  const [name, ...rest] = words.slice(0, -1)
  const found = await candidates(name, rest, typed, around)
  // A check and the requirement it proves may have one name.
  const once = new Map(found.values.toReversed())
  const values = [...once].toReversed().filter(([value]) => value.startsWith(typed))
  return { ...found, values }
}

async function candidates(
  name: string | undefined,
  before: readonly string[],
  typed: string,
  around: CompletionContext,
): Promise<Candidates> {
  if (name === undefined) {
    const flags = [['--help', 'show the overview'] as const, ['--version', 'print the version'] as const]
    return { values: [...Object.entries(around.summaries), ...flags], files: false }
  }
  const command = await around.load(name)
  if (command === undefined) return NOTHING
  const open = before.includes('--') ? undefined : optionWaiting(command, before.at(-1))
  if (open !== undefined) return forOption(name, open, around)
  if (typed.startsWith('-')) return { values: flagsOf(command), files: false }
  const argument = argumentAt(command, before)
  return argument === undefined ? NOTHING : forArgument(name, argument, around)
}

const NOTHING: Candidates = { values: [], files: false }
const FILES: Candidates = { values: [], files: true }

function optionWaiting({ options }: Command, word: string | undefined): Option | undefined {
  return word === undefined
    ? undefined
    : options.find((one) => one.required && (one.long === word || one.short === word))
}

function flagsOf({ options }: Command): [string, string][] {
  const own = options.flatMap(({ long, description }): [string, string][] => (long ? [[long, description]] : []))
  return [...own, ['--help', 'show the help of this command']]
}

/** The argument that comes next: words that are no flags, nor values of flags, have taken the ones before it. */
function argumentAt(command: Command, before: readonly string[]): Argument | undefined {
  const { registeredArguments: all } = command
  let taken = 0
  for (const [at, word] of before.entries()) {
    const previous = before[at - 1]
    const flag = command.options.find((one) => previous !== undefined && [one.long, one.short].includes(previous))
    if (!word.startsWith('-') && (flag === undefined || !takesValue(flag) || flag.optional)) taken++
  }
  return all[taken] ?? (all.at(-1)?.variadic === true ? all.at(-1) : undefined)
}

const WORDS: Values = async () => {
  const { allChecks } = await import('../judge/checks/all.ts')
  const { vocabularyOf } = await import('../judge/runner/vocabulary.ts')
  const { checks, areas, categories, requirements } = vocabularyOf(allChecks())
  return [...areas, ...categories, ...checks, ...requirements]
}

const GRADE_WORDS: Values = async () => (await import('./explain-claim.ts')).gradeWords()

/** Flags of one command that mean something else there. */
const OWN_VALUES: { readonly [command: string]: { readonly [flag: string]: Values } } = {
  grade: {
    '--only': GRADE_WORDS,
    '--skip': GRADE_WORDS,
    '--serve': async () => (await import('../grade/scenarios/all.ts')).SCENARIOS.map(({ id }) => id),
  },
}

/** Flags whose values are known but not declared as choices, because their parsers know more. */
const VALUES: { readonly [flag: string]: Values } = {
  '--only': WORDS,
  '--skip': WORDS,
  '--transport': async () => (await import('../dialects/dialect.ts')).BINDING_IDS,
  '--a2a-version': async () => (await import('../dialects/index.ts')).DIALECT_IDS,
  '--format': async () => (await import('../report/formats.ts')).FORMATS.map(({ name }) => name),
  '--store': () => ['memory', 'sqlite:', 'postgres://', 'redis://'],
  '--status': () => [
    'submitted',
    'working',
    'completed',
    'failed',
    'canceled',
    'input-required',
    'rejected',
    'auth-required',
  ],
}

async function forOption(command: string, option: Option, { profiles }: CompletionContext): Promise<Candidates> {
  if (option.argChoices !== undefined) return { values: option.argChoices.map((value) => [value, '']), files: false }
  if (option.long === '--profile') return { values: profiles.map((name) => [name, 'profile']), files: false }
  const known = OWN_VALUES[command]?.[option.long ?? ''] ?? VALUES[option.long ?? '']
  if (known !== undefined) return { values: (await known()).map((value) => [value, '']), files: false }
  return /<(?:[\w|]*file[\w|]*|path|dir|place)>|\[file\]/.test(option.flags) ? FILES : NOTHING
}

async function forArgument(command: string, argument: Argument, around: CompletionContext): Promise<Candidates> {
  if (argument.argChoices !== undefined)
    return { values: argument.argChoices.map((value) => [value, '']), files: false }
  if (command === 'explain')
    return { values: [...(await WORDS()), ...(await GRADE_WORDS())].map((value) => [value, '']), files: false }
  if (command === 'help') {
    const topics = around.topics.map((topic) => [topic, 'topic'] as const)
    return { values: [...Object.entries(around.summaries), ...topics], files: false }
  }
  const name = argument.name()
  // A card file is an agent, too.
  if (name === 'agent' || name === 'upstream')
    return { values: around.profiles.map((profile) => [`@${profile}`, 'agent of the project file']), files: true }
  return /^(?:script|files?|from|to|dir|records?|first|second|report|list)$/.test(name) ? FILES : NOTHING
}

export function printed({ values, files }: Candidates): string {
  const lines = values.map(([value, description]) => (description === '' ? value : `${value}\t${description}`))
  return [...(files ? [':files'] : []), ...lines, ''].join('\n')
}
