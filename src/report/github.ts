// Annotations of GitHub Actions: one per cause of checks, one per failed test of suites and cases at its file and line.
// GitHub shows ten of each kind for a step, so what fails comes first and one line says it all.

import { type Run, type RunResult, type RunSubject, subjectsOf } from '../run/run.ts'
import { documentFormat } from './reporter.ts'
import { inert } from './safe-text.ts'
import { countsText, levelText, nameOf, shortName } from './wording.ts'

type Command = 'error' | 'warning' | 'notice'
type Place = { title: string; file?: string; line?: string }

const SHOWN_KEYS = 10

export const github = documentFormat('github', 'annotations for GitHub Actions, to stdout', (given) => {
  const run = inert(given)
  const lines = subjectsOf(run).flatMap(({ subject, results }) => [
    ...diagnosisLines(subject),
    ...resultLines(subject, results),
    summaryLine(run, subject, results),
  ])
  return lines.map((line) => `${line}\n`).join('')
})

function summaryLine(run: Run, subject: RunSubject, results: readonly RunResult[]): string {
  const level = levelText(subject)
  const said = [`${nameOf(subject)}${level === '' ? '' : ` ${level}`}: ${countsText(subject, results)}`]
  if (!subject.complete) said.push(`incomplete: ${subject.incompleteReason ?? 'the run did not finish'}`)
  const command = subject.complete ? 'notice' : 'error'
  return annotation(command, { title: `A2A ${run.header.kind}` }, said.join('\n'))
}

function diagnosisLines({ diagnosis }: RunSubject): string[] {
  if (diagnosis === undefined) return []
  return [
    annotation('error', { title: 'A2A: the agent could not be judged' }, `${diagnosis.message}\n${diagnosis.fix}`),
  ]
}

function resultLines({ findings }: RunSubject, results: readonly RunResult[]): string[] {
  const byKey = new Map(results.map((result) => [result.key, result]))
  const grouped = new Set(findings.flatMap(({ tests }) => tests))
  const causes = findings.flatMap(({ recommendation, tests, blocks }) => {
    const members = tests.flatMap((key) => byKey.get(key) ?? [])
    const first = members.find(({ status }) => status === 'fail') ?? members[0]
    if (first === undefined) return []
    const keys = members.map(({ key }) => key)
    const more = keys.length > SHOWN_KEYS ? ` and ${keys.length - SHOWN_KEYS} more` : ''
    const said = [first.message ?? first.title, `Fix: ${recommendation}`]
    said.push(`Results: ${keys.slice(0, SHOWN_KEYS).join(', ')}${more}`)
    if (blocks.length > 0) said.push(`Not measured because of it: ${blocks.length}`)
    return [{ result: first, line: lineFor(first, [...said, ...reproductionOf(first)]) }]
  })
  const others = results
    .filter((result) => result.status === 'fail' && !grouped.has(result.key))
    .map((result) => ({ result, line: lineFor(result, [result.message ?? result.title, ...reproductionOf(result)]) }))
  const all = [...causes, ...others]
  const fails = all.filter(({ result }) => result.status === 'fail')
  return [...fails, ...all.filter(({ result }) => result.status !== 'fail')].map(({ line }) => line)
}

function lineFor(result: RunResult, said: readonly string[]): string {
  const [, file, line] = /^(.*):(\d+)$/.exec(result.source ?? '') ?? []
  const title = `A2A ${result.level} ${shortName(result)}`
  return annotation(result.status === 'fail' ? 'error' : 'warning', { title, file, line }, said.join('\n'))
}

function reproductionOf({ reproduction }: RunResult): string[] {
  return reproduction === undefined ? [] : [reproduction.parley]
}

/** What GitHub would take for the end of a property or of the command is written as its number. */
function annotation(command: Command, { title, file, line }: Place, message: string): string {
  const properties = Object.entries({ file, line, title }).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escaped(value).replaceAll(':', '%3A').replaceAll(',', '%2C')}`],
  )
  return `::${command} ${properties.join(',')}::${escaped(message)}`
}

function escaped(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
