// The judge: start a run, see its record grow, and read it as the report. What failed can be run again. Clients are judged
// here as well.

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AgentView, RunView } from '../../src/inspector/views.ts'
import { Report } from '../report/app.tsx'
import { type Evidence, setEvidenceSource } from '../report/data.ts'
import { index, query, chosen as result } from '../report/state.ts'
import { RunLines } from '../shared/run-lines.ts'
import { get, post, saveAs } from './api.ts'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { dropTarget, FileButton } from './file-button.tsx'
import { GradeForm, Scenarios } from './grade.tsx'
import { openRun } from './open-run.tsx'
import { SomeChecks } from './some-checks.tsx'
import { attempt, onLines, runs } from './state.ts'

const shown = signal<string | undefined>(undefined)
/** What is being chosen before a run of it begins. */
const choosing = signal<'client' | 'checks' | undefined>(undefined)
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
  const begin = (path: string, body: object) =>
    void attempt(async () => {
      const { run } = await post<{ run: string }>(path, body)
      choosing.value = undefined
      query.value = ''
      result.value = undefined
      await show(run)
    })
  const judge = (body: object) => agent !== undefined && begin('judge', { agent: agent.id, ...body })
  const open = async ([file]: readonly File[]) => {
    const run = await openRun(file)
    if (run !== undefined) await attempt(() => show(run))
  }
  useEffect(() => {
    const last = runs.value.at(-1)
    if (shown.value === undefined && last !== undefined) void attempt(() => show(last.id))
  }, [])
  const current = runs.value.find(({ id }) => id === shown.value)
  return (
    <div class="judge" {...dropTarget((files) => void open(files))}>
      <JudgeBar agent={agent} current={current} onJudge={judge} onOpen={(files) => void open(files)} />
      {current?.error !== undefined && <ErrorNote error={current.error} />}
      {choosing.value === 'checks' && <SomeChecks onStart={(only) => judge({ only })} />}
      {choosing.value === 'client' && <GradeForm onStart={(selection) => begin('grade', selection)} />}
      <Shown agent={agent} current={current} onJudge={judge} />
    </div>
  )
}

interface ShownProps {
  agent: AgentView | undefined
  current: RunView | undefined
  onJudge(body: object): void
}

function JudgeBar({ agent, current, onJudge, onOpen }: ShownProps & { onOpen(files: readonly File[]): void }) {
  const failed = [
    ...new Set(index.value?.results.filter(({ status }) => status === 'fail').map(({ test }) => test) ?? []),
  ]
  const isOver = current !== undefined && !current.isRunning
  const isWaiting = current?.isClient === true && current.isRunning
  return (
    <div class="judge-bar">
      <button
        type="button"
        class={isWaiting ? '' : 'primary'}
        disabled={agent === undefined}
        onClick={() => onJudge({})}
      >
        Judge with all checks
      </button>
      <button type="button" disabled={agent === undefined} onClick={() => onJudge({ quick: true })}>
        Only the basics
      </button>
      {agent !== undefined && <Choosing what="checks" title="Some checks…" />}
      {isOver && failed.length > 0 && current.agent !== '' && (
        <button type="button" onClick={() => onJudge({ only: failed })}>
          Run what failed again
        </button>
      )}
      <Choosing what="client" title="Judge a client…" />
      <FileButton title="Open a run…" label="A stored run" onFiles={onOpen} />
      {runs.value.length > 1 && <RunChoice />}
      {current?.isRunning === true && <Progress run={current} />}
      {isOver && <Exports run={current} />}
    </div>
  )
}

function Choosing({ what, title }: { what: 'client' | 'checks'; title: string }) {
  const isOpen = choosing.value === what
  return (
    <button type="button" aria-expanded={isOpen} onClick={() => (choosing.value = isOpen ? undefined : what)}>
      {title}
    </button>
  )
}

/** What is to be seen of the run: its scenarios while they wait, else its report as far as it is written. */
function Shown({ agent, current, onJudge }: ShownProps) {
  if (current?.isClient === true && current.isRunning) return <Scenarios run={current} />
  if (current === undefined || index.value === undefined)
    return choosing.value !== undefined ? null : (
      <Empty>
        Nothing was judged yet. {agent === undefined && 'Connect to an agent to judge it. '}A run takes some seconds and
        makes the agent work; each check shows the exchange behind it. A run that was stored can be dropped here.
      </Empty>
    )
  const again = (test: string) => (
    <button type="button" disabled={agent === undefined || current.isRunning} onClick={() => onJudge({ only: [test] })}>
      Run again
    </button>
  )
  // A run from a file is of some other agent, or of none.
  return <Report run={index.value} actions={({ test }) => (current.agent === '' ? null : again(test))} />
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

function Progress({ run: { id, done, total, failed, isClient } }: { run: RunView }) {
  const stop = () => void attempt(() => post('stop-judge', { run: id }))
  if (isClient === true)
    return (
      <button type="button" class="primary" onClick={stop}>
        Give the verdict
      </button>
    )
  return (
    <>
      <progress aria-label="Progress" value={done} max={total ?? Math.max(done, 1)} />
      <span role="status">
        {done} of {total ?? '…'} · <span class={failed > 0 ? 'bad' : 'muted'}>{failed} failed</span>
      </span>
      <button type="button" onClick={stop}>
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
