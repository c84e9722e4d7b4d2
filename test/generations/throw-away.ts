// A copy of the tree with a generation that does not exist: 1.1, which is 1.0 with `Task.generation` (an int64, hence a
// string in ProtoJSON) and one error of its own. It is added as CONTRIBUTING.md says, and nothing else is touched.

import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { edit, type ThrowAwayTree, throwAwayTree } from '../support/throw-away-tree.ts'

export function treeWithNewGeneration(): ThrowAwayTree {
  return throwAwayTree(addGeneration)
}

const REGISTER = `# What 1.1 asks beyond 1.0.
extends: "1.0"
requirements:
  - id: task-generation
    section: "4.1.1"
    level: MUST
    binding: all
    capability: none
    side: server
    statement: A task that says its generation says it as a decimal string.
    probe: Read tasks and look at generation.
    source: proto
`

export function addGeneration(tree: string): void {
  const folder = join(tree, 'src', 'dialects', 'v1_1')
  cpSync(join(tree, 'src', 'dialects', 'v1_0'), folder, {
    recursive: true,
    filter: (file) => !file.endsWith('.test.ts'),
  })
  edit(join(folder, 'dialect.ts'), [
    ["v1_0: Dialect<'1.0'>", "v1_1: Dialect<'1.1'>"],
    ["id: '1.0'", "id: '1.1'"],
    ["versions: ['1.0']", "versions: ['1.1']"],
    ["versionHeader: '1.0'", "versionHeader: '1.1'"],
    ["cardVersion: '1.0'", "cardVersion: '1.1'"],
  ])
  edit(join(folder, 'card.ts'), [
    ["const VERSION = '1.0'", "const VERSION = '1.1'"],
    // Only cards that name the version are cards of 1.1.
    ['({ protocolVersion = VERSION })', "({ protocolVersion = '' })"],
    [
      "if (declared.length > 0) return { because: 'it lists supportedInterfaces'",
      "return isOurs ? { because: 'it lists 1.1'",
    ],
    ['isCertain: isOurs }', 'isCertain: true } : undefined'],
    [/\n {4}if \(!Array\.isArray\(card\.protocolVersions\)\).*?isCertain: true \}/s, ''],
  ])
  edit(join(folder, 'schema', 'definitions.ts'), [
    [/( {2}Task: object\(\n? *\{[^}]*\},\s*\{)/, '$1 generation: STRING, '],
  ])
  edit(join(folder, 'errors.ts'), [
    [
      "form: 'google-rpc',",
      "form: 'google-rpc',\n  declared: { StaleTask: { ...row(-32050, 412, 'ABORTED', 'STALE_TASK'), nearest: 'UnsupportedOperation' } },",
    ],
  ])
  edit(join(folder, 'expectations.ts'), [
    [
      '  errors: {',
      "  declaredErrors: { StaleTask: { code: -32050, http: same(412), reason: 'STALE_TASK' } },\n  errors: {",
    ],
  ])
  edit(join(tree, 'src', 'dialects', 'index.ts'), [
    [
      "import { v1_0 } from './v1_0/dialect.ts'\n",
      "import { v1_0 } from './v1_0/dialect.ts'\nimport { v1_1 } from './v1_1/dialect.ts'\n",
    ],
    ['DIALECTS = [', 'DIALECTS = [v1_1, '],
  ])
  writeFileSync(join(tree, 'requirements', '1.1.yaml'), REGISTER)
}
