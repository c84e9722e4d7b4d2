// docs/spec-conflicts.md from requirements/spec-conflicts.yaml; `npm run spec-conflicts` writes it.

import { writeFileSync } from 'node:fs'
import { specConflicts } from '../../src/judge/register.ts'

export const DOCUMENT = new URL('../../docs/spec-conflicts.md', import.meta.url)

const HEAD = `# Where the specification contradicts itself

Reports name these places by their number. Each is a place where two normative texts disagree, or where a tester would have to
know something that no text says. An agent that follows one of the texts never fails: what it does is reported as
\`spec-conflict\` (both readings are defensible), as a warning (one reading is clearly the stronger), or not at all. Some places
turned out to be clear when read again; they keep their number and say so.

Sections without a version are those of A2A 1.0 (revision 1.0.1). All sentences are our own words. Written by
\`npm run spec-conflicts\` from \`requirements/spec-conflicts.yaml\`; \`parley explain <check>\` shows the places a check decides by.
`

export function specConflictsDocument(): string {
  const rows = [...specConflicts().values()]
  const table = rows.map(
    ({ place, version, where }) => `| [${place}](#place-${place}) | ${version} | ${where.join(', ')} |`,
  )
  const sections = rows.flatMap(({ place, version, where, conflict, judged, checks }) => [
    `## Place ${place}`,
    '',
    `A2A ${version}: ${where.join(', ')}`,
    '',
    `**What contradicts what:** ${oneLine(conflict)}`,
    '',
    `**How we judge:** ${oneLine(judged)}`,
    '',
    ...(checks.length === 0 ? [] : [`Checks: ${checks.map((id) => `\`${id}\``).join(', ')}`, '']),
  ])
  return [HEAD, '| place | version | texts |', '|---|---|---|', ...table, '', ...sections].join('\n')
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s+/g, ' ')
}

if (import.meta.filename === process.argv[1]) writeFileSync(DOCUMENT, specConflictsDocument())
