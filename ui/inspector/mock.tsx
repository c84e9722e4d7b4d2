// Mocks: start one, look into its journal, switch faults on and off, give it a reply; and recordings of a proxy as they grow.

import { useState } from 'preact/hooks'
import type { AgentView } from '../../src/inspector/views.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { Json } from '../shared/json.tsx'
import { get, post } from './api.ts'
import { FaultForm } from './fault-form.tsx'
import { agentId, attempt, goTo, mocks } from './state.ts'
import { POLL_MS, usePoll } from './use-poll.ts'

const EXAMPLE = `agent: { name: my mock }
rules:
  - turns:
      - - { status: working, text: One moment. }
        - { complete: Done. }
`

export function MockPage({ agent }: { agent: AgentView | undefined }) {
  const [chosen, setChosen] = useState<string | undefined>(undefined)
  const current = mocks.value.find(({ id }) => id === chosen) ?? mocks.value.at(-1)
  return (
    <div class="page-column">
      <StartMock agent={agent} onStart={setChosen} />
      {mocks.value.length > 1 && (
        <p class="actions">
          {mocks.value.map(({ id, name, url }) => (
            <button key={id} type="button" aria-pressed={current?.id === id} onClick={() => setChosen(id)}>
              {name} · {url}
            </button>
          ))}
        </p>
      )}
      {current !== undefined && <OneMock key={current.id} id={current.id} />}
    </div>
  )
}

function StartMock({ agent, onStart }: { agent: AgentView | undefined; onStart(id: string): void }) {
  const [script, setScript] = useState(EXAMPLE)
  const start = (path: string, body: object) =>
    attempt(async () => {
      onStart((await post<{ mock: string }>(path, body)).mock)
      return true
    })
  return (
    <section class="panel" aria-label="Start a mock">
      <h2>Start a mock</h2>
      <label class="field">
        <span>Script</span>
        <textarea
          class="code"
          rows={6}
          spellcheck={false}
          value={script}
          onInput={(event) => setScript(event.currentTarget.value)}
        />
      </label>
      <p class="actions">
        <button type="button" class="primary" onClick={() => void start('start-mock', { script })}>
          Start from the script
        </button>
        {agent?.status === 'open' && (
          <button type="button" onClick={() => void start('start-mock', { agent: agent.id })}>
            Start from the card of {agent.name}
          </button>
        )}
      </p>
      <AttachMock onStart={(body) => start('attach-mock', body)} />
    </section>
  )
}

function AttachMock({ onStart }: { onStart(body: object): Promise<boolean | undefined> }) {
  const [url, setUrl] = useState('')
  const [token, setToken] = useState('')
  const attach = async () => {
    if ((await onStart({ url, token })) === true) setToken('')
  }
  return (
    <details>
      <summary>Look into a mock that runs already</summary>
      <div class="toolbar">
        <label>
          <span class="label">Address</span>
          <input
            type="text"
            placeholder="127.0.0.1:4000"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="label">Control token</span>
          <input
            type="password"
            autocomplete="off"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        <button type="button" disabled={url === '' || token === ''} onClick={() => void attach()}>
          Look into it
        </button>
      </div>
    </details>
  )
}

interface Look {
  mock: { id: string; url: string; name: string; isOwn: boolean }
  journal: JsonObject[]
  faults: JsonObject[]
}

function OneMock({ id }: { id: string }) {
  const [look, setLook] = useState<Look | undefined>(undefined)
  // One that was stopped is gone from the list, or the next look says so.
  usePoll(id, async (isCurrent) => {
    const found = await get<Look>(`mock/${id}`)
    if (isCurrent()) setLook(found)
    return POLL_MS
  })
  if (look === undefined) return <p class="empty">Loading…</p>
  const { mock, journal, faults } = look
  const act = (path: string, body: object = {}) => void attempt(() => post(path, { mock: id, ...body }))
  const connect = () =>
    void attempt(async () => {
      agentId.value = (await post<{ agent: string }>('connect', { target: mock.url })).agent
      goTo('talk')
    })
  return (
    <>
      <section class="panel current" aria-label={`Mock ${mock.name}`}>
        <h2>{mock.name}</h2>
        <p class="muted">{mock.url}</p>
        <p class="actions">
          <button type="button" onClick={connect}>
            Talk to it
          </button>
          <button type="button" onClick={() => act('clear-journal')}>
            Clear the journal
          </button>
          <button type="button" onClick={() => act('stop-mock')}>
            {mock.isOwn ? 'Stop it' : 'Leave it'}
          </button>
        </p>
      </section>
      <Faults faults={faults} onAct={act} />
      <Prime onPrime={(responses) => act('prime-mock', { responses })} />
      <Journal journal={journal} />
    </>
  )
}

function Faults({ faults, onAct }: { faults: readonly JsonObject[]; onAct(path: string, body?: object): void }) {
  return (
    <section class="panel" aria-label="Faults">
      <h3>Faults</h3>
      {faults.map((fault, at) => (
        <p key={at}>
          <span class="badge warn">! {nameOf(fault)}</span>{' '}
          <span class="muted">
            at {placeOf(fault)} · fired {String(fault.fired)} times
          </span>
        </p>
      ))}
      <FaultForm onArm={(fault) => onAct('arm-fault', { fault })} />
      {faults.length > 0 && (
        <button type="button" onClick={() => onAct('disarm-faults')}>
          Switch all faults off
        </button>
      )}
    </section>
  )
}

function nameOf({ action, do: name }: JsonObject): string {
  if (typeof name === 'string') return name
  return typeof action === 'object' && action !== null && !Array.isArray(action) ? String(action.name) : 'fault'
}

function placeOf({ at }: JsonObject): string {
  const place = Object.entries(at ?? {}).map(([name, value]) => (name === 'operation' ? value : `${name} ${value}`))
  return place.length === 0 ? 'any request' : place.join(', ')
}

function Prime({ onPrime }: { onPrime(responses: unknown): void }) {
  const [text, setText] = useState('')
  const prime = () => {
    const message = { role: 'agent', parts: [{ kind: 'text', text }] }
    onPrime([[{ kind: 'task', status: { state: 'completed', message } }]])
    setText('')
  }
  return (
    <section class="panel" aria-label="Next reply">
      <h3>Next reply</h3>
      <div class="toolbar">
        <label>
          <span class="label">Every task completes with</span>
          <input type="text" class="wide" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <button type="button" disabled={text === ''} onClick={prime}>
          Answer with it
        </button>
      </div>
    </section>
  )
}

function Journal({ journal }: { journal: readonly JsonObject[] }) {
  return (
    <section class="panel" aria-label="Journal">
      <h3>Journal, {journal.length} requests</h3>
      {journal.length === 0 && <p class="muted">No requests yet.</p>}
      {journal
        .slice(-200)
        .toReversed()
        .map((entry) => (
          <details key={String(entry.number)}>
            <summary>
              #{String(entry.number)} {String(entry.operation ?? `${entry.method} ${entry.url}`)}
              <span class="muted">
                {' '}
                {[entry.rule && `rule ${entry.rule}`, entry.status, entry.outcome]
                  .filter((each) => each !== undefined)
                  .join(' · ')}
              </span>
              {entry.unmatched !== undefined && <span class="bad"> ✗ no rule fits</span>}
            </summary>
            <Json value={entry} />
          </details>
        ))}
    </section>
  )
}
