// Versions are offered per interface, not per agent (1.0 §3.6.2).

import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId } from '../../dialects/dialect.ts'
import { describeError } from '../probe/error-table.ts'
import type { DeclaredInterface } from '../probe/surface.ts'
import { area, check, type PlacedCheck } from './check.ts'

/** Where it listens, whichever way the card writes it. */
function placeOf({ url, binding }: { url: string; binding: BindingId | undefined }): string {
  return (binding === undefined ? url : BINDINGS[binding].describeEndpoint(url)).replace(/^https?:/, '')
}

export const versionInterfaceChecks: PlacedCheck[] = area(
  { name: 'version-interfaces', category: 'error-handling', phase: 2 },
  [
    check(
      'version-per-interface',
      'MUST refuse a version that only another of its interfaces offers',
      {
        proves: ['version-per-interface'],
        fix: 'Compare A2A-Version with the protocolVersion of the interface the request came to.',
      },
      async (t) => {
        const isHere = (declared: DeclaredInterface) => placeOf(declared) === placeOf(t.surface)
        const here = t.agent.declared.filter(isHere).map(({ generation }) => generation)
        const other = t.agent.declared.find(
          (declared) => declared.generation !== undefined && !isHere(declared) && !here.includes(declared.generation),
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
