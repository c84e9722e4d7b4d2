// What a card leaves unsaid or says carelessly: bindings it serves without naming them, custom bindings, unencrypted
// addresses (1.0 §5.2, §7.1, §12.7).

import { isIP } from 'node:net'
import { BINDINGS } from '../../bindings/registry.ts'
import type { BindingId } from '../../dialects/dialect.ts'
import { BINDING_IDS } from '../../dialects/dialect.ts'
import { classifyAddress } from '../../net/guard/classify-address.ts'
import type { Answer } from '../probe/answer.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { textAt } from '../probe/raw.ts'
import { cardEvidence, entries } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'

const CORE_BINDINGS: ReadonlySet<string> = new Set(['JSONRPC', 'HTTP+JSON', 'GRPC'])

export const cardClaimChecks: PlacedCheck[] = [
  ...area({ name: 'card-claims', category: 'agent-card', phase: 2 }, [
    check(
      'card-interfaces-complete',
      'MUST declare every binding it serves',
      {
        proves: ['card-interfaces-complete'],
        fix: 'Add the binding to supportedInterfaces, or stop serving it.',
        why: 'Clients choose interfaces from the card; one that is not declared is not found and tends to be forgotten.',
        yieldsTo: [
          'card-interfaces-accurate',
          'card-binding-token',
          'card-interface-fields',
          'card-required-fields',
          'card-arrays-nonempty',
        ],
      },
      async (t) => {
        if (t.agent.card === undefined) t.notMeasured('the agent has no readable card')
        if (!BINDINGS[t.binding].probe.isHttp1) t.notApplicable('another binding cannot share its port')
        const other = BINDING_IDS.find(
          (id) =>
            id !== t.binding && BINDINGS[id].probe.isHttp1 && !t.agent.declared.some((known) => known.binding === id),
        )
        if (other === undefined) return t.notApplicable('the card declares every binding that could be served there')
        const name = BINDINGS[other].cardName
        const x = await askOver(other, t)
        if (BINDINGS[other].probe.provesService(x))
          t.warn(44, `${t.surface.url} also speaks ${name}, which the card does not declare`)
        else t.allow(`${t.surface.url} speaks nothing the card does not declare`)
      },
    ),
  ]),
  ...area({ name: 'card-claims', category: 'agent-card', phase: 1, expandOver: 'card' }, [
    check(
      'card-custom-binding',
      'MUST declare a custom binding by its identifier and a full URL',
      {
        proves: ['card-custom-binding-declared'],
        fix: 'Give the entry the URI of the binding as protocolBinding and an absolute url.',
      },
      async (t) => {
        const custom = entries(t.card, 'supportedInterfaces').filter(
          ({ entry }) => !CORE_BINDINGS.has(textAt(entry, 'protocolBinding') ?? 'JSONRPC'),
        )
        if (custom.length === 0) t.notApplicable('the card declares no custom binding')
        const at = await cardEvidence(t)
        for (const { entry, pointer } of custom) {
          const binding = textAt(entry, 'protocolBinding') ?? ''
          t.expect(binding.trim() !== '', `${pointer} does not say which binding it is`, {
            expected: 'the identifier of the binding',
            actual: quote(binding),
            pointer: `${pointer}/protocolBinding`,
            at,
          })
          t.expect(URL.canParse(textAt(entry, 'url') ?? ''), `the url of ${binding} is not absolute`, {
            expected: 'an absolute URL, of any scheme',
            actual: quote(entry.url),
            pointer: `${pointer}/url`,
            at,
          })
        }
      },
    ),
    check(
      'card-encrypted',
      'MUST offer production interfaces over TLS only',
      {
        proves: ['sec-tls-required', 'grpc-tls'],
        fix: 'Serve the interface over https and say so in its url.',
        why: 'Messages, files and tokens would travel in the clear.',
      },
      async (t) => {
        for (const { url, pointer } of t.agent.declared) {
          const parsed = URL.parse(url)
          const isPlain = parsed?.protocol === 'http:' && !isTestHost(parsed.hostname)
          t.expect(!isPlain, `${url} is not encrypted`, {
            expected: 'https',
            actual: url,
            pointer: `${pointer}/url`.replace('/url/url', '/url'),
            at: await cardEvidence(t),
          })
        }
      },
    ),
  ]),
]

/** A harmless question in the other binding, at the same address. */
function askOver(other: BindingId, t: Probe): Promise<Answer> {
  const { probe } = BINDINGS[other]
  const { method, url, headers, body } = probe.encode(t.surface, 'getTask', { id: t.unusedId() }, 1)
  return t.fetch(url, {
    method,
    identity: 'first',
    headers: { ...Object.fromEntries(headers), 'A2A-Version': t.surface.dialect.versionHeader },
    ...(body === undefined ? {} : { body: new TextDecoder().decode(body) }),
  })
}

/** This machine, private networks, and names that exist in no public directory. */
function isTestHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) return classifyAddress(host) !== 'public'
  return !host.includes('.') || /\.(localhost|local|internal|lan|test|home\.arpa)$/.test(host)
}
