// Cards the text allows: members, capabilities and bindings of the author's own, and addresses written in other ways.

import { list, put, text } from '../mutants/mutant.ts'
import { allOf, type Variation, variation } from './variation.ts'

const CARD = ['card', 'card-http', 'card-interfaces', 'card-skills', 'card-security', 'card-claims']

export const CARD_VARIATIONS: readonly Variation[] = [
  variation(
    'card-more-members',
    'The card has icon, documentation and members of the author.',
    {
      card: (card) => {
        Object.assign(card, {
          iconUrl: 'https://parley.invalid/icon.png',
          documentationUrl: 'https://parley.invalid/docs',
          'x-vendor': { a: 1 },
        })
        for (const skill of list(card, 'skills')) put(skill, 'examples', ['Hello', 'Привет'])
        return card
      },
    },
    CARD,
  ),
  variation(
    'card-more-capabilities',
    'The card names a capability nobody knows, and an optional extension.',
    {
      card: (card) => {
        put(card, 'capabilities.telepathy', true)
        return put(card, 'capabilities.extensions', [
          { uri: 'https://parley.invalid/extensions/optional/v1', description: 'x', params: { deep: { a: [1] } } },
        ])
      },
    },
    [...CARD, 'extension-unknown', 'send-result'],
  ),
  variation(
    'card-other-binding',
    'The card lists a binding of its own, named by a URI.',
    {
      card: (card) =>
        put(card, 'supportedInterfaces', [
          ...list(card, 'supportedInterfaces'),
          {
            url: 'https://parley.invalid/mqtt',
            protocolBinding: 'https://parley.invalid/bindings/mqtt/v1',
            protocolVersion: '1.0',
          },
        ]),
    },
    CARD,
  ),
  variation(
    'card-both-forms',
    'The card also lists its interfaces in the form of 0.3.',
    {
      card: (card) => {
        const url = text(card, 'supportedInterfaces.0.url')
        put(card, 'additionalInterfaces', [{ url, transport: 'JSONRPC' }])
        return card
      },
    },
    ['card-interfaces'],
  ),
  variation(
    'card-rest-first',
    'The card prefers HTTP+JSON.',
    {
      card: (card) => put(card, 'supportedInterfaces', list(card, 'supportedInterfaces').toReversed()),
    },
    [...CARD, 'send-result'],
  ),
  ...allOf(
    ['spec', 'spec03'],
    'card-slash',
    'The urls of the card end with a slash.',
    {
      card: (card) => {
        for (const entry of [card, ...list(card, 'supportedInterfaces'), ...list(card, 'additionalInterfaces')])
          if (text(entry, 'url') !== '') put(entry, 'url', `${text(entry, 'url').replace(/\/$/, '')}/`)
        return card
      },
      request: (call) => {
        call.path = call.path.replace(/^(\/[\w-]+)\/$/, '$1').replaceAll('//', '/')
      },
    },
    [...CARD, 'errors-rest', 'send-result', 'get-task', 'stream-opens'],
  ),
  variation(
    'card-query',
    'The urls of the card have a query.',
    {
      card: (card) => {
        for (const entry of list(card, 'supportedInterfaces')) put(entry, 'url', `${text(entry, 'url')}?tier=gold`)
        return card
      },
    },
    ['card-interfaces', 'send-result', 'get-task', 'list', 'stream-opens'],
  ),
  variation(
    'card-weak-tag',
    'The card has a weak entity tag and is cached for long.',
    {
      card: (card, reply) => {
        if (reply.headers.etag !== undefined) reply.headers.etag = `W/${reply.headers.etag}`
        reply.headers['cache-control'] = 'public, max-age=86400, stale-while-revalidate=60'
        return card
      },
    },
    ['card', 'card-http'],
  ),
]
