// Extensions: required, unknown, echoed (1.0 §3.2.6, §4.6).

import { isJsonObject } from '../../model/json.ts'
import { header } from '../probe/answer.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, objectAt, textAt } from '../probe/raw.ts'
import { area, check, type PlacedCheck } from './check.ts'

const UNKNOWN = 'https://parley.invalid/extensions/unknown/v1'

export const extensionChecks: PlacedCheck[] = area({ name: 'extensions', category: 'lifecycle', phase: 3 }, [
  check(
    'extension-required',
    'MUST refuse a client that does not declare a required extension',
    {
      proves: ['ext-required-missing'],
      fix: 'Return ExtensionSupportRequiredError when A2A-Extensions lacks a required extension.',
      category: 'error-handling',
      tells: true,
    },
    async (t) => {
      requiredExtensions(t)
      t.expectError(await t.send('task', { headers: { 'A2A-Extensions': undefined } }), 'ExtensionSupportRequired')
    },
  ),
  check(
    'extension-error-number',
    'MUST report a missing extension with its own error code',
    {
      proves: ['err-map-extension-required-jsonrpc', 'err-map-extension-required-http-json'],
      fix: 'Use code -32008 or HTTP 400 with reason EXTENSION_SUPPORT_REQUIRED.',
      category: 'error-handling',
    },
    async (t) => {
      requiredExtensions(t)
      const x = await t.send('task', { headers: { 'A2A-Extensions': undefined } })
      if (x.error === undefined) t.notMeasured('the request was not refused')
      t.expectErrorNumber(x, 'ExtensionSupportRequired')
    },
  ),
  check(
    'extension-required-stream',
    'MUST refuse to stream to a client that does not declare a required extension',
    {
      proves: ['ext-required-missing'],
      fix: 'Check required extensions on streaming sends too.',
      category: 'error-handling',
      yieldsTo: ['extension-required'],
    },
    async (t) => {
      requiredExtensions(t)
      if (!t.declares('streaming')) t.notApplicable('the card does not declare streaming')
      const s = await t.openStream('task', { headers: { 'A2A-Extensions': undefined } })
      await s.next()
      t.expectError(s, 'ExtensionSupportRequired')
    },
  ),
  check(
    'extension-declared',
    'MUST serve a client that declares the required extensions',
    {
      proves: ['ext-required-declared'],
      fix: 'Read A2A-Extensions as a comma separated list and accept the request when nothing required is missing.',
    },
    async (t) => {
      const uris = requiredExtensions(t)
      t.sendResultOf(await t.send('task', { headers: { 'A2A-Extensions': [UNKNOWN, ...uris].join(', ') } }))
    },
  ),
  check(
    'extension-other-version',
    'MUST NOT accept another version of an extension in place of the required one',
    {
      proves: ['ext-required-version-mismatch'],
      fix: 'Compare extension URIs as a whole, version included.',
      category: 'error-handling',
      yieldsTo: ['extension-required'],
    },
    async (t) => {
      const others = requiredExtensions(t).map((uri) => `${uri}/v99`)
      t.expectRefused(await t.send('task', { headers: { 'A2A-Extensions': others.join(', ') } }))
    },
  ),
  check(
    'extension-no-downgrade',
    'MUST NOT activate another version of an extension than the one asked for',
    {
      proves: ['ext-no-version-downgrade'],
      fix: 'Ignore a requested version that is not declared; never substitute the declared one.',
    },
    async (t) => {
      const uris = declared(t)
      const asked = [...requiredUris(t), ...uris.map((uri) => `${uri}/v99`)]
      const x = await t.send('task', { headers: { 'A2A-Extensions': asked.join(', ') } })
      t.expectAnswered(x)
      const echoed = (header(x, 'a2a-extensions') ?? '').split(',').map((uri) => uri.trim())
      const downgraded = echoed.find((uri) => uris.includes(uri) && !asked.includes(uri))
      t.expect(downgraded === undefined, `${downgraded} was activated although the client did not request it`, {
        at: x,
      })
    },
  ),
  check(
    'extension-unknown',
    'SHOULD ignore extensions it does not know',
    {
      proves: ['ext-unsupported-ignored'],
      fix: 'Proceed without the extension.',
    },
    async (t) => {
      const asked = [...requiredUris(t), UNKNOWN]
      const x = await t.send('task', { headers: { 'A2A-Extensions': asked.join(', ') } })
      t.sendResultOf(x)
      const echoed = header(x, 'a2a-extensions') ?? ''
      t.expect(!echoed.includes(UNKNOWN), 'the response claims to use the unknown extension', { actual: echoed, at: x })
    },
  ),
  check(
    'extension-repeated-header',
    'SHOULD read extensions from repeated headers',
    {
      proves: ['svc-params-header-repeat-accepted'],
      fix: 'Join repeated A2A-Extensions headers like any HTTP list.',
    },
    async (t) => {
      const asked = [...requiredUris(t), UNKNOWN, `${UNKNOWN}.1`]
      const x = await t.send('task', {
        tamper: (request) => ({
          ...request,
          headers: [
            ...request.headers.filter(([name]) => name.toLowerCase() !== 'a2a-extensions'),
            ...asked.map((uri): [string, string] => ['A2A-Extensions', uri]),
          ],
        }),
      })
      t.sendResultOf(x)
    },
  ),
  check(
    'extension-echo',
    'SHOULD name the extensions it activated',
    {
      proves: ['ext-response-echo'],
      fix: 'Send the activated extensions in the A2A-Extensions header of the response.',
      yieldsTo: ['extension-required', 'card-extension-uri', 'card-extension-versioned'],
    },
    async (t) => {
      const uris = declared(t)
      const x = await t.send('task', { headers: { 'A2A-Extensions': uris.join(', ') } })
      t.sendResultOf(x)
      const echoed = (header(x, 'a2a-extensions') ?? '')
        .split(',')
        .map((uri) => uri.trim())
        .filter((uri) => uri !== '')
      t.expect(echoed.length > 0, 'the response names no extension', {
        expected: uris.join(', '),
        actual: 'nothing',
        at: x,
      })
      const odd = echoed.find((uri) => !uris.includes(uri))
      t.expect(odd === undefined, `the response names ${odd}, which the client did not request`, { at: x })
    },
  ),
  check(
    'extension-inactive',
    'SHOULD NOT activate extensions the client did not request',
    {
      proves: ['ext-inactive-by-default'],
      fix: 'Activate an extension only when the client names it.',
      yieldsTo: ['extension-no-downgrade'],
    },
    async (t) => {
      const optional = declared(t).filter((uri) => !requiredUris(t).includes(uri))
      if (optional.length === 0) t.notApplicable('the card declares no optional extension')
      const x = await t.send('task', { headers: { 'A2A-Extensions': requiredUris(t).join(', ') || undefined } })
      t.sendResultOf(x)
      const active = optional.find((uri) => x.text.includes(uri) || (header(x, 'a2a-extensions') ?? '').includes(uri))
      t.expect(active === undefined, `${active} is active although the client did not request it`, { at: x })
    },
  ),
])

function entries(t: Probe) {
  return (listAt(objectAt(t.card, 'capabilities'), 'extensions') ?? []).filter(isJsonObject)
}

function declared(t: Probe): string[] {
  return entries(t).flatMap((entry) => textAt(entry, 'uri') ?? [])
}

function requiredUris(t: Probe): string[] {
  return entries(t).flatMap((entry) => (entry.required === true ? (textAt(entry, 'uri') ?? []) : []))
}

/** The URIs of what the card requires of its clients. */
export function requiredExtensions(t: Probe): string[] {
  const uris = requiredUris(t)
  return uris.length === 0 ? t.notApplicable('the card requires no extension') : uris
}
