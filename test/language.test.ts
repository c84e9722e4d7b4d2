// Phrases that were hard to read at first sight and have been replaced; they stay out of what people read: help, messages,
// titles of checks, documents. Comments are for those who change the code.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '..')

const BANNED: readonly (readonly [RegExp, string])[] = [
  [/the request succeeded although it must be refused/, 'name the request, what came and the error that was expected'],
  [/\bis no TaskState\b/, 'say "is not a valid TaskState"'],
  [/\b(?:is|are) in order\b/, 'say "is valid"'],
  [/was played \d|required are/, 'say "matched N times; expected"'],
  [/what stands there/, 'say what is wrong with the value'],
  [/show(?:s)? its inside/, 'say "leak internals"'],
  [/MUST use the number of/, 'say "error code"'],
  [/notify alike/, 'say "send the same notifications"'],
  [/\bcancelled\b|\bcancelling\b/i, 'spell it canceled, canceling'],
  [/is not heard/, 'say "is ignored"'],
  [/the proxy’s business/, 'say what the proxy does'],
  [/npx parley\b(?!` would)/, 'the package is a2a-parley'],
  [/\b(?:protocol|older|its own|that|this|each|every|one|no|tasks\/send`?) generations?\b/, 'say "protocol version"'],
  [/\bleftovers\b/, 'name the members'],
  [/(?<!\b[Tt]here\s)\b(?:is|are) no (?!longer\b|more\b|room\b)[a-zA-Z]/, 'say "is not a"'],
  [/\b(?:[Nn]o|[Ss]ome|[Aa]ny|[Ee]very)body\b(?=[\s,.;:)])/, 'say who: the client, the caller, another user'],
  [/\b(?:stands?|stood) (?:on|in|there)\b/, 'say "depends on", "is in"'],
  [/\bthe ground\b|\bGround of\b/, 'say "prerequisite"'],
  [/\bone habit\b|\bwhose bytes are wrong\b|\blast words\b|\bsign of life\b/, 'say what is meant'],
  [/(?:not \w+|nothing \w+|do not fail|does not fail) any more\b/, 'say "no longer"'],
  [/\bthat is none\b|\band is none\b/, 'say what it is not'],
  [/\bcolours\b|\bis labelled\b/, 'spell it as in the protocol: colors, labeled'],
  [/\b1 (?:faults|cases|rules|checks|problems)\b/, 'count in the singular, too'],
]

function filesIn(folder: string, ending: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith(ending) && !path.endsWith(`.test${ending}`))
    .map((path) => join(folder, path))
}

/** Without comments and imports. Words of the wire (CANCELLED of gRPC) are theirs. */
function readable(source: string): string {
  return source
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '')
    .replaceAll(/ \/\/ .*$/gm, '')
    .replaceAll(/^import .*$/gm, '')
}

test('no banned phrase in messages, titles and documents', () => {
  const ofOthers =
    /^docs\/(?:known-deviations|decisions|spec-conflicts|interop)|^src\/(?:testing|dialects|bindings\/grpc|mock\/wire\/payload|judge\/probe\/raw|grade\/intent)/
  const files = [
    ...filesIn('src', '.ts'),
    ...filesIn('ui', '.ts'),
    ...filesIn('ui', '.tsx'),
    ...filesIn('docs', '.md'),
    ...filesIn('skills', '.md'),
    'README.md',
    'action.yml',
  ]
  const found = files
    .filter((file) => !ofOthers.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8')
      const shown = /\.tsx?$/.test(file) ? readable(text) : text
      return BANNED.flatMap(([phrase, instead]) => {
        const match = phrase.exec(shown)
        return match === null ? [] : [`${file}: "${match[0]}": ${instead}`]
      })
    })
  expect(files.length).toBeGreaterThan(300)
  expect(found).toEqual([])
})
