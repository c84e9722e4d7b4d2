// What may be wider than its place, such as a table: it scrolls, also by keyboard.

import type { ComponentChildren } from 'preact'

export function Scrolls({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
    <section class="scrolls" aria-label={label} tabIndex={0}>
      {children}
    </section>
  )
}
