// Another run beside this one: opened from a file (a run record, a JSON report, another page like this), or put into the page
// when it was written.

import { useRef, useState } from 'preact/hooks'
import { readRunFile } from './read-run.ts'
import { before, comparison, query } from './state.ts'

export function Compare() {
  const input = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const open = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      before.value = readRunFile(file.name, await file.text())
      setProblem(undefined)
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  const openPage = async (file: File | undefined) => {
    if (input.current !== null) input.current.value = ''
    await open(file)
  }
  return (
    <>
      <button type="button" class="end" onClick={() => input.current?.click()}>
        Compare…
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="An older run"
        accept=".jsonl,.json"
        onChange={(event) => void openPage(event.currentTarget.files?.[0])}
      />
      {problem !== undefined && (
        <p class="changed bad" role="alert">
          {problem}
        </p>
      )}
      <Changes />
    </>
  )
}

function Changes() {
  const found = comparison.value
  if (found === undefined) return null
  const kinds: [string, string, number][] = [
    ['new', 'new failures', found.newFailures.length],
    ['fixed', 'fixed', found.repaired.length],
    ['still', 'still failing', found.stillFailing.length],
    ['changed', 'changed', found.otherChanges.length + found.unknownNow.length],
    ['added', 'only now', found.added.length],
  ]
  return (
    <div class="changed">
      <span class={found.isWorse ? 'bad' : 'good'}>{found.isWorse ? '✗ Worse' : '✓ Not worse'}</span>
      <span class="muted">
        than {found.before.startedAt.slice(0, 16).replace('T', ' ')} ({found.before.target ?? found.before.kind})
      </span>
      {kinds.map(([name, words, count]) => (
        <button
          key={name}
          type="button"
          class="chip"
          aria-pressed={query.value === `change:${name}`}
          disabled={count === 0}
          onClick={() => (query.value = query.value === `change:${name}` ? '' : `change:${name}`)}
        >
          {words} <b>{count}</b>
        </button>
      ))}
      {found.removed.length > 0 && <span class="muted">{found.removed.length} no longer in this run</span>}
      <button type="button" onClick={() => (before.value = undefined)}>
        Stop comparing
      </button>
    </div>
  )
}
