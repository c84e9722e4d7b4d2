// `parley grade --list`: every scenario, what its agent does, and what is claimed; and what is not graded.

import { NOT_GRADED } from '../grade/not-graded.ts'
import { JSONRPC_1, levelOf, surfaceKey } from '../grade/scenario.ts'
import { SCENARIOS } from '../grade/scenarios/all.ts'
import { jsonText } from '../trace/json-text.ts'

export function listScenarios(output: 'text' | 'json'): string {
  const all = SCENARIOS.map(({ id, area, about, on = JSONRPC_1, claims }) => ({
    ...{ id, area, about, on: on.map(surfaceKey) },
    claims: claims.map(({ id: claim, title, proves, cites = [] }) => ({
      ...{ id: claim, title, level: levelOf(title), proves, cites },
    })),
  }))
  if (output === 'json') return `${jsonText({ scenarios: all, notGraded: NOT_GRADED })}\n`
  const lines = all.flatMap(({ id, about, on, claims }) => [
    `${id}  ${about}  (${on.join(', ')})`,
    ...claims.map((claim) => `    ${claim.id}  ${claim.title}`),
  ])
  const left = Object.entries(NOT_GRADED).map(([row, why]) => `    ${row}  ${why}`)
  return `${[...lines, 'Rows of the register that are not graded, and why:', ...left].join('\n')}\n`
}
