import { describe, expect, test } from 'vitest'
import { ParleyError } from '../model/errors.ts'
import { resolveTarget } from './target.ts'

function urls(target: string, hasCredentials = false): string[] {
  const resolved = resolveTarget(target, { hasCredentials })
  return resolved.kind === 'file' ? [resolved.path] : resolved.origins.flatMap((place) => place.urls)
}

describe('resolveTarget', () => {
  test('a loopback host needs no scheme', () => {
    expect(urls('localhost:9999')).toEqual([
      'http://localhost:9999/.well-known/agent-card.json',
      'http://localhost:9999/.well-known/agent.json',
      'http://localhost:9999/',
    ])
  })

  test.each(['127.0.0.1:1', '10.0.0.8', '192.168.1.4:80', '172.20.0.2', '[::1]:8080', 'agent:8080'])(
    'looks for %s over plain http only',
    (target) => {
      expect(urls(target).every((url) => url.startsWith('http://'))).toBe(true)
    },
  )

  test('a public host is tried with https first, then http', () => {
    const tried = urls('agent.example.com')
    expect(tried[0]).toBe('https://agent.example.com/.well-known/agent-card.json')
    expect(tried.at(-1)).toBe('http://agent.example.com/')
  })

  test('credentials are not offered to a public host in the clear', () => {
    expect(urls('agent.example.com', true).some((url) => url.startsWith('http://'))).toBe(false)
  })

  test('a URL with a path is tried below the path before the root', () => {
    expect(urls('https://a.example/agents/blue/')).toEqual([
      'https://a.example/agents/blue/.well-known/agent-card.json',
      'https://a.example/agents/blue/.well-known/agent.json',
      'https://a.example/.well-known/agent-card.json',
      'https://a.example/.well-known/agent.json',
      'https://a.example/agents/blue/',
    ])
  })

  test('a card URL is taken as it is', () => {
    expect(urls('http://a.example/cards/blue.json')).toEqual(['http://a.example/cards/blue.json'])
  })

  test('an existing file is a file', () => {
    expect(resolveTarget('package.json', { hasCredentials: false })).toEqual({ kind: 'file', path: 'package.json' })
  })

  test.each(['', 'ftp://a.example', 'missing-card.json', 'http://'])('refuses %j with a sentence', (target) => {
    expect(() => urls(target)).toThrow(ParleyError)
  })

  test.each(['/nonexistent/card.json', './nofile.json', '../x', '~/card.json', 'C:\\agents\\card.json', '/dev/null'])(
    'takes the path %j of no file for a path, not for a host',
    (target) => {
      expect(() => urls(target)).toThrow(`There is no card file ${target}.`)
    },
  )

  test('says that a folder is one', () => {
    expect(() => urls('./src')).toThrow('./src is a folder.')
  })

  test('refuses a password in the URL without repeating it', () => {
    expect(() => urls('https://me:hunter2@a.example')).toThrow(/^(?!.*hunter2).*user name or password/)
  })
})
