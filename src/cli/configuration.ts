// Where a flag's value comes from when it is not on the command line: the environment (PARLEY_PORT), then the project
// file (parley.config.yaml, or --config), then the default.

import { existsSync } from 'node:fs'
import type { Command, Option } from 'commander'

const PROJECT_FILE = 'parley.config.yaml'

/** Flags that make no sense as a standing choice. */
const NOT_CONFIGURABLE: ReadonlySet<string> = new Set(['help', 'version', 'config', 'debug'])

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

export function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

/** Repeatable options collect: their parser receives what came before. */
export function setTexts(command: Command, option: Option, texts: readonly string[], source: 'config' | 'env'): void {
  const name = option.attributeName()
  let value: unknown = option.defaultValue
  for (const text of texts) value = option.parseArg === undefined ? text : option.parseArg(text, value)
  command.setOptionValueWithSource(name, value, source)
}

export function configurableOptions(command: Command): Option[] {
  return command.options.filter(({ long }) => !NOT_CONFIGURABLE.has(long?.slice(2) ?? ''))
}

function environmentName({ long }: Option): string {
  return `PARLEY_${(long ?? '')
    .replace(/^--(no-)?/, '')
    .replaceAll('-', '_')
    .toUpperCase()}`
}
