// A database is one folder and one row: one that does not exist is added to a copy of the tree as CONTRIBUTING.md says, and
// then the command line serves on it.

import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runParley, startParley } from '../support/parley-process.ts'
import { edit, type ThrowAwayTree, throwAwayTree } from '../support/throw-away-tree.ts'

let tree: ThrowAwayTree

beforeAll(() => {
  tree = throwAwayTree((path) => {
    const backends = join(path, 'src', 'server', 'backend')
    cpSync(join(backends, 'memory'), join(backends, 'scrap'), {
      recursive: true,
      filter: (file) => !file.endsWith('.test.ts'),
    })
    edit(join(backends, 'scrap', 'backend.ts'), [['openMemoryBackend', 'openScrapBackend']])
    edit(join(backends, 'open.ts'), [
      [
        'BackendKind[] = [\n',
        `BackendKind[] = [
  {
    form: 'scrap:<name>',
    matches: (spec) => spec.startsWith('scrap:'),
    open: async (_spec, options) => (await import('./scrap/backend.ts')).openScrapBackend(options),
  },
`,
      ],
    ])
  })
})

afterAll(() => tree.remove())

test('it touches the files that CONTRIBUTING.md lists, and no others', () => {
  const text = readFileSync(join(import.meta.dirname, '..', '..', 'CONTRIBUTING.md'), 'utf8')
  const section = /## Add a database\n(.*?)\n## /s.exec(text)?.[1] ?? ''
  const listed = [...section.matchAll(/^- `(src[^`]+)`/gm)].map(([, path = '']) => path.replace('<name>', 'scrap'))
  const touched = new Set(tree.touched.map((file) => listed.find((path) => file.startsWith(path)) ?? file))
  expect([...touched].sort()).toEqual(listed.sort())
  expect(listed).toHaveLength(2)
})

test('a server keeps its tasks in it, and says how it is written', async () => {
  const options = { entry: tree.entry, cwd: tree.path }
  const server = await startParley(['serve', '--store', 'scrap:heap', '--retain', '1h'], options)
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'task-lifecycle' }] }
  const ask = async (method: string, params: unknown) => {
    const response = await fetch(`${server.url}/spec`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    return (await response.json()) as { result: { totalSize?: number } }
  }
  await ask('SendMessage', { message })
  expect((await ask('ListTasks', {})).result.totalSize).toBe(1)
  await server.stop()
  const refused = await runParley(['serve', '--store', 'scrp:heap'], options)
  expect(refused.stderr).toContain('Did you mean scrap:<name>?')
})
