import { describe, expect, test } from 'vitest'
import { acceptance } from './accept.ts'

describe('acceptance', () => {
  test.each<[accept: string | undefined, essence: string, quality: number | undefined]>([
    [undefined, 'application/json', 1],
    ['', 'application/json', 1],
    ['*/*', 'application/json', 1],
    ['application/*', 'application/a2a+json', 1],
    ['application/json', 'application/json', 1],
    ['application/json', 'application/a2a+json', undefined],
    ['text/event-stream', 'application/json', undefined],
    ['text/event-stream, application/json', 'application/json', 1],
    ['text/event-stream, */*;q=0.1', 'application/json', 0.1],
    ['Application/JSON; charset=utf-8 ; Q=0.5', 'application/json', 0.5],
    ['*/*, application/json;q=0', 'application/json', 0],
    ['application/json;q=0, */*', 'application/json', 0],
    ['application/json;q=0.2, application/json;profile=x', 'application/json', 1],
    ['application/json;q=often', 'application/json', 1],
    ['text/event-stream, */*;q=0', 'application/json', 0],
    ['text/plain', 'application/json', undefined],
    [',;,', 'application/json', undefined],
  ])('%s takes %s at %s', (accept, essence, quality) => {
    expect(acceptance(accept, essence)).toBe(quality)
  })
})
