import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextIndex } from './text-index.ts'

interface Item {
  text: string
  version: number
}

const HASHES: Readonly<Record<string, ((text: string) => number) | undefined>> = {
  'its own hash': undefined,
  'a hash that is the same for all': () => 7,
  'a hash of few values, some negative': (text) => (text.length % 2 === 0 ? -text.charCodeAt(0) : 0),
}

describe.each(Object.entries(HASHES))('with %s', (_, hash) => {
  test('agrees with a Map after any changes', () => {
    const text = fc.integer({ min: 0, max: 80 }).map((n) => `text ${n}`)
    const change = fc.record({ do: fc.constantFrom('put', 'put', 'delete'), text })
    const check = fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
      const index = new TextIndex<Item>((item) => item.text, hash)
      const model = new Map<string, Item>()
      changes.forEach((each, version) => {
        const item = { text: each.text, version }
        if (each.do === 'delete') {
          index.delete(each.text)
          model.delete(each.text)
        } else {
          const known = model.get(each.text)
          expect(index.add(item)).toBe(known)
          if (known !== undefined) index.replace(item)
          model.set(each.text, item)
        }
        expect(index.size).toBe(model.size)
      })
      for (let n = 0; n <= 80; n++) expect(index.get(`text ${n}`)).toBe(model.get(`text ${n}`))
    })
    fc.assert(check)
  })
})

test('finds each of very many, and nothing else, also after most have gone', () => {
  const index = new TextIndex<Item>(({ text }) => text)
  for (let n = 0; n < 100_000; n++) index.add({ text: `task ${n}`, version: n })
  expect(index.size).toBe(100_000)
  for (let n = 0; n < 90_000; n++) index.delete(`task ${n}`)
  for (let n = 0; n < 100_000; n += 7) expect(index.get(`task ${n}`)?.version).toBe(n < 90_000 ? undefined : n)
  for (let n = 0; n < 90_000; n++) index.add({ text: `task ${n}`, version: n + 1 })
  for (let n = 0; n < 100_000; n += 7) expect(index.get(`task ${n}`)?.version).toBe(n < 90_000 ? n + 1 : n)
})

test('of texts that all have the same hash only a few are compared', () => {
  let looks = 0
  const textOf = ({ text }: Item) => {
    looks++
    return text
  }
  const index = new TextIndex<Item>(textOf, () => 1)
  for (let n = 0; n < 5_000; n++) index.add({ text: `${n}`, version: n })
  looks = 0
  expect(index.get('4999')?.version).toBe(4999)
  expect(looks).toBeLessThanOrEqual(32)
})
