// The page of a fleet: what was printed as plain HTML is replaced by the application once its agents are unpacked.

import { render } from 'preact'
import type { FleetView } from '../../src/run/fleet-view.ts'
import { keepOrder } from '../shared/plain-order.ts'
import { unpackedText } from '../shared/unpacked.ts'
import { App } from './app.tsx'
import './style.css'

async function start(): Promise<void> {
  const place = document.getElementById('app')
  if (place === null) return
  const view = (await unpackedText(document.getElementById('fleet')?.textContent ?? '')) as FleetView
  keepOrder()
  place.replaceChildren()
  place.className = 'fleet'
  render(<App view={view} />, place)
}

void start()
