// Which flags can have a standing value, and how one is set without the command line. A wrong one is reported with the
// place it comes from, because the flag was not typed.

import { type Command, CommanderError, type Option } from 'commander'
import { ParleyError } from '../model/errors.ts'
import { usage } from './flag-values.ts'

/** Flags that make no sense as a standing choice. */
const NOT_CONFIGURABLE: ReadonlySet<string> = new Set(['help', 'version', 'config', 'debug', 'profile'])

export function takesValue({ required, optional }: Option): boolean {
  return required || optional
}

export interface Origin {
  source: 'config' | 'env'
  /** 'PARLEY_PORT', 'parley.config.yaml:3:9'. */
  place: string
}

/** Repeatable options collect: their parser receives what came before. */
export function setTexts(command: Command, option: Option, texts: readonly string[], { source, place }: Origin): void {
  const name = option.attributeName()
  let value: unknown = option.defaultValue
  for (const text of texts) {
    try {
      value = option.parseArg === undefined ? text : option.parseArg(text, value)
    } catch (error) {
      throw withPlace(error, option, text, place)
    }
  }
  command.setOptionValueWithSource(name, value, source)
}

export function configurableOptions(command: Command): Option[] {
  return command.options.filter(({ long }) => !NOT_CONFIGURABLE.has(long?.slice(2) ?? ''))
}

function withPlace(error: unknown, { long }: Option, text: string, place: string): unknown {
  if (error instanceof ParleyError) return usage(`${place}: ${error.message}`, error.hint)
  if (error instanceof CommanderError)
    return usage(`${place}: ${long ?? ''} does not take ${JSON.stringify(text)}. ${error.message}`)
  return error
}
