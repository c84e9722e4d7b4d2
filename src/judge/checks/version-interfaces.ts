// Versions are offered per interface, not per agent (1.0 §3.6.2).

import { describeError } from '../probe/error-table.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const versionInterfaceChecks: PlacedCheck[] = area(
  { name: 'version-interfaces', category: 'error-handling', stage: 2 },
  [
    check(
      'version-per-interface',
      'MUST refuse a version that only another of its interfaces offers',
      {
        proves: ['version-per-interface'],
        fix: 'Compare A2A-Version with the protocolVersion of the interface the request came to.',
      },
      async (t) => {
        const here = t.agent.declared.filter(({ url }) => url === t.surface.url).map(({ generation }) => generation)
        const other = t.agent.declared.find(
          ({ generation, url }) => generation !== undefined && url !== t.surface.url && !here.includes(generation),
        )
        if (other === undefined) return t.notApplicable('all interfaces offer the same versions')
        const headers = { 'A2A-Version': other.versionText }
        const x = await t.call('getTask', { id: t.unusedId() }, { headers, watched: false })
        t.expectRefused(x)
        const isServed = x.error?.reason === 'TASK_NOT_FOUND' || x.error?.code === -32001
        t.expect(!isServed, `${other.versionText}, which only ${other.url} offers, is served here`, {
          expected: 'VersionNotSupportedError',
          actual: x.error === undefined ? 'a result' : describeError(x.error),
          at: x,
        })
        t.expectError(x, 'VersionNotSupported')
      },
    ),
  ],
)
