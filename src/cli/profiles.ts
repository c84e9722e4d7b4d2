// Profiles of the project file: an agent and the flags that go with it, under one name. `@staging` in the place of an agent
// is that agent with its flags; `--profile staging` only brings the flags. Secrets stand there by reference, never as text.

import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, resolve } from 'node:path'
import type { Command } from 'commander'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import type { YamlNode, YamlSource } from '../yaml/source.ts'
import { usage } from './flag-values.ts'
import { configurableOptions, setTexts, takesValue } from './standing-values.ts'

export const PROFILES_KEY = 'profiles'
const AGENT_KEY = 'agent'
const SECRETS: ReadonlySet<string> = new Set([
  'bearer',
  'bearer-b',
  'api-key',
  'client-secret',
  'second-bearer',
  'second-api-key',
])

export interface ChosenProfile {
  name: string
  /** Whether it stands in the place of the agent. */
  isTarget: boolean
}

/** `@name` as the first argument that is no flag after the command, or the value of --profile. */
export function profileIn(argv: readonly string[]): ChosenProfile | undefined {
  const target = argv.slice(1).find((word) => /^@[\w.-]+$/.test(word))
  if (target !== undefined) return { name: target.slice(1), isTarget: true }
  const at = argv.indexOf('--profile')
  const name = at < 0 ? argv.find((word) => word.startsWith('--profile='))?.slice('--profile='.length) : argv[at + 1]
  return name === undefined ? undefined : { name, isTarget: false }
}

/** The agent of the profile; its flags are set on the command where it has them. */
export function applyProfile(
  command: Command,
  source: YamlSource,
  profiles: YamlNode | undefined,
  name: string,
): string | undefined {
  const known = profiles === undefined ? [] : source.members(profiles)
  const found = known.find(({ key }) => key === name)
  if (found === undefined) {
    const names = known.map(({ key }) => key)
    const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`
    throw usage(`There is no profile '${name}' in ${source.file}${didYouMean(name, names) || `; ${there}.`}`)
  }
  let agent: string | undefined
  const options = new Map(configurableOptions(command).map((option) => [option.long?.slice(2) ?? '', option]))
  for (const { key, keyNode, value } of source.members(found.value)) {
    const { line, column } = source.positionOf(value)
    const place = `${source.file}:${line}:${column}`
    const given = source.toJson(value)
    const texts = (Array.isArray(given) ? given : [given]).map((one) =>
      referred(typeof one === 'string' ? one : JSON.stringify(one), key, place, source.file),
    )
    const option = options.get(key)
    if (key === AGENT_KEY) agent = texts[0]
    else if (option === undefined) {
      // Another command may know it; a word no command with an agent knows is a typo.
      const near = didYouMean(key, options.keys())
      if (near !== '') source.report(keyNode, `unknown option '${key}' in the profile '${name}'${near}`)
    } else if (takesValue(option)) setTexts(command, option, texts, { source: 'config', place })
    else command.setOptionValueWithSource(option.attributeName(), given === true, 'config')
  }
  return agent
}

/** `${NAME}` is an environment variable, `file:path` the text of a file. */
function referred(text: string, key: string, place: string, projectFile: string): string {
  const name = /^\$\{(\w+)\}$/.exec(text)?.[1]
  if (name !== undefined) {
    const value = process.env[name]
    if (value === undefined || value === '')
      throw usage(`${place}: '${key}' names the environment variable ${name}, which is not set.`)
    return value
  }
  if (text.startsWith('file:')) {
    const path = resolve(dirname(projectFile), text.slice('file:'.length).replace(/^~(?=\/)/, homedir()))
    try {
      return readFileSync(path, 'utf8').trim()
    } catch (cause) {
      throw usage(`${place}: the file ${path} of '${key}' cannot be read: ${whyUnreadable(cause)}.`)
    }
  }
  if (!SECRETS.has(key)) return text
  const variable = key.replaceAll('-', '_').toUpperCase()
  throw usage(
    `${place}: secrets are not written into the project file; refer to them.`,
    `Write ${key}: \${${variable}} for an environment variable, or ${key}: file:~/.secrets/${key} for a file.`,
  )
}
