// The card as an HTTP resource: caching and conditional requests (1.0 §8.6, §14.3).

import { header } from '../probe/answer.ts'
import { addressOfCard, fetchCard } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'

export const cardHttpChecks: PlacedCheck[] = area(
  { name: 'card-http', category: 'agent-card', phase: 1, expandOver: 'card' },
  [
    check(
      'card-cache-control',
      'SHOULD say how long the card may be cached',
      {
        proves: ['card-cache-control'],
        fix: 'Send Cache-Control with a max-age, such as "public, max-age=300".',
        yieldsTo: ['card-available'],
      },
      async (t) => {
        const x = await fetchCard(t)
        t.expectAnswered(x)
        const value = header(x, 'cache-control') ?? ''
        t.expect(/max-age=\d+/i.test(value), `Cache-Control is ${value === '' ? 'missing' : value}`, {
          expected: 'a max-age',
          actual: value === '' ? 'no Cache-Control' : value,
          at: x,
        })
      },
    ),
    check(
      'card-etag',
      'SHOULD give the card a stable entity tag',
      {
        proves: ['card-etag'],
        fix: 'Send an ETag derived from the version or the content of the card.',
        yieldsTo: ['card-available'],
      },
      async (t) => {
        const first = await fetchCard(t)
        const second = await fetchCard(t)
        const [one, two] = [header(first, 'etag'), header(second, 'etag')]
        t.expect(one !== undefined, 'the card has no ETag', { expected: 'an ETag', actual: 'none', at: first })
        const isSame = first.text !== second.text || one === two
        t.expect(isSame, 'the ETag changes although the card does not', {
          expected: one ?? '',
          actual: two ?? 'none',
          at: [first.exchange, second.exchange],
        })
      },
    ),
    check(
      'card-last-modified',
      'MAY send Last-Modified with the card, with a date in the past',
      { proves: ['card-last-modified'], fix: 'Send Last-Modified as an HTTP date in the past.' },
      async (t) => {
        const x = await fetchCard(t)
        const value = header(x, 'last-modified')
        if (value === undefined) return t.notApplicable('the card carries no date')
        const time = Date.parse(value)
        const isTrue = /GMT$/.test(value) && time <= Date.now() + 60_000
        t.expect(isTrue, `Last-Modified is ${value}`, { expected: 'an HTTP date in the past', actual: value, at: x })
      },
    ),
    check(
      'card-conditional',
      'SHOULD answer 304 when the card has not changed',
      {
        proves: ['card-conditional-get'],
        fix: 'Compare If-None-Match with the ETag and return 304 without a body.',
        yieldsTo: ['card-etag'],
      },
      async (t) => {
        const etag = header(await fetchCard(t), 'etag')
        if (etag === undefined)
          return t.notMeasured('the card has no ETag, so If-None-Match could not be tried', 'a card with an ETag')
        const x = await t.fetch(addressOfCard(t), { headers: { 'A2A-Version': '1.0', 'If-None-Match': etag } })
        t.expectAnswered(x)
        t.expect(x.status === 304, `the conditional request is answered with HTTP ${x.status}`, {
          expected: 'HTTP 304',
          actual: `HTTP ${x.status}`,
          at: x,
        })
        t.expect(x.text === '', 'the 304 carries a body', {
          expected: 'no body',
          actual: `${x.text.length} characters`,
          at: x,
        })
      },
    ),
  ],
)
