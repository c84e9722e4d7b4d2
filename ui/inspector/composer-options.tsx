// How a message is to be sent: over what, and what else the protocol lets the sender say.

import type { AgentView, TurnOptions } from '../../src/inspector/views.ts'
import { lastError } from './state.ts'

export interface MoreValue {
  isOpen: boolean
  returnImmediately: boolean
  historyLength: string
  extensions: string
  modes: string
  metadata: string
}

export const NO_MORE: MoreValue = {
  ...{ isOpen: false, returnImmediately: false },
  ...{ historyLength: '', extensions: '', modes: '', metadata: '' },
}

interface WayProps {
  agent: AgentView
  /** `1.0 jsonrpc`; empty for what the card prefers. */
  way: string
  isStream: boolean
  onWay(way: string): void
  onStream(isStream: boolean): void
}

export function WayChoice({ agent, way, isStream, onWay, onStream }: WayProps) {
  return (
    <>
      <select
        aria-label="Protocol version and binding"
        value={way}
        onChange={(event) => onWay(event.currentTarget.value)}
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
        value={isStream ? 'stream' : 'send'}
        onChange={(event) => onStream(event.currentTarget.value === 'stream')}
      >
        <option value="stream">stream</option>
        <option value="send">one answer</option>
      </select>
    </>
  )
}

export function More({ value, onChange }: { value: MoreValue; onChange(value: MoreValue): void }) {
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

/** Undefined, and said, where something cannot be sent as it stands. */
export function optionsOf(way: string, stream: boolean, more: MoreValue): TurnOptions | undefined {
  const [version, binding] = way.split(' ')
  const options: TurnOptions = { stream }
  if (version !== undefined && binding !== undefined) Object.assign(options, { version, binding })
  if (more.returnImmediately) options.returnImmediately = true
  if (more.historyLength.trim() !== '') {
    if (!/^\d+$/.test(more.historyLength.trim())) return refused('The history length is not a whole number')
    options.historyLength = Number(more.historyLength)
  }
  if (words(more.extensions).length > 0) options.extensions = words(more.extensions)
  if (words(more.modes).length > 0) options.acceptedOutputModes = words(more.modes)
  if (more.metadata.trim() !== '') {
    try {
      options.metadata = JSON.parse(more.metadata)
    } catch {
      return refused('The metadata is not JSON')
    }
  }
  return options
}

function refused(what: string): undefined {
  lastError.value = { code: 'bad-option', message: `${what}; correct it under More…` }
}

function words(text: string): string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
