// Which flags can have a standing value, and how one is set without the command line.

import type { Command, Option } from 'commander'

/** Flags that make no sense as a standing choice. */
const NOT_CONFIGURABLE: ReadonlySet<string> = new Set(['help', 'version', 'config', 'debug'])

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
