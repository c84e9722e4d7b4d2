import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { CORPUS, type Folder, readCorpus } from './corpus.ts'
import { renderDeviations } from './deviations.ts'

test('docs/known-deviations.md is what the rulings say; write it with npm run interop:document', async () => {
  const written = await readFile(join(CORPUS, '..', 'docs', 'known-deviations.md'), 'utf8')
  expect(written).toBe(renderDeviations(await readCorpus()))
})

test('a ruling shows its clause, where it was seen, who deviates, why, and the bytes', () => {
  const agents = [{ name: 'small', does: 'little', run: ['true'] }]
  const folder: Folder = {
    name: 'an-sdk',
    path: '/',
    manifest: { sdk: 'an SDK 1', language: 'English', agents },
    rulings: [
      {
        test: 'some-check',
        on: ['1.0/rest'],
        peers: ['small'],
        deviates: 'sdk',
        clause: '1.0 §3.1',
        why: 'it forgets',
        bytes: 'GET /tasks\n\nHTTP 500\n',
      },
    ],
    clientRulings: [],
  }
  const text = renderDeviations([folder])
  expect(text).toContain('| `an-sdk` | an SDK 1 | English | 1 |  |')
  expect(text).toContain('### some-check\n\nA2A 1.0 §3.1 (1.0/rest; small). SDK: it forgets\n')
  expect(text).toContain('```http\nGET /tasks\n\nHTTP 500\n```')
})
