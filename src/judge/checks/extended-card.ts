// The extended card: who gets it and what it is (1.0 §3.1.11, §13.3).

import { BINDINGS } from '../../bindings/registry.ts'
import { header } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import { describeError } from '../probe/error-table.ts'
import type { Probe } from '../probe/probe.ts'
import { sameMeaning } from '../probe/proto-json.ts'
import { listAt, objectAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { schemaIssues } from './schema.ts'

const SECRET =
  /-----BEGIN [A-Z ]*PRIVATE KEY|\bBearer [A-Za-z0-9._-]{20,}|\bsk-[A-Za-z0-9]{16,}|:\/\/[^/\s:@]+:[^/\s@]+@/

export const extendedCardChecks: PlacedCheck[] = [
  ...area({ name: 'extended-card', category: 'agent-card', phase: 2 }, [
    check(
      'extended-card-undeclared',
      'MUST refuse the extended card when it declares none',
      {
        proves: ['extcard-unsupported'],
        fix: 'Return UnsupportedOperationError, or declare capabilities.extendedAgentCard.',
        category: 'error-handling',
        needs: ['check:rest-extended-card-route'],
        yieldsTo: ['jsonrpc-method-names', 'card-capabilities-boolean'],
      },
      async (t) => {
        unlessPublic(t)
        const others = t.rules.optionalMethods ? (['ExtendedAgentCardNotConfigured', 'MethodNotFound'] as const) : []
        t.expectError(await t.call('getExtendedCard', {}), 'UnsupportedOperation', ...others)
      },
    ),
    check(
      'extended-card-served',
      'MUST serve the extended card it declares',
      {
        proves: [
          'card-capability-extended-honest',
          'rest-extended-card',
          'extcard-not-configured',
          'err-map-extended-card-jsonrpc',
          'err-map-extended-card-http-json',
          'err-map-extended-card-grpc',
        ],
        fix: 'Return the card to authenticated callers, or ExtendedAgentCardNotConfiguredError, or drop the capability.',
        needs: ['check:auth-accepted', 'check:version-supported', 'check:rest-extended-card-route'],
        groundOf: 'getExtendedCard',
      },
      async (t) => {
        const x = await t.call('getExtendedCard', {})
        t.expectAnswered(x)
        if (x.error === undefined) {
          return t.expect(textAt(x.result, 'name') !== undefined, 'the result is not a card', {
            expected: 'an AgentCard',
            actual: quote(x.result),
            pointer: x.resultPointer,
            at: x,
          })
        }
        if (x.status === 401 || x.status === 403) t.allow('only authenticated callers get it')
        else t.expectError(x, 'ExtendedAgentCardNotConfigured')
      },
    ),
    check(
      'extended-card-protected',
      'MUST give the extended card to authenticated callers only',
      {
        proves: ['extcard-auth-required'],
        fix: 'Return 401 without valid credentials, and declare the scheme in the public card.',
        category: 'error-handling',
        yieldsTo: ['auth-missing', 'auth-wrong', 'get-task-unknown'],
      },
      async (t) => {
        unlessPublic(t)
        for (const identity of ['none', 'wrong'] as const) {
          const x = await t.call('getExtendedCard', {}, { identity, mayBeLimited: true })
          t.expectAnswered(x)
          const who = identity === 'none' ? 'no' : 'wrong'
          t.expect(x.error !== undefined, `a caller with ${who} credentials gets the extended card`, {
            expected: 'HTTP 401, over gRPC UNAUTHENTICATED',
            actual: x.statusText,
            at: x,
          })
        }
      },
    ),
    check(
      'extended-card-scheme',
      'MUST require for the extended card only credentials that the public card declares',
      {
        proves: ['extcard-declared-schemes'],
        fix: 'Declare the scheme in securitySchemes of the public card.',
        why: 'A client that is asked for credentials learns from the public card which ones, and nowhere else.',
        causes: ['Authentication was added to the endpoint but not declared in the card.'],
      },
      async (t) => {
        unlessPublic(t)
        const x = await t.call('getExtendedCard', {}, { identity: 'none' })
        t.expectAnswered(x)
        if (x.error === undefined)
          return t.notMeasured('the extended card is returned without credentials; another check reports this')
        if (x.status !== 401 && x.status !== 403) t.notMeasured(`refused with ${describeError(x.error)}`)
        const names = Object.keys(objectAt(t.card, 'securitySchemes') ?? {})
        t.expect(names.length > 0, 'the extended card demands credentials, and the public card declares no scheme', {
          expected: 'at least one entry in securitySchemes',
          actual: quote(t.card.securitySchemes),
          pointer: '/securitySchemes',
          at: x,
        })
      },
    ),
    check(
      'extended-card-valid',
      'MUST serve an extended card that is a valid card',
      {
        proves: ['extcard-valid-card'],
        fix: 'Return a complete AgentCard, not only what it adds to the public card.',
        needs: ['credentials'],
      },
      async (t) => {
        const x = await t.call('getExtendedCard', {})
        if (x.error !== undefined || x.result === undefined) return t.notMeasured('the extended card was not served')
        const { generation, binding } = t.surface
        const observation = {
          kind: 'extendedCard',
          generation,
          binding,
          value: x.result,
          pointer: '',
          exchange: x.exchange,
        } as const
        const [issue] = schemaIssues(observation)
        t.expect(issue === undefined, `the extended card is invalid: ${issue?.message ?? ''}`, {
          expected: 'an AgentCard',
          pointer: `${x.resultPointer}${issue?.pointer ?? ''}`,
          at: x,
        })
        if (listAt(x.result, 'skills')?.length === 0) t.conflict(10, 'skills of the extended card is empty')
      },
    ),
    check(
      'extended-card-stable',
      'MUST return the same extended card to repeated requests',
      {
        proves: ['extcard-idempotent'],
        fix: 'Return the same card to the same caller every time; fetching it must not change it.',
        needs: ['credentials'],
      },
      async (t) => {
        const first = await t.call('getExtendedCard', {})
        const second = await t.call('getExtendedCard', {})
        if (first.error !== undefined) t.notMeasured('the extended card was not served')
        t.expect(sameMeaning(first.result, second.result), 'two requests give different cards', {
          expected: quote(first.result),
          actual: quote(second.result),
          at: [first.exchange, second.exchange],
        })
      },
    ),
    check(
      'extended-card-discreet',
      'SHOULD keep secrets out of the extended card',
      {
        proves: ['extcard-no-sensitive', 'extcard-versioned'],
        fix: 'Remove keys, tokens and passwords from the card, and give it a version.',
        needs: ['credentials'],
      },
      async (t) => {
        const x = await t.call('getExtendedCard', {})
        if (x.error !== undefined) t.notMeasured('the extended card was not served')
        t.expect(!SECRET.test(x.text), 'the extended card contains a secret', { at: x })
        t.expect((textAt(x.result, 'version') ?? '') !== '', 'the extended card has no version', { at: x })
      },
    ),
  ]),
  ...area({ name: 'extended-card', category: 'agent-card', phase: 2, bindings: ['rest'] }, [
    check(
      'extended-card-caching',
      'SHOULD control the caching of the extended card',
      {
        proves: ['extcard-cache-headers'],
        fix: 'Send Cache-Control: private or no-store with the extended card.',
        needs: ['credentials'],
      },
      async (t) => {
        const x = await t.call('getExtendedCard', {})
        if (x.error !== undefined) t.notMeasured('the extended card was not served')
        const value = header(x, 'cache-control') ?? ''
        t.expect(value !== '', 'the response has no Cache-Control header', { expected: 'Cache-Control', at: x })
        t.expect(!/\bpublic\b/i.test(value), 'shared caches may keep the extended card', { actual: value, at: x })
      },
    ),
  ]),
]

/** GetAgentCard of 0.3 over gRPC serves strangers as well. */
function unlessPublic(t: Probe): void {
  if (BINDINGS[t.binding].probe.handsOutPublicCard?.(t.surface.dialect) === true)
    t.notApplicable('the rpc of the extended card also returns the public card, without credentials')
}
