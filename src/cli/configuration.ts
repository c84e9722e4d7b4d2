// Where a flag's value comes from when it is not on the command line: the environment (PARLEY_PORT), then the project
// file (parley.config.yaml, or --config), then the default.

import { existsSync } from 'node:fs'
import type { Command, Option } from 'commander'
import { configurableOptions, setTexts, takesValue } from './standing-values.ts'

const PROJECT_FILE = 'parley.config.yaml'

export async function applyConfiguration(
  command: Command,
  argv: readonly string[],
  commands: readonly string[],
): Promise<void> {
  // A command with a --config of its own means something else by it.
  const hasOwnConfig = command.options.some(({ long }) => long === '--config')
  if (!hasOwnConfig) command.option('--config <file>', `project file; ${PROJECT_FILE} when it exists`)
  const named = hasOwnConfig ? undefined : configIn(argv)
  const path = named ?? PROJECT_FILE
  if (named !== undefined || existsSync(path)) {
    const { applyProjectFile } = await import('./project-file.ts')
    applyProjectFile(command, path, commands)
  }
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
