// Which scenarios are played on which surfaces, and in which order: first, on each surface, whether the client speaks it at
// all; what stands on that is not measured where it does not.

import { EXIT, ParleyError } from '../model/errors.ts'
import { didYouMean } from '../yaml/did-you-mean.ts'
import { AREAS, JSONRPC_1, type Scenario, type Surface, surfaceKey } from './scenario.ts'
import { SCENARIOS } from './scenarios/all.ts'

/** A client that does not do this on a surface does not speak it. */
export const GROUND = 'discovery-well-known'

export interface Selection {
  /** Ids of scenarios or claims, or areas. */
  readonly only?: readonly string[]
  readonly skip?: readonly string[]
  readonly versions?: readonly string[]
  readonly bindings?: readonly string[]
}

export interface Planned {
  readonly scenario: Scenario
  readonly surface: Surface
}

export function planOf(selection: Selection, scenarios: readonly Scenario[] = SCENARIOS): Planned[] {
  const { only, skip = [], versions, bindings } = selection
  for (const name of [...(only ?? []), ...skip]) checkName(name, scenarios)
  const planned = scenarios
    .filter((scenario) => only === undefined || only.some((name) => isNamed(scenario, name)))
    .filter((scenario) => !skip.some((name) => isNamed(scenario, name)))
    .flatMap((scenario) => (scenario.on ?? JSONRPC_1).map((surface) => ({ scenario, surface })))
    .filter(({ surface }) => versions?.includes(surface.version) ?? true)
    .filter(({ surface }) => bindings?.includes(surface.binding) ?? true)
  if (planned.length === 0)
    throw new ParleyError('nothing-selected', 'No scenario fits what was selected; `parley grade --list` shows all.', {
      exitCode: EXIT.inconclusive,
    })
  return planned
}

/** The grounds of the surfaces in a plan. */
export function groundsOf(planned: readonly Planned[], scenarios: readonly Scenario[] = SCENARIOS): Planned[] {
  const ground = scenarios.find(({ id }) => id === GROUND)
  if (ground === undefined) return []
  const wanted = new Set(planned.map(({ surface }) => surfaceKey(surface)))
  return (ground.on ?? JSONRPC_1)
    .filter((surface) => wanted.has(surfaceKey(surface)))
    .map((surface) => ({ scenario: ground, surface }))
}

function isNamed(scenario: Scenario, name: string): boolean {
  return scenario.id === name || scenario.area === name || scenario.claims.some(({ id }) => id === name)
}

function checkName(name: string, scenarios: readonly Scenario[]): void {
  const known = [...AREAS, ...scenarios.flatMap(({ id, claims }) => [id, ...claims.map((claim) => claim.id)])]
  if (known.includes(name)) return
  throw new ParleyError(
    'unknown-scenario',
    `There is no scenario, claim or area '${name}'${didYouMean(name, known) || '.'}`,
    {
      exitCode: EXIT.usage,
      hint: '`parley grade --list` shows all of them.',
    },
  )
}
