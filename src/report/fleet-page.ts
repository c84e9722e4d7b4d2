// A fleet as one file: the application of ui/fleet and its agents. What a browser that runs nothing shows is the funnel.

import type { FleetView } from '../run/fleet-view.ts'
import { html as escaped } from './markdown-text.ts'
import { dataBlock, pageFile } from './page-file.ts'
import { inert } from './safe-text.ts'

export function fleetPage(given: FleetView): string {
  const view = inert(given)
  const steps = view.funnel.map(({ stage, agents }) => `<li>${escaped(stage)}: ${agents}</li>`)
  return pageFile({
    app: 'fleet',
    title: `Fleet ${view.name}`,
    summary: `<h1>Fleet ${escaped(view.name)}</h1>\n<ol>${steps.join('')}</ol>`,
    data: [dataBlock('fleet', view)],
  })
}
