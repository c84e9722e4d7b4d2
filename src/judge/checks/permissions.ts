// A caller who is known but may not do everything (1.0 §3.3.2, §13.3). The second identity shows it when it may see less
// than the first.

import type { JsonValue } from '../../model/json.ts'
import { isInternalError } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { stringsIn } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'

const NEEDS = ['credentials', 'second-identity'] as const
/** Shorter texts occur by chance. */
const TELLING_LENGTH = 6

export const permissionChecks: PlacedCheck[] = area({ name: 'permissions', category: 'error-handling', phase: 2 }, [
  check(
    'extended-card-permission',
    'MUST show privileged details only to callers entitled to them',
    {
      proves: ['extcard-permission'],
      fix: 'Build the extended card from what the caller may see; a refusal must not repeat any of it.',
      needs: NEEDS,
    },
    async (t) => {
      const { entitled, other } = await bothCards(t)
      const known = new Set(stringsIn(t.card, '').map(({ text }) => text))
      const own = new Set(other.error === undefined ? stringsIn(other.result, '').map(({ text }) => text) : [])
      const leaked = stringsIn(entitled.result, '').find(
        ({ text }) => text.length >= TELLING_LENGTH && !known.has(text) && !own.has(text) && mentions(other.text, text),
      )
      t.expect(leaked === undefined, `the caller with fewer permissions receives ${quote(leaked?.text)}`, {
        expected: 'no details that only others may see',
        actual: quote(other.text),
        at: [entitled.exchange, other.exchange],
      })
    },
  ),
  check(
    'permission-denied',
    'MUST answer a caller who lacks permission with an authorization error',
    {
      proves: ['sec-authz-error'],
      fix: 'Return HTTP 403 (or not found, where existence must be hidden) when a known caller lacks permission.',
      needs: NEEDS,
    },
    async (t) => {
      const { other } = await bothCards(t)
      if (other.error === undefined) t.notMeasured('the second caller is refused no operation', LESS)
      t.expect(!isInternalError(other), 'the refusal is an internal error', {
        expected: 'HTTP 403, or an error of the protocol',
        actual: `${other.statusText} ${quote(other.error?.json)}`,
        at: other,
      })
      if (other.status === 401)
        t.warn(49, 'a caller whose credentials are accepted elsewhere gets 401 (unauthenticated) instead of 403')
    },
  ),
])

const LESS = 'a second identity that may see less than the first: --bearer-b'

/** The extended card for both callers, the second of whom is known to the agent and gets something else. */
async function bothCards(t: Probe) {
  if (!t.declares('extendedAgentCard')) t.notApplicable('the card does not declare extendedAgentCard')
  const entitled = await t.call('getExtendedCard', {})
  t.expectAnswered(entitled)
  if (entitled.error !== undefined) t.notMeasured('the first identity does not get the extended card')
  const known = await t.call('getTask', { id: t.unusedId() }, { identity: 'second' })
  if (known.status === 401 || known.status === 403) t.notMeasured('the second identity is refused altogether', LESS)
  const other = await t.call('getExtendedCard', {}, { identity: 'second' })
  t.expectAnswered(other)
  if (other.error === undefined && sameMeaning(entitled.result, other.result))
    t.notMeasured('both callers see the same extended card', LESS)
  return { entitled, other }
}

function mentions(body: string, text: JsonValue): boolean {
  return body.includes(JSON.stringify(text).slice(1, -1))
}
