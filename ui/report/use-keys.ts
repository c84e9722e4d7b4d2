// Through the results with the keyboard, wherever a report is shown: j and k step, / goes to the box, Escape leaves.

import { useEffect } from 'preact/hooks'
import { chosen, step } from './state.ts'

export function useKeys(): void {
  useEffect(() => {
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
}

function onKey(event: KeyboardEvent): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const { target, key } = event
  const isTyping = target instanceof Element && target.matches('input, textarea, select')
  if (key === 'Escape') {
    if (isTyping) (target as HTMLElement).blur()
    else chosen.value = undefined
  } else if (isTyping) return
  else if (key === 'j') step(1)
  else if (key === 'k') step(-1)
  else if (key === '/') {
    event.preventDefault()
    document.getElementById('box')?.focus()
  }
}
