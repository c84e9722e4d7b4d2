// Which agent, and how to authenticate; then what was tried and how far it got.

import { useState } from 'preact/hooks'
import type { AgentView, AuthForm, LoginView } from '../../src/inspector/views.ts'
import { post } from './api.ts'
import { AuthFields, EMPTY_AUTH } from './auth-fields.tsx'
import { ErrorNote } from './error-note.tsx'
import { SaveAgent, SavedAgents } from './saved.tsx'
import { agentId, agents, attempt, goTo } from './state.ts'

export function Connect() {
  const [target, setTarget] = useState('')
  const [auth, setAuth] = useState<AuthForm>(EMPTY_AUTH)
  const connect = async (event: Event) => {
    event.preventDefault()
    const opened = await attempt(() => post<{ agent: string }>('connect', { target, auth }))
    if (opened === undefined) return
    agentId.value = opened.agent
    // What was typed is the server's now.
    setAuth(EMPTY_AUTH)
  }
  return (
    <div class="page-column">
      <form class="panel" onSubmit={(event) => void connect(event)}>
        <h2>Open an agent</h2>
        <label class="field">
          <span>Address</span>
          <input
            type="text"
            required
            placeholder="localhost:9999, https://agent.example.com, or the path of a card file"
            value={target}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setTarget(event.currentTarget.value)}
          />
        </label>
        <AuthFields auth={auth} onChange={setAuth} />
        <p class="actions">
          <button type="submit" class="primary">
            Connect
          </button>
        </p>
      </form>
      <SavedAgents />
      {agents.value.toReversed().map((agent) => (
        <OpenAgentPanel key={agent.id} agent={agent} />
      ))}
    </div>
  )
}

function OpenAgentPanel({ agent }: { agent: AgentView }) {
  const { id, name, target, status, attempts, auth, endpoint, error, login } = agent
  const isCurrent = agentId.value === id
  const use = () => {
    agentId.value = id
    goTo('talk')
  }
  const trust = (origin: string) =>
    void attempt(async () => {
      agentId.value = (await post<{ agent: string }>('reconnect', { agent: id, allowOrigins: [origin] })).agent
    })
  return (
    <section class={isCurrent ? 'panel current' : 'panel'} aria-label={`Agent ${name}`}>
      <h2>{name}</h2>
      <p class="muted">
        {target}
        {auth !== '' && ` · ${auth}`}
        {endpoint !== undefined && ` · A2A ${endpoint.version} over ${endpoint.binding}`}
      </p>
      {login !== undefined && <Login login={login} />}
      {error !== undefined && (
        <ErrorNote error={error}>
          {error.origin !== undefined && (
            <button type="button" onClick={() => trust(error.origin ?? '')}>
              Trust {error.origin}
            </button>
          )}
        </ErrorNote>
      )}
      {(status !== 'open' || isCurrent) && <Attempts attempts={attempts} isOpen={status === 'failed'} />}
      <p class="actions">
        {status === 'open' && (
          <button type="button" onClick={use}>
            Talk to it
          </button>
        )}
        <button type="button" onClick={() => void attempt(() => post('reconnect', { agent: id }))}>
          Connect again
        </button>
        <SaveAgent agent={agent} />
        <button type="button" onClick={() => void attempt(() => post('disconnect', { agent: id }))}>
          Close
        </button>
      </p>
    </section>
  )
}

function Login({ login: { code, url } }: { login: LoginView }) {
  return (
    <div class="login">
      {code !== undefined && (
        <p>
          Enter the code <code class="device-code">{code}</code> there:
        </p>
      )}
      <a class="button primary" href={url} target="_blank" rel="noreferrer">
        Log in at {new URL(url).host}
      </a>
      <p class="muted">This page goes on by itself once you are done.</p>
    </div>
  )
}

function Attempts({ attempts, isOpen }: { attempts: AgentView['attempts']; isOpen: boolean }) {
  if (attempts.length === 0) return null
  return (
    <details open={isOpen}>
      <summary>What was tried</summary>
      <ul class="attempts">
        {attempts.map(({ url, outcome }) => (
          <li key={url}>
            <code>{url}</code> <span class="muted">{outcome}</span>
          </li>
        ))}
      </ul>
    </details>
  )
}
