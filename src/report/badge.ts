// A badge for a README, as SVG: the level of an agent with its score, or how many tests passed. Nothing is fetched.

import type { Run, RunSubject } from '../run/run.ts'
import { pairCount } from './matrix-grid.ts'
import { documentFormat } from './reporter.ts'
import { xmlAttribute, xmlText } from './xml-text.ts'

const COLOURS = { good: '#1a7f4b', fair: '#5a7a18', poor: '#9a6200', bad: '#c2292e', unknown: '#6b6862' } as const
/** Of a letter of 11 px, about; the text is stretched to fit exactly. */
const LETTER = 6.6
const PADDING = 12

export const badge = documentFormat('badge', 'a badge for a README, as SVG', (run) =>
  drawn(labelOf(run), messageOf(run)),
)

/** The badge of one agent of a fleet: its level with its score, or why it has none. */
export function agentBadge(standing: string, score: { kept: number; measured: number } | undefined): string {
  const level = LEVELS.find((known) => known === standing)
  const kept =
    level === undefined || score === undefined || score.measured === 0 ? [] : [`${score.kept}/${score.measured}`]
  const colour = level === undefined ? COLOURS.unknown : colourOf(level)
  return drawn('A2A', { text: [standing, ...kept].join(' '), colour })
}

/** Of a matrix, one badge for each peer by its name: how many conversations with the others worked. */
export function peerBadges({ results }: Run): ReadonlyMap<string, string> {
  const names = new Set(results.flatMap(({ pair }) => (pair === undefined ? [] : [pair.client, pair.server])))
  return new Map(
    [...names].map((name) => {
      const own = results.filter(
        // A pair on one SDK proves little.
        ({ pair }) => pair !== undefined && pair.client !== pair.server && [pair.client, pair.server].includes(name),
      )
      const { worked, tried } = pairCount(own)
      const colour =
        tried === 0
          ? COLOURS.unknown
          : worked === tried
            ? COLOURS.good
            : worked > tried / 2
              ? COLOURS.poor
              : COLOURS.bad
      return [name, drawn(`A2A interop ${name}`, { text: tried === 0 ? 'not measured' : `${worked}/${tried}`, colour })]
    }),
  )
}

const LEVELS = ['full', 'partial', 'minimal', 'non-conformant', 'at least minimal', 'not determined'] as const

function drawn(label: string, { text, colour }: { text: string; colour: string }): string {
  const [left, right] = [widthOf(label), widthOf(text)]
  const width = left + right
  const title = `${label}: ${text}`
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${xmlAttribute(title)}">
  <title>${xmlText(title)}</title>
  <clipPath id="r"><rect width="${width}" height="20" rx="3"/></clipPath>
  <g clip-path="url(#r)"><rect width="${left}" height="20" fill="#3a3936"/><rect x="${left}" width="${right}" height="20" fill="${colour}"/></g>
  <g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">
    <text x="${left / 2}" y="14" textLength="${left - PADDING}">${xmlText(label)}</text>
    <text x="${left + right / 2}" y="14" textLength="${right - PADDING}">${xmlText(text)}</text>
  </g>
</svg>
`
}

/** The protocol versions that were judged. */
function labelOf({ footer, header }: Run): string {
  const versions = [...new Set(footer.score.map(({ version }) => version))].sort().toReversed()
  return versions.length > 0 ? `A2A ${versions.join(', ')}` : `A2A ${header.kind}`
}

function messageOf({ footer }: Run): { text: string; colour: string } {
  const { conformanceLevel: level, summary, complete } = footer
  if (level === undefined) {
    const run = summary.passed + summary.failed
    const colour = summary.failed > 0 ? COLOURS.bad : complete && run > 0 ? COLOURS.good : COLOURS.unknown
    return { text: `${summary.passed} of ${run} passed`, colour }
  }
  return { text: [level, ...scoreOf(footer)].join(' '), colour: colourOf(level) }
}

function scoreOf({ score }: RunSubject): string[] {
  const sum = (of: 'mustKept' | 'mustMeasured') => score.reduce((so, one) => so + one[of], 0)
  return score.length === 0 ? [] : [`${sum('mustKept')}/${sum('mustMeasured')}`]
}

function colourOf(level: NonNullable<RunSubject['conformanceLevel']>): string {
  switch (level) {
    case 'full':
      return COLOURS.good
    case 'partial':
    case 'at least minimal':
      return COLOURS.fair
    case 'minimal':
      return COLOURS.poor
    case 'non-conformant':
      return COLOURS.bad
    case 'not determined':
      return COLOURS.unknown
  }
}

function widthOf(text: string): number {
  return Math.round(text.length * LETTER) + PADDING
}
