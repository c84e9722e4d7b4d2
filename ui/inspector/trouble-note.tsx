// What went wrong, and what to do about it.

import type { ComponentChildren } from 'preact'
import type { Trouble } from '../../src/inspector/views.ts'

interface TroubleProps {
  trouble: Trouble
  onClose?: () => void
  children?: ComponentChildren
}

export function TroubleNote({ trouble: { message, hint }, onClose, children }: TroubleProps) {
  return (
    <div class="trouble" role="alert">
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
