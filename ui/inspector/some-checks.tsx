// Some checks instead of all: by their names, or by what they are about.

import { useState } from 'preact/hooks'

export function SomeChecks({ onStart }: { onStart(only: string[]): void }) {
  const [text, setText] = useState('')
  const only = text.split(/[\s,]+/).filter((word) => word !== '')
  return (
    <form
      class="panel judge-client"
      aria-label="Some checks"
      onSubmit={(event) => {
        event.preventDefault()
        if (only.length > 0) onStart(only)
      }}
    >
      <h2>Judge with some checks</h2>
      <p class="muted">
        Checks, areas, categories, requirements or sections of the specification, separated by spaces; parley test
        --list names them.
      </p>
      <div class="toolbar">
        <label>
          <span class="label">Only</span>
          <input
            type="text"
            class="wide"
            placeholder="streaming 3.1.4 card-available"
            spellcheck={false}
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <button type="submit" class="primary" disabled={only.length === 0}>
          Judge with these
        </button>
      </div>
    </form>
  )
}
