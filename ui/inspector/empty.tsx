// A place with nothing in it yet says what would bring something.

import type { ComponentChildren } from 'preact'

export function Empty({ children }: { children: ComponentChildren }) {
  return <div class="empty centered">{children}</div>
}
