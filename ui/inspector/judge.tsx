// The judge: start a run, see its record grow, and read it as the report. What failed can be run again.

import { signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AgentView, RunView } from '../../src/inspector/views.ts'
import { Report } from '../report/app.tsx'
import { type Evidence, setEvidenceSource } from '../report/data.ts'
import { index, query, chosen as result } from '../report/state.ts'
import { RunLines } from '../shared/run-lines.ts'
import { get, post, saveAs } from './api.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { attempt, lastError, onLines, runs } from './state.ts'

const shown = signal<string | undefined>(undefined)
let lines = new RunLines()

setEvidenceSource(async (at) => {
  const number = lines.numbers()[at]
  return number === undefined ? {} : get<Evidence>(`evidence/${shown.value}/${number}`)
})

onLines.add(({ run, lines: more }) => {
  if (run !== shown.value) return
  for (const line of more) lines.add(line)
  index.value = lines.index()
})

/** Shows a run from its beginning; what is written meanwhile arrives as changes. */
async function show(id: string): Promise<void> {
  shown.value = id
  lines = new RunLines()
  const { lines: known } = await get<{ lines: { [member: string]: unknown }[] }>(`run/${id}`)
  if (shown.value !== id) return
  lines = new RunLines()
  for (const line of known) lines.add(line)
  index.value = lines.index()
}

export function Judge({ agent }: { agent: AgentView | undefined }) {
  const start = (body: object) =>
    void attempt(async () => {
      if (agent === undefined) return
      const { run } = await post<{ run: string }>('judge', { agent: agent.id, ...body })
      query.value = ''
      result.value = undefined
      await show(run)
    })
  const current = runs.value.find(({ id }) => id === shown.value)
  useEffect(() => {
    const last = runs.value.at(-1)
    if (shown.value === undefined && last !== undefined) void attempt(() => show(last.id))
  }, [])
  const failed = [
    ...new Set(index.value?.results.filter(({ status }) => status === 'fail').map(({ test }) => test) ?? []),
  ]
  return (
    <div class="judge">
      <div class="judge-bar">
        <button type="button" class="primary" disabled={agent === undefined} onClick={() => start({})}>
          Judge with all checks
        </button>
        <button type="button" disabled={agent === undefined} onClick={() => start({ quick: true })}>
          Only the basics
        </button>
        {current !== undefined && !current.isRunning && failed.length > 0 && current.agent !== '' && (
          <button type="button" onClick={() => start({ only: failed })}>
            Run what failed again
          </button>
        )}
        <OpenRun />
        {runs.value.length > 1 && <RunChoice />}
        {current !== undefined && <Progress run={current} />}
        {current !== undefined && !current.isRunning && <Exports run={current} />}
      </div>
      {current?.error !== undefined && <ErrorNote error={current.error} />}
      {current === undefined || index.value === undefined ? (
        <Empty>
          Nothing was judged yet. A run takes some seconds and makes the agent work; each check shows the exchange
          behind it.
        </Empty>
      ) : (
        <Report
          run={index.value}
          actions={({ test }) => (
            <button
              type="button"
              disabled={agent === undefined || current.isRunning}
              onClick={() => start({ only: [test] })}
            >
              Run again
            </button>
          )}
        />
      )}
    </div>
  )
}

function RunChoice() {
  return (
    <select
      aria-label="Run"
      value={shown.value ?? ''}
      onChange={(event) => void attempt(() => show(event.currentTarget.value))}
    >
      {runs.value.map(({ id, title }) => (
        <option key={id} value={id}>
          {title}
        </option>
      ))}
    </select>
  )
}

function Progress({ run: { id, isRunning, done, total, failed } }: { run: RunView }) {
  if (!isRunning) return null
  return (
    <>
      <progress aria-label="Progress" value={done} max={total ?? Math.max(done, 1)} />
      <span role="status">
        {done} of {total ?? '…'} · <span class={failed > 0 ? 'bad' : 'muted'}>{failed} failed</span>
      </span>
      <button type="button" onClick={() => void attempt(() => post('stop-judge', { run: id }))}>
        Stop
      </button>
    </>
  )
}

function Exports({ run: { id } }: { run: RunView }) {
  const save = (format: string, name: string) =>
    void attempt(async () => {
      const { text } = await post<{ text: string }>('export-run', { run: id, format })
      saveAs(new Blob([text]), name)
    })
  return (
    <span class="end actions">
      <button type="button" onClick={() => save('html', 'report.html')}>
        Save as page
      </button>
      <button type="button" onClick={() => save('run', 'run.jsonl')}>
        Save record
      </button>
    </span>
  )
}

function OpenRun() {
  const input = useRef<HTMLInputElement>(null)
  const open = (file: File | undefined) =>
    void attempt(async () => {
      if (file === undefined) return
      if (file.size > MAX_FILE_BYTES) {
        lastError.value = {
          code: 'too-large',
          message: `${file.name} is larger than 48 MB; open it with parley report.`,
        }
        return
      }
      const { run } = await post<{ run: string }>('open-run', { name: file.name, text: await file.text() })
      await show(run)
    })
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Open a run…
      </button>
      <input
        ref={input}
        type="file"
        hidden
        aria-label="A stored run"
        onChange={(event) => {
          open(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

const MAX_FILE_BYTES = 48_000_000
