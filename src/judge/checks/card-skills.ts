// Skills, modes and extensions on the card (1.0 §4.4.4, §4.4.5).

import type { JsonObject } from '../../model/json.ts'
import { quote } from '../probe/assertions.ts'
import type { Probe } from '../probe/probe.ts'
import { listAt, objectAt, textAt } from '../probe/raw.ts'
import { cardEvidence, type Entry, entries } from './card.ts'
import { area, check, type PlacedCheck } from './check.ts'
import { firstRepeated } from './first-repeated.ts'

/** Longer ones are no URI anybody reads. */
const MAX_URI = 2_048

export const cardSkillChecks: PlacedCheck[] = area(
  { name: 'card-skills', category: 'agent-card', phase: 1, expandOver: 'card' },
  [
    check(
      'card-extension-uri',
      'SHOULD identify every extension by a unique URI',
      { proves: ['card-extension-uri'], fix: 'Give each declared extension a uri, each only once.' },
      async (t) => {
        const seen = new Set<string>()
        for (const { entry, pointer } of extensions(t)) {
          const uri = textAt(entry, 'uri') ?? ''
          t.expect(URL.canParse(uri), `${pointer} has no URI`, {
            expected: 'a URI',
            actual: quote(entry.uri),
            pointer: `${pointer}/uri`,
            at: await cardEvidence(t),
          })
          t.expect(!seen.has(uri), `${uri} is declared twice`, { pointer, at: await cardEvidence(t) })
          seen.add(uri)
        }
      },
    ),
    check(
      'card-extension-versioned',
      'SHOULD include a version in the URI of an extension',
      {
        proves: ['card-extension-versioned'],
        fix: 'Put a version such as /v1 into the URI of the extension.',
        yieldsTo: ['card-extension-uri'],
      },
      async (t) => {
        for (const { entry, pointer } of extensions(t)) {
          const uri = textAt(entry, 'uri') ?? ''
          t.expect(/[/:.-]v?\d+(\.\d+)*([/#?-]|$)/i.test(uri.slice(0, MAX_URI)), `${uri} carries no version`, {
            expected: 'a version in the URI',
            actual: uri,
            pointer: `${pointer}/uri`,
            at: await cardEvidence(t),
          })
        }
      },
    ),
    check(
      'card-skill-fields',
      'MUST give every skill an id, a name, a description and tags',
      {
        proves: ['card-skill-required-fields'],
        where: ({ skillsSaySomething }) => skillsSaySomething,
        fix: 'Give every skill an id, a name, a description and at least one tag.',
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { entry, pointer } of entries(t.card, 'skills')) {
          for (const member of ['id', 'name', 'description']) {
            t.expect((textAt(entry, member) ?? '') !== '', `${pointer} has no ${member}`, {
              expected: 'a non-empty string',
              actual: quote(entry[member]),
              pointer: `${pointer}/${member}`,
              at,
            })
          }
          t.expect(!t.rules.skillsHaveTags || (listAt(entry, 'tags') ?? []).length > 0, `${pointer} has no tags`, {
            expected: 'at least one tag',
            actual: quote(entry.tags),
            pointer: `${pointer}/tags`,
            at,
          })
        }
      },
    ),
    check(
      'card-skill-modes',
      'MUST state input and output modes of a skill where the protocol version requires them',
      {
        proves: ['card-skill-modes'],
        fix: 'Give every skill inputModes and outputModes, each with at least one entry.',
      },
      async (t) => {
        const at = await cardEvidence(t)
        for (const { entry, pointer } of entries(t.card, 'skills')) {
          for (const [member, inherited] of [
            ['inputModes', 'defaultInputModes'],
            ['outputModes', 'defaultOutputModes'],
          ] as const) {
            const modes = listAt(entry, member) ?? listAt(t.card, inherited) ?? []
            t.expect(modes.length > 0, `${pointer} has no ${member}`, {
              expected: 'at least one mode',
              actual: quote(entry[member]),
              pointer: `${pointer}/${member}`,
              at,
            })
          }
        }
      },
    ),
    check(
      'card-skill-id-unique',
      'MUST give each skill a unique id',
      { proves: ['card-skill-id-unique'], fix: 'Rename the skills that share an id.' },
      async (t) => {
        const ids = entries(t.card, 'skills').map(({ entry }) => textAt(entry, 'id') ?? '')
        const double = ids[firstRepeated(ids)]
        t.expect(double === undefined, `two skills have the id ${quote(double)}`, {
          expected: 'unique ids',
          actual: ids.join(', '),
          pointer: '/skills',
          at: await cardEvidence(t),
        })
      },
    ),
    check(
      'card-media-types',
      'SHOULD write input and output modes as media types',
      { proves: ['card-modes-media-types'], fix: 'Write text/plain, not text.' },
      async (t) => {
        const lists: [JsonObject, string, string][] = [
          [t.card, 'defaultInputModes', ''],
          [t.card, 'defaultOutputModes', ''],
        ]
        for (const { entry, pointer } of entries(t.card, 'skills'))
          lists.push([entry, 'inputModes', pointer], [entry, 'outputModes', pointer])
        for (const [owner, member, pointer] of lists) {
          for (const [at, mode] of (listAt(owner, member) ?? []).entries()) {
            t.expect(
              typeof mode === 'string' && /^[\w.+*-]+\/[\w.+*-]+(\s*;.*)?$/.test(mode),
              `${quote(mode)} is not a media type`,
              {
                expected: 'type/subtype',
                actual: quote(mode),
                pointer: `${pointer}/${member}/${at}`,
                at: await cardEvidence(t),
              },
            )
          }
        }
      },
    ),
  ],
)

function extensions(t: Probe): Entry[] {
  const found = entries(objectAt(t.card, 'capabilities'), 'extensions', '/capabilities')
  return found.length > 0 ? found : t.notApplicable('the card declares no extensions')
}
