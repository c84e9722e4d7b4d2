import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCENARIOS } from '../../src/grade/scenarios/all.ts'
import { allChecks } from '../../src/judge/checks/all.ts'
import { keysOf, readCorpus, rulingsFor } from './corpus.ts'

let corpus: string

beforeAll(async () => {
  corpus = await mkdtemp(join(tmpdir(), 'parley-corpus-'))
})
afterAll(() => rm(corpus, { recursive: true }))

const MANIFEST = `sdk: an SDK 1
language: English
agents:
  - { name: small, does: little, run: ['true'] }
  - { name: large, does: much, run: ['true'] }
`

const RULING = { on: ['1.0/rest'], deviates: 'sdk', clause: '1.0 §3', why: 'because', bytes: 'POST' }

async function withRulings(rulings: readonly object[]) {
  const folder = join(corpus, 'an-sdk')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'peer.yaml'), MANIFEST)
  await writeFile(join(folder, 'rulings.yaml'), JSON.stringify({ rulings }))
  return readCorpus(corpus)
}

test('the corpus that ships can be read, and rules only about checks there are', async () => {
  const folders = await readCorpus()
  expect(folders.length).toBeGreaterThan(3)
  const known = new Set(allChecks().map(({ id }) => id))
  const unknown = folders.flatMap(({ rulings }) => rulings.map(({ test: id }) => id)).filter((id) => !known.has(id))
  expect(unknown).toEqual([])
  const claims = new Set(SCENARIOS.flatMap((scenario) => scenario.claims.map(({ id }) => id)))
  const strange = folders.flatMap(({ clientRulings }) => clientRulings.map(({ test: id }) => id))
  expect(strange.filter((id) => !claims.has(id))).toEqual([])
})

test('a ruling is about all agents of its folder unless it names some', async () => {
  const [folder] = await withRulings([
    { ...RULING, check: 'everywhere' },
    { ...RULING, check: 'here', agents: ['small'] },
  ])
  const rulings = folder?.rulings ?? []
  expect(rulingsFor('small', rulings).flatMap(keysOf)).toEqual(['everywhere@1.0/rest', 'here@1.0/rest'])
  expect(rulingsFor('large', rulings).flatMap(keysOf)).toEqual(['everywhere@1.0/rest'])
})

test.each(['clause', 'why', 'bytes', 'deviates'])('a ruling without %s is refused', async (member) => {
  await expect(withRulings([{ ...RULING, check: 'some', [member]: '' }])).rejects.toThrow(member)
})

test('two rulings about one result are refused', async () => {
  const twice = [
    { ...RULING, check: 'some' },
    { ...RULING, check: 'some', agents: ['small'] },
  ]
  await expect(withRulings(twice)).rejects.toThrow('small: some@1.0/rest')
})

test('a ruling about an agent that is not there is refused', async () => {
  await expect(withRulings([{ ...RULING, check: 'some', agents: ['huge'] }])).rejects.toThrow('huge')
})
