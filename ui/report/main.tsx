// The report as a page: what was printed as plain HTML is replaced by the application once the run is unpacked.

import { render } from 'preact'
import { keepOrder } from '../shared/plain-order.ts'
import { App } from './app.tsx'
import { readBefore, readIndex } from './data.ts'
import { before, followAddress, index } from './state.ts'
import './style.css'

const place = document.getElementById('app')

async function start(): Promise<void> {
  if (place === null) return
  keepOrder()
  const run = await readIndex()
  followAddress()
  index.value = run
  before.value = await readBefore()
  place.replaceChildren()
  place.className = 'app'
  render(<App />, place)
}

void start()
