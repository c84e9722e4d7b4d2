// Drafts rulings for failures nobody ruled about: clause and bytes from the run. Who deviates and why is for a person
// to write, after reading the clause; until then the file is refused.

import { stringify } from 'yaml'
import { transcriptText } from '../../src/trace/transcript.ts'
import type { Judged, JudgedResult } from './judged.ts'

const LONGEST = 1_600

/** Of the agents or of the clients of a folder; undefined when everything is ruled. */
export function draftRulings(folder: readonly Judged[]): string | undefined {
  const isAgent = folder[0]?.role === 'agent'
  const byCheck = Map.groupBy(
    folder.flatMap(({ peer, settlement }) => settlement.unruled.map(({ key, test }) => ({ peer, key, test }))),
    ({ test }) => test,
  )
  if (byCheck.size === 0) return undefined
  const results = new Map(folder.flatMap(({ results }) => results.filter(failed).map((one) => [one.key, one])))
  const rulings = [...byCheck].flatMap(([test, failures]) => {
    const byPeer = Map.groupBy(failures, ({ peer }) => peer)
    const placesOf = (keys: readonly { key: string }[]) => keys.map(({ key }) => key.slice(test.length + 1)).sort()
    const alike = Map.groupBy([...byPeer], ([, keys]) => placesOf(keys).join(' '))
    return [...alike].map(([places, peers]) => {
      const on = places.split(' ')
      const result = results.get(`${test}@${on[0]}`)
      const names = peers.map(([peer]) => peer)
      return {
        [isAgent ? 'check' : 'claim']: test,
        on,
        ...(names.length === folder.length ? {} : { [isAgent ? 'agents' : 'clients']: names }),
        deviates: '',
        clause: result === undefined ? '' : `${result.version} §${(result.sections ?? []).join(', §')}`,
        why: '',
        bytes: result === undefined ? '' : proofOf(result),
      }
    })
  })
  return stringify({ rulings }, { lineWidth: 120, blockQuote: 'literal' })
}

function failed({ verdict }: JudgedResult): boolean {
  return verdict === 'fail'
}

function proofOf(result: JudgedResult): string {
  const last = result.transcript?.at(-1)
  return `# ${result.message}\n${last === undefined ? '' : steady(transcriptText(last)).trim()}\n`
}

/** Headers that say nothing about A2A. */
const NOISE =
  /^(ETag|Date|Content-Length|Connection|Keep-Alive|X-Powered-By|Host|Accept-Encoding|Server|Vary|Transfer-Encoding|Cache-Control|X-Accel-Buffering|User-Agent|Accept-Language|Sec-Fetch-Mode): .*\n?/gim

/** What differs from run to run is replaced, so that a proof is the same whenever it is made. */
export function steady(text: string): string {
  const short = text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g, '<time>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(NOISE, '')
  return short.length > LONGEST ? `${short.slice(0, LONGEST)}…` : short
}
