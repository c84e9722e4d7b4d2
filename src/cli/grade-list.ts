// `parley grade --list`: every scenario, what its agent does, and what is claimed.

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
  if (output === 'json') return `${jsonText({ scenarios: all })}\n`
  const lines = all.flatMap(({ id, about, on, claims }) => [
    `${id}  ${about}  (${on.join(', ')})`,
    ...claims.map((claim) => `    ${claim.id}  ${claim.title}`),
  ])
  return `${lines.join('\n')}\n`
}
