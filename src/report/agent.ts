// For coding agents and scripts that read little: failures only, one block per cause, always the same lines for the same
// failures, and the next command to run. No times, no counts that change from run to run without a reason.

import { type Run, type RunResult, type RunSubject, subjectsOf } from '../run/run.ts'
import { answerInBrief } from '../trace/transcript.ts'
import { documentFormat, type ReportContext } from './reporter.ts'
import { rerunCommand } from './rerun.ts'
import { inert, safeLine } from './safe-text.ts'
import { nameOf } from './wording.ts'

const MAX_TEXT = 300

export const agent = documentFormat('agent', 'failures only, terse, with the next command', (given, context) => {
  const run = inert(given)
  const blocks = subjectsOf(run).map(({ subject, results }) => subjectBlock(run, subject, results, context))
  const next = rerunCommand(run, context)
  return `${[...blocks, next === undefined ? 'next: none, nothing failed' : `next: ${next}`].join('\n')}\n`
})

function subjectBlock(run: Run, subject: RunSubject, results: readonly RunResult[], context: ReportContext): string {
  const { summary, conformanceLevel: level, diagnosis, complete, incompleteReason = 'it did not finish' } = subject
  const verdict = summary.failed > 0 || diagnosis !== undefined ? 'FAIL' : summary.passed > 0 ? 'PASS' : 'UNKNOWN'
  const what = level === undefined ? run.header.kind : level
  const lines = [`${verdict} ${short(nameOf(subject))}: ${what}, ${summary.failed} failed, ${summary.passed} passed`]
  if (!complete) lines.push(`incomplete: ${short(incompleteReason)}`)
  if (diagnosis !== undefined) lines.push(`problem: ${short(diagnosis.message)}`, `fix: ${short(diagnosis.fix)}`)
  for (const [at, members] of causesOf(subject, results).entries())
    lines.push('', ...causeLines(at + 1, members, context))
  return lines.join('\n')
}

/** What fails, by cause and in the order of repair; what belongs to no cause stands alone. */
function causesOf({ findings }: RunSubject, results: readonly RunResult[]): RunResult[][] {
  const failed = results.filter(({ status }) => status === 'fail')
  const byKey = new Map(failed.map((result) => [result.key, result]))
  const groups = findings
    .map(({ tests }) => tests.flatMap((key) => byKey.get(key) ?? []))
    .filter((members) => members.length > 0)
  const grouped = new Set(groups.flat())
  return [...groups, ...failed.filter((result) => !grouped.has(result)).map((result) => [result])]
}

function causeLines(number: number, [first, ...others]: readonly RunResult[], { command }: ReportContext): string[] {
  if (first === undefined) return []
  const { sections, source, message, recommendation, expected, actual, reproduction } = first
  const where = source ?? (sections.length === 0 ? '' : `§${sections.join(',')}`)
  const lines = [`${number}. ${first.level} ${first.key} ${where}`.trimEnd()]
  const say = (name: string, text: string | undefined) => {
    if (text !== undefined && text !== '') lines.push(`   ${name}: ${short(text)}`)
  }
  say('fix', recommendation)
  say('message', message)
  say('expected', expected)
  say('actual', actual)
  say('at', first.path ?? first.pointer)
  const last = first.transcript?.at(-1)
  say('answer', last === undefined ? undefined : answerInBrief(last))
  say('also', others.map(({ key }) => key).join(' '))
  say('blocks', first.blocks?.join(' '))
  if (reproduction !== undefined)
    lines.push(`   run: ${safeLine(reproduction.parley).replace(/^parley /, `${command} `)}`)
  return lines
}

function short(text: string): string {
  const line = safeLine(text)
  return line.length <= MAX_TEXT ? line : `${line.slice(0, MAX_TEXT)}…`
}
