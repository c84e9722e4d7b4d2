// What proves a failure, in lines for a terminal: the clause, expected beside actual, the bytes and the command that shows
// them again.

import type { RunResult } from '../run/run.ts'
import { answerInBrief } from '../trace/transcript.ts'
import { safeBlock, safeLine } from './safe-text.ts'
import type { Style } from './style.ts'
import { placeOf } from './wording.ts'

const MAX_BODY_LINE = 400

/** A result of a check, under the repair it asks for. */
export function evidenceLines(result: RunResult, style: Style): string[] {
  const sections = result.sections.length === 0 ? '' : ` · §${result.sections.join(', §')}`
  const lines = [style.dim(`   ${result.key}${sections} · ${safeLine(result.requirement ?? result.title)}`)]
  if (result.message !== undefined) lines.push(`   ${safeLine(result.message)}`)
  lines.push(...proofLines(result).map((line) => `   ${line}`))
  const { parley, curl = [] } = result.reproduction ?? {}
  if (parley !== undefined) lines.push(style.dim(`   ${safeLine(parley)}`))
  const earlier = curl.length - 1
  if (earlier > 0)
    lines.push(
      style.dim(`   # after ${earlier} earlier ${earlier === 1 ? 'step' : 'steps'}, which the report has, too:`),
    )
  return [...lines, ...commandLines(curl, '   ', style)]
}

/** A test of a suite, with where it stands. */
export function failureBlock(result: RunResult, style: Style): string {
  const { test, level, title, source = '', failedStep, message = '', reproduction } = result
  const step = failedStep === undefined ? '' : `step ${failedStep}: `
  return [
    `${style.red('✗')} ${safeLine(`${test} [${level.toLowerCase()}, ${placeOf(result)}] ${title}`)}`,
    style.dim(`  ${source}`),
    `  ${safeLine(`${step}${message}`)}`,
    ...proofLines(result).map((line) => `  ${line}`),
    ...commandLines(reproduction?.curl ?? [], '  ', style),
  ].join('\n')
}

function proofLines(result: RunResult): string[] {
  const lines: string[] = []
  if (result.expected !== undefined) lines.push(`expected  ${safeLine(result.expected)}`)
  if (result.actual !== undefined) lines.push(`actual    ${safeLine(result.actual)}`)
  const at = result.path ?? result.pointer ?? ''
  if (at !== '') lines.push(`at        ${safeLine(at)}`)
  const last = result.transcript?.at(-1)
  if (last?.repeated !== undefined) lines.push(`sent again: ${safeLine(last.repeated)}`)
  const answer = last === undefined ? undefined : answerInBrief(last)
  if (answer !== undefined) lines.push(`bytes     ${safeLine(answer).slice(0, MAX_BODY_LINE)}`)
  else if (last?.failure !== undefined) lines.push(`bytes     none: ${safeLine(last.failure)}`)
  return lines
}

/** The last of the commands, which shows the failure. */
function commandLines(curl: readonly string[], indent: string, style: Style): string[] {
  const last = curl.at(-1)
  return last === undefined ? [] : [style.dim(safeBlock(last).replaceAll(/^/gm, indent))]
}
