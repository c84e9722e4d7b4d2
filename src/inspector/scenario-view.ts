// The scenarios that wait for a client, as the page shows them, and what may be chosen of them.

import type { WaitingScenario } from '../grade/by-hand.ts'
import type { Selection } from '../grade/plan.ts'
import { AREAS, EVERYWHERE } from '../grade/scenario.ts'
import type { GradeChoices, ScenarioView } from './views.ts'

export function gradeChoices(): GradeChoices {
  return {
    areas: [...AREAS],
    ways: EVERYWHERE.map(({ version, binding }) => ({ version, binding })),
  }
}

export function gradeTitle({ only = [], versions = [], bindings = [] }: Selection): string {
  return [only.length === 0 ? 'all scenarios' : only.join(', '), ...versions, ...bindings].join(' ')
}

export function scenarioView({ scenario, surface, stage, intent }: WaitingScenario): ScenarioView {
  return {
    ...{ id: scenario.id, area: scenario.area, about: scenario.about },
    ...{ version: surface.version, binding: surface.binding, url: stage.target },
    intent,
    calls: stage.calls.length,
  }
}
