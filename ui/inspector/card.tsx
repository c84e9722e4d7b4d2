// The card: what it says, what was seen instead, and what is wrong with it.

import { useState } from 'preact/hooks'
import type { AgentView, CardFinding, CardView } from '../../src/inspector/views.ts'
import type { JsonObject } from '../../src/model/json.ts'
import { Json } from '../shared/json.tsx'
import { Scrolls } from '../shared/scrolls.tsx'
import { post } from './api.ts'
import { CardDiff } from './card-diff.tsx'
import { Empty } from './empty.tsx'
import { attempt } from './state.ts'

const SIGNS = { error: '✗', warning: '!', note: 'i' } as const
const COLOURS = { error: 'bad', warning: 'warn', note: 'muted' } as const

export function CardPage({ agent }: { agent: AgentView }) {
  const [pointer, setPointer] = useState<string | undefined>(undefined)
  const { card } = agent
  if (card === undefined) return <Empty>The card of this agent has not been read.</Empty>
  return (
    <div class="two-columns">
      <div class="page-column">
        <section class="panel" aria-label="Agent">
          <h2>
            {card.name} <span class="muted">{card.version}</span>
          </h2>
          <p>{card.description}</p>
          <p class="muted small">
            {card.source} · reads as A2A {card.readings.join(', ')}
          </p>
        </section>
        <Findings card={card} onChoose={setPointer} />
        <Interfaces card={card} />
        <Security card={card} />
        <Skills card={card} />
        <Signatures card={card} />
        <Extended agent={agent} card={card} />
        <CardDiff agent={agent} card={card} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard. */}
      <section class="raw-column" aria-label="Raw card" tabIndex={0}>
        <h2 class="label">As received</h2>
        <Json value={card.raw} pointer={pointer} />
      </section>
    </div>
  )
}

function Findings({ card: { findings }, onChoose }: { card: CardView; onChoose(pointer: string): void }) {
  return (
    <section class="panel" aria-label="Findings">
      <h3>Findings</h3>
      {findings.length === 0 && <p class="good">✓ Nothing is wrong with this card.</p>}
      <ul class="findings">
        {findings.map((finding) => (
          <li key={`${finding.pointer} ${finding.message}`}>
            <Finding finding={finding} onChoose={onChoose} />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Finding({ finding, onChoose }: { finding: CardFinding; onChoose(pointer: string): void }) {
  const { severity, pointer, message } = finding
  return (
    <button type="button" class="plain finding" onClick={() => onChoose(pointer)}>
      <span class={COLOURS[severity]} role="img" aria-label={severity}>
        {SIGNS[severity]}
      </span>
      <span>
        <code>{pointer === '' ? 'the card' : pointer}</code> {message}
      </span>
    </button>
  )
}

function Interfaces({ card: { interfaces } }: { card: CardView }) {
  return (
    <section class="panel" aria-label="Interfaces">
      <h3>Interfaces</h3>
      <Scrolls label="Table of interfaces">
        <table>
          <thead>
            <tr>
              <th scope="col">Binding</th>
              <th scope="col">Declared</th>
              <th scope="col">Observed</th>
              <th scope="col">URL</th>
            </tr>
          </thead>
          <tbody>
            {interfaces.map(({ url, binding, declared, speaks, unreachable, tenant }) => (
              <tr key={`${url} ${binding} ${declared}`}>
                <td>{binding}</td>
                <td>{declared ?? '–'}</td>
                <td class={unreachable !== undefined || (speaks !== undefined && speaks.length === 0) ? 'bad' : ''}>
                  {unreachable ?? (speaks === undefined ? 'not asked' : speaks.join(', ') || 'nothing understood')}
                </td>
                <td>
                  {url}
                  {tenant !== undefined && ` (tenant ${tenant})`}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </section>
  )
}

function Security({ card: { schemes } }: { card: CardView }) {
  return (
    <section class="panel" aria-label="Security">
      <h3>Security</h3>
      {schemes.length === 0 && <p class="muted">The card asks for no credentials.</p>}
      {schemes.length > 0 && (
        <dl>
          {schemes.map(({ name, kind, detail, flows, isRequired }) => (
            <>
              <dt key={name}>{name}</dt>
              <dd>
                {kind} {isRequired && <b>required</b>} <span class="muted">{detail}</span>
                {flows !== undefined && flows.length > 0 && <span class="muted"> · {flows.join(', ')}</span>}
              </dd>
            </>
          ))}
        </dl>
      )}
    </section>
  )
}

function Skills({ card: { raw } }: { card: CardView }) {
  const skills = Array.isArray(raw.skills) ? (raw.skills as JsonObject[]) : []
  if (skills.length === 0) return null
  return (
    <section class="panel" aria-label="Skills">
      <h3>Skills</h3>
      <dl>
        {skills.map(({ id, name, description, tags }, at) => (
          <>
            <dt key={at}>{String(name ?? id ?? '')}</dt>
            <dd>
              {String(description ?? '')}
              {Array.isArray(tags) && <span class="muted small"> {tags.map(String).join(' · ')}</span>}
            </dd>
          </>
        ))}
      </dl>
    </section>
  )
}

function Signatures({ card: { signatures } }: { card: CardView }) {
  if (signatures.length === 0) return null
  return (
    <section class="panel" aria-label="Signatures">
      <h3>Signatures</h3>
      <ul>
        {signatures.map(({ verified, text }) => (
          <li key={text} class={verified ? 'good' : 'warn'}>
            {verified ? '✓' : '!'} {text}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Extended({ agent, card }: { agent: AgentView; card: CardView }) {
  return (
    <section class="panel" aria-label="Extended card">
      <h3>Extended card</h3>
      {card.extended === undefined ? (
        <button type="button" onClick={() => void attempt(() => post('extended-card', { agent: agent.id }))}>
          Ask for it
        </button>
      ) : (
        <Json value={card.extended} />
      )}
    </section>
  )
}
