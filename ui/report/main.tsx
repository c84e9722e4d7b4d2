// The report as a page: what was printed as plain HTML is replaced by the application once the run is unpacked.

import { render } from 'preact'
import { App } from './app.tsx'
import { readBefore, readIndex } from './data.ts'
import { before, chosen, followAddress, index, step } from './state.ts'
import './style.css'

const place = document.getElementById('app')

async function start(): Promise<void> {
  if (place === null) return
  const run = await readIndex()
  followAddress()
  index.value = run
  before.value = await readBefore()
  place.replaceChildren()
  place.className = 'app'
  render(<App />, place)
}

addEventListener('keydown', (event) => {
  if (event.metaKey || event.ctrlKey || event.altKey) return
  const isTyping = event.target instanceof HTMLInputElement
  if (event.key === 'Escape') {
    if (isTyping) (event.target as HTMLElement).blur()
    else chosen.value = undefined
  } else if (isTyping) return
  else if (event.key === 'j') step(1)
  else if (event.key === 'k') step(-1)
  else if (event.key === '/') {
    event.preventDefault()
    document.getElementById('box')?.focus()
  }
})

void start()
