// Three columns for three questions: what is wrong first, which results, and what exactly.

import type { ComponentChildren } from 'preact'
import type { FindingGroup, Score } from '../../src/judge/runner/result.ts'
import { Compare } from './compare.tsx'
import type { Row, RunIndex } from './data.ts'
import { Detail } from './detail.tsx'
import { STATE_SIGNS, STATE_WORDS, STATES, stateOf, toggled } from './filter.ts'
import { Grid, Groups } from './groups.tsx'
import { List } from './list.tsx'
import { index, nameOf, open, query } from './state.ts'
import { useKeys } from './use-keys.ts'

export function App() {
  const run = index.value
  return run === undefined ? <p class="empty">Unpacking…</p> : <Report run={run} />
}

/** A run of any kind; `actions` is what only the surrounding page can do with a result. */
export function Report({ run, actions }: { run: RunIndex; actions?: (row: Row) => ComponentChildren }) {
  const current = open.value
  useKeys()
  return (
    <div class={current === undefined ? 'page' : 'page with-detail'}>
      <Head run={run} />
      <Tools run={run} />
      {run.header.kind === 'matrix' && <Grid run={run} />}
      <div class="columns">
        <Causes run={run} />
        <List />
        <div class="detail-column">
          {current === undefined ? (
            <p class="empty">Choose a result. j and k step through them, / goes to the box.</p>
          ) : (
            <Detail key={nameOf(current.row)} run={run} row={current.row} at={current.at}>
              {actions?.(current.row)}
            </Detail>
          )}
        </div>
      </div>
    </div>
  )
}

function Head({ run: { header, footer } }: { run: RunIndex }) {
  const { conformanceLevel: level, summary, interfaces, complete } = footer
  const name =
    footer.agentName === undefined ? `parley ${header.kind}` : `${footer.agentName} ${footer.agentVersion ?? ''}`
  const how = [...new Set(interfaces.map(({ version, binding }) => `${version} ${binding}`))].join(', ')
  const grade = level ?? (summary.failed > 0 ? 'failed' : 'passed')
  return (
    <header class="report-head">
      <h1>{name}</h1>
      <strong class={`level ${summary.failed > 0 || level === 'non-conformant' ? 'bad' : 'good'}`}>{grade}</strong>
      <p class="muted">
        {[
          ...footer.score.map(scoreText),
          ...(how === '' ? [] : [how]),
          header.startedAt.slice(0, 16).replace('T', ' '),
          `${(footer.durationMs / 1000).toFixed(1)} s`,
          `Parley ${header.parleyVersion}${header.specRevision === undefined ? '' : `, revision ${header.specRevision}`}`,
        ].join(' · ')}
      </p>
      {footer.levelReasons.length > 0 && <p class="reasons">{footer.levelReasons.join(' · ')}</p>}
      {footer.second !== undefined && (
        <p class="reasons">
          Second agent: {footer.second.agentName} {footer.second.agentVersion}, <b>{footer.second.conformanceLevel}</b>,{' '}
          {footer.second.summary.failed} failed
        </p>
      )}
      {!complete && <p class="bad">Incomplete: {footer.incompleteReason ?? 'the run did not finish'}</p>}
      {footer.diagnosis !== undefined && (
        <p class="bad">
          {footer.diagnosis.message} {footer.diagnosis.fix}
        </p>
      )}
    </header>
  )
}

function scoreText({ version, mustKept, mustMeasured }: Score): string {
  return `A2A ${version}: ${mustKept} of ${mustMeasured} MUST met`
}

function Tools({ run }: { run: RunIndex }) {
  const counts = Map.groupBy(run.results, stateOf)
  return (
    <search class="filter-bar">
      <input
        id="box"
        type="search"
        aria-label="Filter results"
        placeholder="status:fail binding:rest stream"
        value={query.value}
        onInput={(event) => (query.value = event.currentTarget.value)}
      />
      {STATES.filter((state) => counts.has(state)).map((state) => {
        const isOn = query.value.split(/\s+/).includes(`status:${state}`)
        return (
          <button
            key={state}
            type="button"
            class={`chip ${state}`}
            aria-pressed={isOn}
            onClick={() => (query.value = toggled(query.value, state))}
          >
            {STATE_SIGNS[state]} {STATE_WORDS[state]} <b>{counts.get(state)?.length ?? 0}</b>
          </button>
        )
      })}
      <Compare />
    </search>
  )
}

function Causes({ run: { header, footer, results } }: { run: RunIndex }) {
  const findings = [...footer.findings, ...(footer.second?.findings ?? [])]
  return (
    <nav class="causes" aria-label="What to fix first">
      <h2>Fix first</h2>
      {findings.length === 0 && (
        <p class="empty">{footer.summary.failed === 0 ? 'Nothing failed.' : 'See the list.'}</p>
      )}
      <ul>
        {findings.map((finding) => (
          <li key={`${finding.recommendation} ${finding.tests[0]}`}>
            <Cause finding={finding} />
          </li>
        ))}
      </ul>
      <Groups run={{ header, results }} />
      <Sections results={results} />
    </nav>
  )
}

function Cause({ finding: { recommendation, cause, tests, blocks, level } }: { finding: FindingGroup }) {
  const text = `cause:"${recommendation.replaceAll('"', '')}"`
  const isOn = query.value === text
  return (
    <button
      type="button"
      class={isOn ? 'cause open' : 'cause'}
      aria-pressed={isOn}
      onClick={() => (query.value = isOn ? '' : text)}
    >
      <span class="title">
        {recommendation} <b class={level === 'MUST' ? 'bad' : 'warn'}>{tests.length}</b>
      </span>
      <span class="muted">{cause}</span>
      {blocks.length > 0 && (
        <span class="muted">{blocks.length === 1 ? '1 result waits' : `${blocks.length} results wait`} for it.</span>
      )}
    </button>
  )
}

const MEASURED = new Set(['pass', 'fail', 'warn', 'info', 'known', 'spec-conflict'])

/** Of the results about a section of the specification, how many could be measured. */
function Sections({ results }: { results: readonly Row[] }) {
  const sections = new Map<string, { measured: number; all: number }>()
  for (const { sections: own, verdict } of results) {
    for (const section of new Set(own.map((each) => each.split('.').slice(0, 2).join('.')))) {
      const count = sections.get(section) ?? { measured: 0, all: 0 }
      count.all++
      if (MEASURED.has(verdict)) count.measured++
      sections.set(section, count)
    }
  }
  if (sections.size === 0) return null
  const sorted = [...sections].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  return (
    <>
      <h2>Measured by section</h2>
      <ul class="sections">
        {sorted.map(([section, { measured, all }]) => (
          <li key={section}>
            <span>§{section}</span>
            <meter
              min={0}
              max={all}
              value={measured}
              aria-label={`${measured} of ${all} results measured in section ${section}`}
            />
            <span class="muted">
              {measured}/{all}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}
