// One result, all of it: the claim with its clause, expected beside actual, what to change, and the wire.

import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Copy } from '../shared/copy.tsx'
import { Wire } from '../shared/wire.tsx'
import { clauseLink } from './clause-link.ts'
import { commandName, curlText, issueText } from './copy.ts'
import { type Evidence, evidenceOf, type Row, type RunIndex } from './data.ts'
import { STATE_SIGNS, STATE_WORDS, stateOf } from './filter.ts'
import { before, changeOf, chosen, hasAddress, nameOf } from './state.ts'

interface DetailProps {
  run: RunIndex
  row: Row
  at: number
  children?: ComponentChildren
}

export function Detail({ run, row, at, children }: DetailProps) {
  const evidence = useEvidence(run, row, at)
  const { transcript = [] } = evidence
  return (
    <article class="detail" aria-label={row.title}>
      <button type="button" class="back" onClick={() => (chosen.value = undefined)}>
        ← All results
      </button>
      <h2>{row.title}</h2>
      <Standing row={row} />
      <dl>
        <Fact name="Since then" text={sinceThen(row)} />
        <Fact name="Between" text={row.pair && `${row.pair.client} → ${row.pair.server}`} />
        <Fact name="Whose fault" text={row.pair?.blame} />
        <Fact name="Found" text={row.message} />
        <Fact name="Requirement" text={row.requirement} />
        <Fact name="Why it matters" text={row.why} />
        <Fact name="Expected" text={row.expected} />
        <Fact name="Actual" text={row.actual} isBad={row.status === 'fail'} />
        <Fact name="At" text={row.path ?? row.pointer} />
        <Fact name="Fix" text={row.recommendation} />
        <Fact name="Would need" text={row.wouldNeed} />
        <Fact name="Not measured because of" text={row.blockedBy} />
        <Blocked keys={row.blocks ?? []} />
        <Fact name="Notes" text={row.notes?.join('\n')} />
      </dl>
      <p class="actions">
        <Copies run={run} row={row} evidence={evidence} />
        {children}
      </p>
      <Differences row={row} />
      {transcript.length > 0 && <Wire exchanges={transcript} pointer={row.pointer} />}
    </article>
  )
}

/** Asked for once for each result, however often the run around it grows. */
function useEvidence(run: RunIndex, row: Row, at: number): Evidence {
  const [evidence, setEvidence] = useState<Evidence>({})
  useEffect(() => {
    let isCurrent = true
    setEvidence({})
    void evidenceOf(at, run.blockSize).then((found) => {
      if (isCurrent) setEvidence(found)
    })
    return () => {
      isCurrent = false
    }
  }, [row])
  return evidence
}

/** What became of it, its name, and the clauses it is about. */
function Standing({ row }: { row: Row }) {
  const state = stateOf(row)
  return (
    <p class="muted">
      <span class={`state ${state}`}>
        {STATE_SIGNS[state]} {STATE_WORDS[state]}
      </span>{' '}
      · {row.key}
      {row.source !== undefined && ` · ${row.source}`}
      {row.sections.map((section) => (
        <span key={section}>
          {' · '}
          <a href={clauseLink(row.version, section)} rel="noreferrer">
            A2A §{section}
          </a>
        </span>
      ))}
    </p>
  )
}

function Copies({ run, row, evidence }: { run: RunIndex; row: Row; evidence: Evidence }) {
  const { reproduction } = evidence
  return (
    <>
      {curlText(evidence) !== '' && <Copy label={`Copy ${commandName(evidence)}`} text={() => curlText(evidence)} />}
      <Copy label="Copy as issue" text={() => issueText(run.header, row, evidence)} />
      {reproduction !== undefined && <Copy label="Copy parley command" text={() => reproduction.parley} />}
      {hasAddress.value && <Copy label="Copy link" text={() => linkTo(row)} />}
    </>
  )
}

function Fact({ name, text, isBad = false }: { name: string; text: string | undefined; isBad?: boolean }) {
  if (text === undefined || text === '') return null
  return (
    <>
      <dt>{name}</dt>
      <dd class={isBad ? 'bad' : ''}>{text}</dd>
    </>
  )
}

const MAX_KEYS = 4

/** Of many, the first; the others are one click away. */
function Blocked({ keys }: { keys: readonly string[] }) {
  if (keys.length <= MAX_KEYS) return <Fact name="Blocks" text={keys.join(', ')} />
  return (
    <>
      <dt>Blocks</dt>
      <dd>
        <details>
          <summary>
            {keys.slice(0, MAX_KEYS - 1).join(', ')} and {keys.length - MAX_KEYS + 1} more
          </summary>
          {keys.slice(MAX_KEYS - 1).join(', ')}
        </details>
      </dd>
    </>
  )
}

function Differences({ row: { problems = [], differences = [] } }: { row: Row }) {
  if (problems.length + differences.length === 0) return null
  return (
    <section aria-label="What did not hold">
      {problems.length > 1 && (
        <ul>
          {problems.map(({ line, message }) => (
            <li key={`${line} ${message}`}>
              line {line}: {message}
            </li>
          ))}
        </ul>
      )}
      {differences.map(({ turn, lines }) => (
        <table key={turn}>
          <caption>{turn}</caption>
          <thead>
            <tr>
              <th scope="col">Expected</th>
              <th scope="col">Seen</th>
            </tr>
          </thead>
          <tbody>
            {lines.map(({ mark, expected = '', actual = '' }, at) => (
              <tr key={at} class={mark === '=' ? '' : 'bad'}>
                <td>{expected}</td>
                <td>{actual}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ))}
    </section>
  )
}

const CHANGE_WORDS: Readonly<Record<string, string>> = {
  new: 'fails now and did not',
  fixed: 'failed and passes now',
  still: 'failed before, too',
  changed: 'had another verdict',
  added: 'was not in the older run',
}

function sinceThen(row: Row): string | undefined {
  const change = changeOf(row)
  return before.value === undefined ? undefined : change === undefined ? 'unchanged' : CHANGE_WORDS[change]
}

function linkTo(row: Row): string {
  return `${location.href.split('#')[0]}#${new URLSearchParams({ check: nameOf(row) })}`
}
