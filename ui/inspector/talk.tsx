// The conversation: what was said, what came of it as it comes, and the box to go on.

import { computed, signal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AgentView } from '../../src/inspector/views.ts'
import type { TaskState } from '../../src/model/task.ts'
import { post } from './api.ts'
import { Composer } from './composer.tsx'
import { Empty } from './empty.tsx'
import { ErrorNote } from './error-note.tsx'
import { Parts } from './parts.tsx'
import { agentId, attempt, ownTurns } from './state.ts'
import { type Folded, type FoldedArtifact, saidOf, type Turn } from './turns.ts'

export interface Continued {
  taskId?: string
  contextId?: string
}

const byAgent = signal<ReadonlyMap<string, Continued>>(new Map())

/** What the next message to this agent continues. */
export const continued = computed<Continued>(() => byAgent.value.get(agentId.value ?? '') ?? {})

export function goOnWith(ids: Continued): void {
  byAgent.value = new Map(byAgent.value).set(agentId.value ?? '', ids)
}

export const STATE_COLOURS: { readonly [state in TaskState]?: string } = {
  TASK_STATE_COMPLETED: 'good',
  TASK_STATE_FAILED: 'bad',
  TASK_STATE_REJECTED: 'bad',
  TASK_STATE_CANCELED: 'muted',
  TASK_STATE_INPUT_REQUIRED: 'accent',
  TASK_STATE_AUTH_REQUIRED: 'accent',
  TASK_STATE_WORKING: 'warn',
}

const STATE_SIGNS: { readonly [state in TaskState]?: string } = {
  TASK_STATE_COMPLETED: '✓',
  TASK_STATE_FAILED: '✗',
  TASK_STATE_REJECTED: '✗',
  TASK_STATE_CANCELED: '–',
  TASK_STATE_INPUT_REQUIRED: '?',
  TASK_STATE_AUTH_REQUIRED: '⚿',
  TASK_STATE_WORKING: '…',
}

export function stateWord(state: string): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ')
}

export function Talk({ agent }: { agent: AgentView }) {
  const turns = ownTurns.value
  const end = useRef<HTMLDivElement>(null)
  useEffect(() => end.current?.scrollIntoView({ block: 'end' }), [turns.length])
  return (
    <div class="talk">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="conversation" aria-label="Conversation" aria-live="polite" tabIndex={0}>
        {turns.length === 0 && (
          <Empty>Nothing was said yet. Write to {agent.name} below; files can be dropped into the box.</Empty>
        )}
        {turns.map((turn) => (
          <TurnPanel key={turn.view.value.id} turn={turn} />
        ))}
        <div ref={end} />
      </section>
      <Composer agent={agent} />
    </div>
  )
}

function TurnPanel({ turn }: { turn: Turn }) {
  const { sent, subscribed, at, options, isOpen, error, spoken, count, id } = turn.view.value
  return (
    <>
      {sent !== undefined ? (
        <div class="bubble you">
          <p class="meta">
            you · {at.slice(11, 19)} · {options.stream ? 'stream' : 'one answer'}
          </p>
          <div class="said">
            <Parts parts={sent.parts} />
          </div>
        </div>
      ) : (
        <p class="meta">Following task {subscribed}</p>
      )}
      <Answer turn={turn} spoken={spoken} count={count} />
      {isOpen && (
        <p class="meta">
          <progress aria-label="The agent is working" />{' '}
          <button type="button" onClick={() => void attempt(() => post('stop', { turn: id }))}>
            Stop listening
          </button>
        </p>
      )}
      {error !== undefined && <ErrorNote error={error} />}
    </>
  )
}

function Answer({ turn, spoken, count }: { turn: Turn; spoken: string | undefined; count: number }) {
  // Folded values change in place; the version says that they did.
  void turn.version.value
  const { folded } = turn
  if (count === 0) return null
  const { taskId, contextId, message } = folded
  const ids = [
    spoken,
    taskId && `task ${short(taskId)}`,
    contextId && `context ${short(contextId)}`,
    count > 1 && `${count.toLocaleString('en')} events`,
  ]
  return (
    <div class="bubble agent">
      <p class="meta">{['agent', ...ids].filter((each) => typeof each === 'string' && each !== '').join(' · ')}</p>
      <div class="said">
        <Lines folded={folded} />
        {[...folded.artifacts.values()].map((artifact) => (
          <ArtifactPanel key={artifact.artifact.artifactId} folded={artifact} />
        ))}
        {message !== undefined && <Parts parts={message.parts} />}
        <GoOn folded={folded} />
      </div>
    </div>
  )
}

function Lines({ folded }: { folded: Folded }) {
  const { lines, before } = saidOf(folded)
  return (
    <>
      {before > 0 && <p class="muted small">{before.toLocaleString('en')} earlier updates are in the wire.</p>}
      {lines.map(({ number, state, message }) => (
        <div class="status" key={number}>
          <StateBadge state={state} />
          {message !== undefined && <Parts parts={message.parts} />}
        </div>
      ))}
    </>
  )
}

export function StateBadge({ state }: { state: TaskState }) {
  return (
    <span class={`badge ${STATE_COLOURS[state] ?? ''}`}>
      <span aria-hidden="true">{STATE_SIGNS[state] ?? '·'}</span> {stateWord(state)}
    </span>
  )
}

function ArtifactPanel({ folded: { artifact, chunks, leftOut } }: { folded: FoldedArtifact }) {
  const { name, artifactId, description, parts } = artifact
  return (
    <section class="artifact" aria-label={`Artifact ${name ?? artifactId}`}>
      <p class="meta">
        <b>{name ?? artifactId}</b>
        {description !== undefined && ` · ${description}`}
        {chunks > 1 && ` · in ${chunks.toLocaleString('en')} pieces`}
      </p>
      <Parts parts={parts} />
      {leftOut > 0 && <p class="muted small">{leftOut.toLocaleString('en')} more parts are in the wire.</p>}
    </section>
  )
}

/** Where it is the person's turn, the answer is one click away. */
function GoOn({ folded: { state, taskId, contextId } }: { folded: Folded }) {
  if (state !== 'TASK_STATE_INPUT_REQUIRED' && state !== 'TASK_STATE_AUTH_REQUIRED') return null
  if (taskId === undefined) return null
  const isNow = continued.value.taskId === taskId
  const answer = () => {
    goOnWith({ taskId, ...(contextId === undefined ? {} : { contextId }) })
    document.getElementById('message')?.focus()
  }
  return (
    <p class="actions">
      <button type="button" aria-pressed={isNow} onClick={answer}>
        {state === 'TASK_STATE_AUTH_REQUIRED' ? 'Answer once you have authorized it' : 'Answer'}
      </button>
    </p>
  )
}

export function short(id: string): string {
  return id.length > 12 ? `${id.slice(0, 8)}…` : id
}
