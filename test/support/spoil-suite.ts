// Copies of suites in which one assertion cannot hold, one copy for each assertion: a test that still passes does not
// look at what it says it looks at.

import type { Assertion, Operator } from '../../src/scenario/acts/assertion.ts'
import type { ActsTest } from '../../src/scenario/acts/document-shape.ts'
import type { LoadedSuite } from '../../src/scenario/acts/load-suite.ts'

const IMPOSSIBLE: Assertion = { is: 'operators', operators: [{ op: 'exists' }, { op: 'absent' }] }
/** Waits ten seconds before its second half; spoiling it once is enough. */
const SLOW = new Set(['ACC-RETURN-IMMEDIATELY'])

export function spoilings(suites: readonly LoadedSuite[]): LoadedSuite[] {
  return suites.flatMap((loaded) =>
    loaded.suite.tests.flatMap(({ value, position }) => {
      const count = countLeaves(value)
      return Array.from({ length: SLOW.has(value.id) ? 1 : count }, (_, index) => {
        const spoilt = { ...spoil(value, index), id: `${value.id}#${index}` }
        return { ...loaded, suite: { ...loaded.suite, tests: [{ value: spoilt, position }] } }
      })
    }),
  )
}

function countLeaves(test: ActsTest): number {
  let count = 0
  mapAssertions(test, (leaf) => {
    count++
    return leaf
  })
  return count
}

function spoil(test: ActsTest, index: number): ActsTest {
  let at = 0
  return mapAssertions(test, (leaf) => (at++ === index ? IMPOSSIBLE : leaf))
}

function mapAssertions(test: ActsTest, change: (leaf: Assertion) => Assertion): ActsTest {
  return mapUnknown(test, change) as ActsTest
}

/** Assertions are the objects of the loaded document that say what they are. */
function mapUnknown(value: unknown, change: (leaf: Assertion) => Assertion): unknown {
  if (isAssertion(value)) return mapLeaves(value, change)
  if (Array.isArray(value)) return value.map((item) => mapUnknown(item, change))
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, mapUnknown(item, change)]))
  if (typeof value !== 'object' || value === null || value instanceof RegExp) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      key in PLAIN ? spoilPlain(key, item, change) : mapUnknown(item, change),
    ]),
  )
}

/** Expectations that are plain words and numbers, with what none of our tests gets. */
const PLAIN: { readonly [key: string]: unknown } = { error_type: 'InternalError', min_count: 1_000_000 }

function spoilPlain(key: string, value: unknown, change: (leaf: Assertion) => Assertion): unknown {
  return change({ is: 'equal', value: key }) === IMPOSSIBLE ? PLAIN[key] : value
}

function isAssertion(value: unknown): value is Assertion {
  if (typeof value !== 'object' || value === null || !('is' in value)) return false
  return value.is === 'equal' || value.is === 'members' || value.is === 'elements' || value.is === 'operators'
}

function mapLeaves(wanted: Assertion, change: (leaf: Assertion) => Assertion): Assertion {
  switch (wanted.is) {
    case 'members':
      return {
        ...wanted,
        members: new Map([...wanted.members].map(([name, inner]) => [name, mapLeaves(inner, change)])),
      }
    case 'elements':
      return { ...wanted, elements: wanted.elements.map((inner) => mapLeaves(inner, change)) }
    case 'operators': {
      const items = wanted.operators.find((operator) => operator.op === 'items')
      if (items === undefined) return change(wanted)
      const others: Operator[] = wanted.operators.filter((operator) => operator !== items)
      return { is: 'operators', operators: [...others, { op: 'items', inner: mapLeaves(items.inner, change) }] }
    }
    case 'equal':
      return change(wanted)
  }
}
