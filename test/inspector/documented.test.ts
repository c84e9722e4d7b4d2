// docs/inspector.md lists the requests of the page; it is the same list.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { ROUTES } from '../../src/inspector/routes.ts'

test('the guide lists every request, and none that is not there', () => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'inspector.md'), 'utf8')
  const api = guide.slice(guide.indexOf('## Its API'))
  const [reads = '', writes = ''] = api.slice(api.indexOf('Reads are')).split('Everything')
  const named = (text: string, method: string) =>
    [...text.matchAll(/`([a-z]+(?:-[a-z]+)*)[^`]*`/g)].flatMap(([, name]) => {
      const key = `${method} ${name}`
      return ROUTES.has(key) || !OTHER_WORDS.has(name ?? '') ? [key] : []
    })
  const listed = new Set([...named(reads, 'GET'), ...named(writes, 'POST')])
  expect([...listed].sort()).toEqual([...ROUTES.keys()].sort())
})

/** Words of the text in the same type. */
const OTHER_WORDS = new Set(['parley', 'application'])
