// The box to write in: text, files, data, and how it is to be sent.

import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { AgentView } from '../../src/inspector/views.ts'
import type { Part } from '../../src/model/task.ts'
import { post } from './api.ts'
import { More, NO_MORE, optionsOf, WayChoice } from './composer-options.tsx'
import { DataEditor, type Extra, Extras, partOf } from './composer-parts.tsx'
import { dropTarget, FileButton } from './file-button.tsx'
import { attempt, ownTurns } from './state.ts'
import { continued, goOnWith, short } from './talk.tsx'
import type { Turn } from './turns.ts'

const LEAVES_OPEN = new Set([
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_WORKING',
  'TASK_STATE_SUBMITTED',
])

export function Composer({ agent }: { agent: AgentView }) {
  const draft = useDraft(agent)
  const { text, extras, data, more, addFiles, send } = draft
  useContinuation()
  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      {...dropTarget(addFiles)}
    >
      <MessageBox text={text} onSend={() => void send()} />
      <Extras extras={extras.value} onChange={(next) => (extras.value = next)} />
      {data.value !== undefined && (
        <DataEditor
          text={data.value}
          onText={(next) => (data.value = next)}
          onAdd={(part) => {
            extras.value = [...extras.value, { part, title: 'data' }]
            data.value = undefined
          }}
        />
      )}
      {more.value.isOpen && <More value={more.value} onChange={(next) => (more.value = next)} />}
      <Tools agent={agent} draft={draft} />
    </form>
  )
}

type Draft = ReturnType<typeof useDraft>

/** The message as far as it is written, and how it is to be sent. */
function useDraft(agent: AgentView) {
  const text = useSignal('')
  const extras = useSignal<Extra[]>([])
  const way = useSignal('')
  const isStream = useSignal(agent.streams)
  const more = useSignal(NO_MORE)
  const data = useSignal<string | undefined>(undefined)
  useEffect(() => {
    isStream.value = agent.streams
  }, [agent.streams])
  const addFiles = (files: readonly File[]) => {
    for (const file of files) void partOf(file).then((extra) => (extras.value = [...extras.value, extra]))
  }
  const send = async () => {
    const [words, attached] = [text.value, extras.value]
    const parts: Part[] = [...(words === '' ? [] : [{ text: words }]), ...attached.map(({ part }) => part)]
    if (parts.length === 0) return
    const options = optionsOf(way.value, isStream.value, more.value)
    if (options === undefined) return
    // The box is free for the next message at once; what could not be sent comes back in front of it.
    text.value = ''
    extras.value = []
    const sent = await attempt(() => post('send', { agent: agent.id, parts, ...continued.value, options }))
    if (sent !== undefined) return
    text.value = text.value === '' ? words : `${words}\n${text.value}`
    extras.value = [...attached, ...extras.value]
  }
  return { text, extras, way, isStream, more, data, addFiles, send }
}

function Tools({ agent, draft }: { agent: AgentView; draft: Draft }) {
  const { way, isStream, more, data, addFiles } = draft
  return (
    <div class="tools">
      <WayChoice
        agent={agent}
        way={way.value}
        isStream={isStream.value}
        onWay={(next) => (way.value = next)}
        onStream={(next) => (isStream.value = next)}
      />
      <FileButton title="Attach" label="Files to attach" multiple onFiles={addFiles} />
      <button
        type="button"
        aria-expanded={data.value !== undefined}
        onClick={() => (data.value = data.value === undefined ? '{}' : undefined)}
      >
        Data part
      </button>
      <button
        type="button"
        aria-expanded={more.value.isOpen}
        onClick={() => (more.value = { ...more.value, isOpen: !more.value.isOpen })}
      >
        More…
      </button>
      <Continuation />
      <button type="submit" class="primary end">
        Send
      </button>
    </div>
  )
}

function MessageBox({ text, onSend }: { text: Signal<string>; onSend(): void }) {
  return (
    <textarea
      id="message"
      aria-label="Message"
      rows={2}
      placeholder={
        continued.value.taskId === undefined
          ? 'Write a message; Enter sends it'
          : `Answer task ${short(continued.value.taskId)}`
      }
      value={text.value}
      onInput={(event) => (text.value = event.currentTarget.value)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
        event.preventDefault()
        onSend()
      }}
    />
  )
}

const settled = new WeakSet<Turn>()

/** A conversation goes on by itself: in the task while it waits for us, else in its context. */
function useContinuation(): void {
  const last = ownTurns.value.at(-1)
  const isOpen = last?.view.value.isOpen
  void last?.version.value
  useEffect(() => {
    // Once for each turn: what a person chose after it stays chosen.
    if (last === undefined || isOpen === true || settled.has(last)) return
    settled.add(last)
    const { taskId, contextId, state } = last.folded
    const isTask = taskId !== undefined && state !== undefined && LEAVES_OPEN.has(state)
    goOnWith({ ...(isTask ? { taskId } : {}), ...(contextId === undefined ? {} : { contextId }) })
  }, [last, isOpen])
}

function Continuation() {
  const { taskId, contextId } = continued.value
  if (taskId === undefined && contextId === undefined) return <span class="muted">begins a new conversation</span>
  const what = taskId === undefined ? `context ${short(contextId ?? '')}` : `task ${short(taskId)}`
  return (
    <span class="muted">
      continues {what}{' '}
      <button type="button" class="plain" aria-label="Begin a new conversation" onClick={() => goOnWith({})}>
        ×
      </button>
    </span>
  )
}
