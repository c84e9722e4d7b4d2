// The box to write in: text, files, data, and how it is to be sent.

import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { AgentView, TurnOptions } from '../../src/inspector/views.ts'
import type { Part } from '../../src/model/task.ts'
import { post } from './api.ts'
import { sizeText } from './parts.tsx'
import { attempt, lastError, ownTurns } from './state.ts'
import { continued, short } from './talk.tsx'

interface Extra {
  part: Part
  title: string
}

const LEAVES_OPEN = new Set([
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_AUTH_REQUIRED',
  'TASK_STATE_WORKING',
  'TASK_STATE_SUBMITTED',
])

export function Composer({ agent }: { agent: AgentView }) {
  const text = useSignal('')
  const extras = useSignal<Extra[]>([])
  const way = useSignal('')
  const isStream = useSignal(agent.streams)
  const more = useSignal({
    isOpen: false,
    returnImmediately: false,
    historyLength: '',
    extensions: '',
    modes: '',
    metadata: '',
  })
  const data = useSignal<string | undefined>(undefined)
  useEffect(() => {
    isStream.value = agent.streams
  }, [agent.streams])
  useContinuation()

  const addFiles = (files: Iterable<File>) => {
    for (const file of files) void partOf(file).then((extra) => (extras.value = [...extras.value, extra]))
  }
  const send = async () => {
    const parts: Part[] = [
      ...(text.value === '' ? [] : [{ text: text.value }]),
      ...extras.value.map(({ part }) => part),
    ]
    if (parts.length === 0) return
    const options = optionsOf(way.value, isStream.value, more.value)
    if (options === undefined) return
    const sent = await attempt(() => post('send', { agent: agent.id, parts, ...continued.value, options }))
    if (sent === undefined) return
    text.value = ''
    extras.value = []
  }
  return (
    <form
      class="composer"
      aria-label="Message"
      onSubmit={(event) => {
        event.preventDefault()
        void send()
      }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        addFiles(event.dataTransfer?.files ?? [])
      }}
    >
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
          void send()
        }}
      />
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
      <div class="tools">
        <select
          aria-label="Protocol version and binding"
          value={way.value}
          onChange={(event) => (way.value = event.currentTarget.value)}
        >
          <option value="">as the card prefers</option>
          {agent.ways.map(({ binding, version, isDeclared }) => (
            <option key={`${binding} ${version}`} value={`${version} ${binding}`}>
              {version} {binding}
              {isDeclared ? '' : ' (not declared)'}
            </option>
          ))}
        </select>
        <select
          aria-label="Stream or one answer"
          value={isStream.value ? 'stream' : 'send'}
          onChange={(event) => (isStream.value = event.currentTarget.value === 'stream')}
        >
          <option value="stream">stream</option>
          <option value="send">one answer</option>
        </select>
        <FileButton onFiles={addFiles} />
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
    </form>
  )
}

/** A conversation goes on by itself: in the task while it waits for us, else in its context. */
function useContinuation(): void {
  const last = ownTurns.value.at(-1)
  const isOpen = last?.view.value.isOpen
  void last?.version.value
  useEffect(() => {
    if (last === undefined || isOpen === true) return
    const { taskId, contextId, state } = last.folded
    const isTask = taskId !== undefined && state !== undefined && LEAVES_OPEN.has(state)
    continued.value = { ...(isTask ? { taskId } : {}), ...(contextId === undefined ? {} : { contextId }) }
  }, [last, isOpen])
}

function Continuation() {
  const { taskId, contextId } = continued.value
  if (taskId === undefined && contextId === undefined) return <span class="muted">begins a new conversation</span>
  const what = taskId === undefined ? `context ${short(contextId ?? '')}` : `task ${short(taskId)}`
  return (
    <span class="muted">
      continues {what}{' '}
      <button type="button" class="plain" aria-label="Begin a new conversation" onClick={() => (continued.value = {})}>
        ×
      </button>
    </span>
  )
}

function Extras({ extras, onChange }: { extras: readonly Extra[]; onChange(extras: Extra[]): void }) {
  if (extras.length === 0) return null
  return (
    <ul class="extras" aria-label="Attached">
      {extras.map((extra, at) => (
        <li key={at}>
          {extra.title}{' '}
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${extra.title}`}
            onClick={() => onChange(extras.toSpliced(at, 1))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}

function FileButton({ onFiles }: { onFiles(files: Iterable<File>): void }) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        Attach
      </button>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        onChange={(event) => {
          onFiles(event.currentTarget.files ?? [])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

function DataEditor({ text, onText, onAdd }: { text: string; onText(text: string): void; onAdd(part: Part): void }) {
  let problem: string | undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  return (
    <div class="data-editor">
      <textarea
        class="code"
        aria-label="Data part (JSON)"
        rows={4}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        aria-invalid={problem !== undefined}
      />
      <p class={problem === undefined ? 'muted small' : 'bad small'} role="status">
        {problem ?? 'Valid JSON'}
      </p>
      <button type="button" disabled={problem !== undefined} onClick={() => onAdd({ data: value as never })}>
        Add data part
      </button>
    </div>
  )
}

interface MoreValue {
  isOpen: boolean
  returnImmediately: boolean
  historyLength: string
  extensions: string
  modes: string
  metadata: string
}

function More({ value, onChange }: { value: MoreValue; onChange(value: MoreValue): void }) {
  const field = (name: 'historyLength' | 'extensions' | 'modes' | 'metadata', title: string, placeholder: string) => (
    <label class="field">
      <span>{title}</span>
      <input
        type="text"
        value={value[name]}
        placeholder={placeholder}
        onInput={(event) => onChange({ ...value, [name]: event.currentTarget.value })}
      />
    </label>
  )
  return (
    <fieldset class="more">
      <legend class="label">How to send it</legend>
      <label class="check">
        <input
          type="checkbox"
          checked={value.returnImmediately}
          onChange={(event) => onChange({ ...value, returnImmediately: event.currentTarget.checked })}
        />{' '}
        Return immediately
      </label>
      {field('historyLength', 'History length', '10')}
      {field('extensions', 'Extensions', 'URIs, separated by spaces')}
      {field('modes', 'Output modes', 'text/plain application/json')}
      {field('metadata', 'Metadata', '{ "key": "value" }')}
    </fieldset>
  )
}

function optionsOf(way: string, stream: boolean, more: MoreValue): TurnOptions | undefined {
  const [version, binding] = way.split(' ')
  const options: TurnOptions = { stream }
  if (version !== undefined && binding !== undefined) Object.assign(options, { version, binding })
  if (more.returnImmediately) options.returnImmediately = true
  if (more.historyLength.trim() !== '') options.historyLength = Number(more.historyLength)
  if (words(more.extensions).length > 0) options.extensions = words(more.extensions)
  if (words(more.modes).length > 0) options.acceptedOutputModes = words(more.modes)
  if (more.metadata.trim() !== '') {
    try {
      options.metadata = JSON.parse(more.metadata)
    } catch {
      lastError.value = { code: 'bad-metadata', message: 'The metadata is not JSON; correct it under More…' }
      return undefined
    }
  }
  return options
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}

async function partOf(file: File): Promise<Extra> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
  const raw = url.slice(url.indexOf(',') + 1)
  const part: Part = { raw, filename: file.name, ...(file.type === '' ? {} : { mediaType: file.type }) }
  return { part, title: `${file.name} · ${sizeText(file.size)}` }
}
