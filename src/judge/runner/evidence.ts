// Turns an outcome into a reported result: readable transcripts and commands that reproduce it, with every secret
// taken out before anything leaves this file.

import type { CurlTls } from '../../trace/curl.ts'
import type { Exchange } from '../../trace/exchange.ts'
import type { Redactor } from '../../trace/redact.ts'
import { reproduce } from '../../trace/reproduce.ts'
import { shellWord } from '../../trace/shell-word.ts'
import { AREA_TEXTS } from '../checks/area-texts.ts'
import { scoreAreaOf } from './areas.ts'
import type { Outcome } from './execute.ts'
import type { Case } from './plan.ts'
import { type ConformanceResult, statusOf, type Verdict } from './result.ts'
import { withSteps } from './steps.ts'
import { transcriptOf } from './transcript-of.ts'

const MAX_EXCHANGES = 6

/** Verdicts whose evidence is worth keeping. */
const WITH_EVIDENCE: ReadonlySet<Verdict> = new Set(['fail', 'warn', 'known', 'harness-error', 'spec-conflict'])

/** What a result has to know about the case it belongs to. */
export interface Judged extends Pick<Case, 'key' | 'rows' | 'level' | 'binding'> {
  check: Pick<Case['check'], 'id' | 'title' | 'category'> & { area?: string; meta: { fix: string; why?: string } }
  generation: Case['generation'] | undefined
}

export interface EvidenceOptions {
  target: string
  strict: boolean
  redactor: Redactor
  tls?: CurlTls | undefined
  /** The evidence of a finding about what was fetched before the checks began. */
  cardExchange: Exchange | undefined
}

export function resultOf(item: Judged, outcome: Outcome, options: EvidenceOptions): ConformanceResult {
  const { check, key, rows, generation, binding } = item
  const { redactor, tls } = options
  const { finding } = outcome
  const result: ConformanceResult = {
    test: check.id,
    category: check.category,
    status: statusOf(outcome.verdict, options.strict),
    title: titleOf(item),
    level: item.level,
    verdict: outcome.verdict,
    key,
    sections: [...new Set(rows.map((row) => row.section))],
    requirements: rows.map((row) => row.id),
  }
  if (check.area !== undefined) result.area = scoreAreaOf({ area: check.area, category: check.category })
  if (outcome.message !== undefined) result.message = redactor.text(outcome.message)
  result.duration_ms = outcome.durationMs
  if (generation !== undefined) result.version = generation
  if (binding !== undefined) result.binding = binding
  const [first] = rows
  if (first !== undefined) result.requirement = first.statement
  if (finding !== undefined) {
    result.expected = redactor.text(finding.expected ?? first?.statement ?? titleOf(item))
    result.actual = redactor.text(finding.actual ?? finding.message) || 'nothing'
    // The empty pointer is the whole body.
    result.pointer = finding.pointer ?? ''
  }
  if (outcome.wouldNeed !== undefined) result.wouldNeed = outcome.wouldNeed
  if (outcome.notRun !== undefined) result.notRun = outcome.notRun
  if (outcome.blockedBy !== undefined) result.blockedBy = outcome.blockedBy
  if (outcome.notes.length > 0) result.notes = outcome.notes.map((note) => redactor.text(note))
  if (WITH_EVIDENCE.has(outcome.verdict)) {
    const why = check.meta.why ?? AREA_TEXTS[check.area ?? '']?.why
    if (why !== undefined) result.why = why
    result.recommendation = finding?.fix ?? check.meta.fix
    const exchanges = evidenceOf(outcome, options.cardExchange)
    result.transcript = exchanges.map((exchange) => transcriptOf(exchange, redactor))
    result.reproduction = {
      parley: reproductionOf(item, options.target),
      curl: exchanges.map((exchange) => reproduce(exchange.request, { redactor, tls, placeholders: true })),
    }
  }
  return result
}

/** The title, beginning with the level that holds for this generation. */
export function titleOf({ check, level }: Pick<Judged, 'level'> & { check: Pick<Judged['check'], 'title'> }): string {
  return check.title.replace(/^(MUST|SHOULD|MAY)\b/, level)
}

/** The exchanges the finding names, or the last of the check, or the one that brought the card it looked at. */
function evidenceOf(outcome: Outcome, card: Exchange | undefined): readonly Exchange[] {
  const named = outcome.finding?.exchanges ?? []
  if (named.length > 0) return withSteps(named.slice(0, MAX_EXCHANGES), outcome.exchanges)
  if (outcome.exchanges.length > 0) return outcome.exchanges.slice(-MAX_EXCHANGES)
  return outcome.finding === undefined || card === undefined ? [] : [card]
}

function reproductionOf(item: Judged, target: string): string {
  const words = ['parley', 'test', shellWord(target), '--only', item.check.id]
  if (item.generation !== undefined) words.push('--a2a-version', item.generation)
  if (item.binding !== undefined) words.push('--transport', item.binding)
  return words.join(' ')
}
