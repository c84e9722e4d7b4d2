// What a maintainer pastes: the commands, and an issue in the form maintainers already use.

import type { RunHeader } from '../../src/run/run.ts'
import { clauseLink } from './clause-link.ts'
import type { Evidence, Row } from './data.ts'

export function curlText({ reproduction }: Evidence): string {
  return (reproduction?.curl ?? []).join('\n')
}

/** grpcurl where the first exchange is a gRPC call. */
export function commandName(evidence: Evidence): string {
  return curlText(evidence).startsWith('grpcurl') ? 'grpcurl' : 'curl'
}

export function issueText(header: RunHeader, row: Row, { reproduction }: Evidence): string {
  const sections = row.sections.map((section) => `[§${section}](${clauseLink(row.version, section)})`).join(', ')
  const lines = [`# ${row.title}`, '', row.message ?? '']
  if (row.requirement !== undefined)
    lines.push('', `**Requirement** (A2A ${row.version ?? ''} ${sections}): ${row.requirement}`)
  if (row.expected !== undefined) lines.push('', '**Expected**', '', fenced(row.expected))
  if (row.actual !== undefined) lines.push('', '**Actual**', '', fenced(row.actual))
  if (row.recommendation !== undefined) lines.push('', `**Suggestion**: ${row.recommendation}`)
  if (reproduction !== undefined)
    lines.push('', '**Reproduce**', '', fenced([reproduction.parley, ...reproduction.curl].join('\n'), 'sh'))
  lines.push('', `<sub>${row.key}, Parley ${header.parleyVersion}, ${header.startedAt}</sub>`)
  return `${lines.join('\n')}\n`
}

/** A fence longer than any run of backticks inside. */
function fenced(text: string, language = ''): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}
