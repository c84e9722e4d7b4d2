// The interfaces a card declares: complete entries that are true (1.0 §4.4.6, §8.3).

import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { textAt } from '../probe/raw.ts'
import { cardEvidence, type Entry, entries } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { isOfForm } from './interface-form.ts'

const HTTP_BINDINGS: ReadonlySet<string> = new Set(['JSONRPC', 'HTTP+JSON'])
const CORE: ReadonlySet<string> = new Set([...HTTP_BINDINGS, 'GRPC'])

export const cardInterfaceChecks: PlacedCheck[] = area(
  { name: 'card-interfaces', category: 'agent-card', phase: 1, expandOver: 'card' },
  [
    check(
      'card-interface-fields',
      'MUST give every interface a URL, a binding and a protocol version',
      {
        proves: ['card-interface-required-fields'],
        fix: 'Give every entry of supportedInterfaces a url, a protocolBinding and a protocolVersion.',
        mandatory: true,
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { entry, pointer } of interfaces(t)) {
          for (const member of ['url', 'protocolBinding', 'protocolVersion']) {
            t.expect((textAt(entry, member) ?? '') !== '', `${pointer} has no ${member}`, {
              expected: 'a non-empty string',
              actual: quote(entry[member]),
              pointer: `${pointer}/${member}`,
              at,
            })
          }
        }
      },
    ),
    check(
      'card-interface-url',
      'MUST give absolute interface URLs',
      {
        proves: ['card-interface-url-absolute'],
        fix: 'Write the full URL of the interface, with https in production.',
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { url, bindingText, pointer } of t.agent.declared) {
          // gRPC has no scheme of its own, and a custom binding may have any.
          if (!HTTP_BINDINGS.has(bindingText)) continue
          const place = pointer === '/url' ? pointer : `${pointer}/url`
          t.expect(URL.canParse(url) && /^https?:\/\/[^/\s]\S*$/.test(url), `${place} is not an absolute URL`, {
            expected: 'an absolute http(s) URL',
            actual: quote(url),
            pointer: place,
            at,
          })
        }
      },
    ),
    check(
      'card-binding-token',
      'MUST spell the core bindings exactly',
      {
        proves: ['card-interface-binding-token'],
        fix: 'Write JSONRPC, HTTP+JSON or GRPC, or the URI of a custom binding.',
        yieldsTo: ['card-interface-fields'],
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { entry, pointer } of interfaces(t)) {
          const binding = textAt(entry, 'protocolBinding') ?? ''
          // Any other name may be that of a binding of the author's own, which is to be a URI.
          const isMisspelt = !CORE.has(binding) && /^(json-?rpc|http\+?json|rest|grpc|http)?$/i.test(binding)
          if (!isMisspelt && !CORE.has(binding) && !binding.includes(':'))
            t.warn(35, `${quote(binding)} is neither a core binding nor a URI`)
          t.expect(!isMisspelt, `${quote(binding)} is not a valid binding`, {
            expected: 'JSONRPC, HTTP+JSON, GRPC or a URI',
            actual: quote(binding),
            pointer: `${pointer}/protocolBinding`,
            at,
          })
        }
      },
    ),
    check(
      'card-version-major-minor',
      'SHOULD write protocol versions without the patch number',
      {
        proves: ['card-interface-version-major-minor'],
        fix: 'Write "1.0", not "1.0.0": patch numbers are not used in negotiation.',
        yieldsTo: ['card-interfaces-accurate'],
      },
      async (t) => {
        for (const { entry, pointer } of interfaces(t)) {
          const version = textAt(entry, 'protocolVersion') ?? ''
          t.expect(/^\d+\.\d+$/.test(version), `the version is ${quote(version)}`, {
            expected: 'Major.Minor',
            actual: quote(version),
            pointer: `${pointer}/protocolVersion`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-latest-minor',
      'SHOULD advertise only the newest minor version of an interface',
      {
        proves: ['card-interface-latest-minor'],
        fix: 'List one entry per URL, binding and major version: the newest minor.',
        yieldsTo: ['card-interfaces-accurate'],
      },
      async (t) => {
        const seen = new Map<string, string>()
        for (const { entry, pointer } of interfaces(t)) {
          const version = textAt(entry, 'protocolVersion') ?? ''
          const key = `${textAt(entry, 'url')} ${textAt(entry, 'protocolBinding')} ${textAt(entry, 'tenant') ?? ''} ${version.split('.')[0]}`
          const other = seen.get(key)
          // Minors of major 0 are generations of their own.
          if (version.startsWith('0.')) continue
          t.expect(
            other === undefined || other === version,
            `both ${other} and ${version} are listed for one interface`,
            { expected: 'the newest minor only', actual: `${other}, ${version}`, pointer, at: await cardEvidence(t) },
          )
          seen.set(key, version)
        }
      },
    ),
    check(
      'card-interfaces-accurate',
      'MUST serve every declared interface with the declared binding and version',
      {
        proves: ['card-interfaces-accurate'],
        fix: 'Correct the URL, binding or version of the interface in the card, or make the endpoint speak it.',
        yieldsTo: ['card-binding-token', 'card-interface-fields', 'card-interface-url', 'card-required-fields'],
      },
      async (t) => {
        const at = await cardEvidence(t)
        const own = t.agent.declared.filter((declared) => isOfForm(declared, t.generation))
        const broken = t.agent.broken.filter(({ declared }) => own.includes(declared))
        for (const { declared, reason } of broken.slice(1)) t.note(`${declared.url} cannot be used either: ${reason}`)
        for (const declared of own) {
          const found = broken.find((one) => one.declared === declared)
          const { url, bindingText, versionText, pointer } = declared
          t.expect(found === undefined, `${url} cannot be used as ${bindingText} ${versionText}: ${found?.reason}`, {
            expected: `A2A ${versionText} over ${bindingText}`,
            actual: found?.reason ?? '',
            pointer,
            at: found?.exchange ?? at,
          })
        }
      },
    ),
  ],
)

function interfaces(t: Probe): Entry[] {
  return entries(t.card, 'supportedInterfaces')
}
