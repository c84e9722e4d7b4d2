// Where a flag's value comes from when it is not on the command line: the environment (PARLEY_PORT), then the project
// file (parley.config.yaml, or --config), then the default.

import { existsSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { usage } from './flag-values.ts'
import { profileIn } from './profiles.ts'
import { configurableOptions, setTexts, takesValue } from './standing-values.ts'

const PROJECT_FILE = 'parley.config.yaml'

/** The flags that name the project file and a profile in it; also for whoever completes the command line. */
export function addConfigurationOptions(command: Command): { hasOwnConfig: boolean; takesAgent: boolean } {
  // A command with a --config of its own means something else by it.
  const hasOwnConfig = command.options.some(({ long }) => long === '--config')
  if (!hasOwnConfig) command.option('--config <file>', `project file; ${PROJECT_FILE} when it exists`)
  const takesAgent = command.options.some(({ long }) => long === '--bearer')
  if (takesAgent)
    command.option('--profile <name>', 'use the flags of this profile of the project file; @name also its agent')
  return { hasOwnConfig, takesAgent }
}

/** Returns the command line to read, in which a profile is replaced by its agent. */
export async function applyConfiguration(
  command: Command,
  argv: readonly string[],
  commands: readonly string[],
): Promise<readonly string[]> {
  const { hasOwnConfig, takesAgent } = addConfigurationOptions(command)
  const profile = takesAgent ? profileIn(argv) : undefined
  const named = hasOwnConfig ? undefined : configIn(argv)
  const path = named ?? PROJECT_FILE
  let words = argv
  if (named !== undefined || existsSync(path)) {
    const { applyProjectFile } = await import('./project-file.ts')
    const agent = applyProjectFile(command, path, commands, profile)
    if (profile?.isTarget === true) words = withAgent(argv, profile.name, agent, path)
  } else if (profile !== undefined) throw usage(`There is no project file ${path} with a profile '${profile.name}'.`)
  for (const option of configurableOptions(command)) {
    const given = process.env[environmentName(option)]
    if (given === undefined) continue
    if (takesValue(option)) setTexts(command, option, [given], { source: 'env', place: environmentName(option) })
    else
      command.setOptionValueWithSource(
        option.attributeName(),
        given !== '' && given !== '0' && given !== 'false',
        'env',
      )
  }
  return words
}

function withAgent(argv: readonly string[], name: string, agent: string | undefined, path: string): readonly string[] {
  if (agent === undefined) throw usage(`The profile '${name}' in ${path} names no agent; add agent: URL to it.`)
  const at = argv.indexOf(`@${name}`)
  return argv.with(at, agent)
}

/** Both ways to write it; the last one counts, as for every flag. */
function configIn(argv: readonly string[]): string | undefined {
  const end = argv.indexOf('--')
  let found: string | undefined
  for (const [at, word] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    if (word === '--config') found = argv[at + 1] ?? found
    else if (word.startsWith('--config=')) found = word.slice('--config='.length)
  }
  return found
}

function environmentName({ long }: Option): string {
  return `PARLEY_${(long ?? '')
    .replace(/^--(no-)?/, '')
    .replaceAll('-', '_')
    .toUpperCase()}`
}
