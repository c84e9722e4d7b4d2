import { expect, test } from 'vitest'
import { Slabs } from './slabs.ts'

test('gives back every text, short or long, across the ends of slabs', () => {
  const slabs = new Slabs()
  const texts = Array.from({ length: 3_000 }, (_, n) => `${n} é 世界 😀 `.repeat(n % 400))
  const kept = texts.map((text) => slabs.keep(text))
  expect(kept.map(String)).toEqual(texts)
})
