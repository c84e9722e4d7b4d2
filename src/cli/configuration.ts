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
  const at = hasOwnConfig ? -1 : argv.indexOf('--config')
  const path = at < 0 ? PROJECT_FILE : argv[at + 1]
  if (path !== undefined && (at >= 0 || existsSync(path))) {
    const { applyProjectFile } = await import('./project-file.ts')
    applyProjectFile(command, path, commands)
  }
  for (const option of configurableOptions(command)) {
    const given = process.env[environmentName(option)]
    if (given === undefined) continue
    if (takesValue(option)) setTexts(command, option, [given], 'env')
    else
      command.setOptionValueWithSource(
        option.attributeName(),
        given !== '' && given !== '0' && given !== 'false',
        'env',
      )
  }
}

function environmentName({ long }: Option): string {
  return `PARLEY_${(long ?? '')
    .replace(/^--(no-)?/, '')
    .replaceAll('-', '_')
    .toUpperCase()}`
}
