// The command that runs only what failed, as a person would type it.

import type { Run } from '../run/run.ts'
import { shellWord } from '../trace/shell-word.ts'
import type { ReportContext } from './reporter.ts'
import { safeLine } from './safe-text.ts'

/** More are not typed, but read from the report. */
const MOST_NAMED = 6

export function rerunCommand(
  run: Run,
  { command, files }: Pick<ReportContext, 'command' | 'files'>,
): string | undefined {
  const failed = [...new Set(run.results.filter(({ status }) => status === 'fail').map(({ test }) => test))]
  const { kind, target, second, files: tests = [] } = run.header
  if (failed.length === 0) return undefined
  const selection = selectionOf(failed, files)
  const words = tests.map(shellWord)
  switch (kind) {
    case 'suites':
      words.splice(0, words.length, ...words.flatMap((file) => ['--suite', file]))
      break
    case 'cases':
      return safeLine(`${command} run ${words.join(' ')} ${selection}`)
    case 'matrix':
      return safeLine(`${command} matrix ${words.join(' ')} ${pairsOf(run)}`)
    case 'clients':
      return gradeAgain(run, command, selectionOf(failed, []))
    case 'fleet':
      return undefined
    case 'checks':
      if (second !== undefined) words.push('--second', shellWord(second))
  }
  return safeLine([command, 'test', shellWord(target ?? ''), ...words, selection].join(' '))
}

/** Its command as it was typed; undefined for a client that a person drove, and for a recording. */
function gradeAgain({ header }: Run, command: string, selection: string): string | undefined {
  const { flags, target = '' } = header
  if (['--listen', '--serve', '--traffic'].some((flag) => flags.includes(flag))) return undefined
  const harness = flags.includes('--harness') ? '--harness ndjson ' : ''
  return safeLine(`${command} grade ${harness}${selection} -- ${target}`)
}

function pairsOf({ results }: Run): string {
  const failed = results.filter(({ status }) => status === 'fail').flatMap(({ pair }) => pair ?? [])
  const pairs = [...new Set(failed.map(({ client, server }) => `${client}→${server}`))]
  return pairs.map((pair) => `--only ${shellWord(pair)}`).join(' ')
}

/** All of what failed, by name or by report. */
function selectionOf(failed: readonly string[], files: readonly string[]): string {
  const stored = files.find((file) => /\.jsonl?$/.test(file))
  const all = failed.map((test) => `--only ${shellWord(test)}`).join(' ')
  return failed.length > MOST_NAMED && stored !== undefined ? `--failed-from ${shellWord(stored)}` : all
}
