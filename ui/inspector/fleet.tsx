// The fleet that `parley ui --fleet` named, as it is now: the same page as `--format html` writes.

import { useEffect, useState } from 'preact/hooks'
import type { FleetView } from '../../src/run/fleet-view.ts'
import { App } from '../fleet/app.tsx'
import { ApiError, get } from './api.ts'
import { Empty } from './empty.tsx'
import { lastError } from './state.ts'
import '../fleet/style.css'

export function FleetPage() {
  const [view, setView] = useState<FleetView>()
  const load = () =>
    void get<FleetView>('fleet').then(setView, (error: unknown) => {
      if (error instanceof ApiError) lastError.value = error.view
    })
  useEffect(load, [])
  if (view === undefined) return <Empty>Loading…</Empty>
  return (
    <div class="fleet">
      <button type="button" onClick={load}>
        Look again
      </button>
      <App view={view} />
    </div>
  )
}
