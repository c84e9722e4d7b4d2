// The project file: standing values for flags, one section per command (`serve: { port: 8080 }`). A section or key that
// that is unknown is an error with its line, because a typo would otherwise silently change nothing.

import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { EXIT, ParleyError } from '../model/errors.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { invalidFile, type YamlNode, YamlSource } from '../yaml/source.ts'
import { applyProfile, type ChosenProfile, PROFILES_KEY } from './profiles.ts'
import { configurableOptions, setTexts, takesValue } from './standing-values.ts'

/** The agent of the profile that was chosen, if one was and it has one. */
export function applyProjectFile(
  command: Command,
  path: string,
  commands: readonly string[],
  profile?: ChosenProfile,
): string | undefined {
  const source = new YamlSource(path, read(path))
  if (source.problems.length === 0) {
    for (const { key, keyNode, value } of source.members(source.root)) {
      if (key === PROFILES_KEY) continue
      if (!commands.includes(key))
        source.report(keyNode, `unknown command '${key}'${didYouMean(key, [...commands, PROFILES_KEY])}`)
      else if (key === command.name()) applySection(command, source, value)
    }
  }
  const profiles = source.members(source.root).find(({ key }) => key === PROFILES_KEY)?.value
  const isUsable = source.problems.length === 0 && profile !== undefined
  const agent = isUsable ? applyProfile(command, source, profiles, profile.name) : undefined
  if (source.problems.length > 0) throw invalidFile('bad-config', source.problems)
  return agent
}

function applySection(command: Command, source: YamlSource, section: YamlNode): void {
  const options = new Map(configurableOptions(command).map((option) => [option.long?.slice(2) ?? '', option]))
  for (const { key, keyNode, value } of source.members(section)) {
    const option = options.get(key)
    const given = source.toJson(value)
    if (option === undefined) {
      source.report(keyNode, `unknown option '${key}' of ${command.name()}${didYouMean(key, options.keys())}`)
    } else if (takesValue(option)) {
      const { file, line, column } = source.positionOf(value)
      const place = `${file}:${line}:${column}`
      setTexts(command, option, (Array.isArray(given) ? given : [given]).map(String), { source: 'config', place })
    } else if (typeof given === 'boolean') command.setOptionValueWithSource(option.attributeName(), given, 'config')
    else source.report(value, `'${key}' must be true or false`)
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (cause) {
    throw new ParleyError('bad-config', `Cannot read the project file ${path}.`, { exitCode: EXIT.usage, cause })
  }
}
