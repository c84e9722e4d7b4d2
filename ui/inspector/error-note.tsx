// What went wrong, and what to do about it.

import type { ComponentChildren } from 'preact'
import type { ErrorView } from '../../src/inspector/views.ts'

interface ErrorProps {
  error: ErrorView
  onClose?: () => void
  children?: ComponentChildren
}

export function ErrorNote({ error: { message, hint }, onClose, children }: ErrorProps) {
  return (
    <div class="error-note" role="alert">
      <span aria-hidden="true">✗</span>
      <div>
        <p>{message}</p>
        {hint !== undefined && <p class="muted">{hint}</p>}
        {children}
      </div>
      {onClose !== undefined && (
        <button type="button" class="plain" aria-label="Dismiss" onClick={onClose}>
          ×
        </button>
      )}
    </div>
  )
}
