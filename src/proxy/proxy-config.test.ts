import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseGenerations, parseProxyConfig } from './proxy-config.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

describe('proxy.yaml', () => {
  test('says everything a proxy can be told', () => {
    vi.stubEnv('AGENT_SECRET', 's3cret')
    const config = parseProxyConfig(`
agents:
  - name: reports
    url: http://127.0.0.1:9001
    endpoint: http://127.0.0.1:9002/rpc
    speaks: [0.3]
    aliases: [quarterly]
    card: { name: Reports, description: Writes reports. }
    auth: { oauth2: { tokenUrl: http://127.0.0.1:9003/token, clientId: me, clientSecret: "\${AGENT_SECRET}", scope: a } }
    timeouts: { idle: 30s, total: 5m }
    cancelOnDisconnect: true
    askAfterCut: true
  - { url: localhost:9004, auth: { apiKey: k3y } }
listen: { port: 8081, host: 127.0.0.1 }
publicUrl: https://proxy.example.com
callers: ["bearer:t0k3n=alice"]
artifacts: { store: ./files, app: desk, firstVersion: 0 }
translate: [0.3, 1.0]
record: traffic.jsonl
faults: [{ do: hang, count: 1 }]
`)
    expect(config).toMatchObject({
      agents: [
        {
          name: 'reports',
          speaks: ['0.3'],
          auth: { is: 'oauth2', clientId: 'me', clientSecret: 's3cret' },
          idleTimeoutMs: 30_000,
          totalTimeoutMs: 300_000,
          askAfterCut: true,
        },
        { name: 'agent-2', url: 'localhost:9004', auth: { is: 'api-key', key: 'k3y', header: 'X-API-Key' } },
      ],
      port: 8081,
      artifacts: './files',
      app: 'desk',
      firstVersion: 0,
      translate: ['0.3', '1.0'],
      faults: [{ action: { name: 'hang' } }],
    })
  })

  test.each([
    [
      'an unknown key',
      'agents: [{ url: a }]\ntranslte: true',
      /proxy\.yaml:2:1: unknown key 'translte'.*did you mean 'translate'/,
    ],
    ['no agent', 'agents: []', /must have at least 1 entry/],
    ['an agent without a place', 'agents: [{ name: a }]', /needs the key 'url'/],
    [
      'two ways to authenticate',
      'agents: [{ url: a, auth: { bearer: x, apiKey: y } }]',
      /has both 'bearer' and 'apiKey'/,
    ],
    [
      'a secret that is not set',
      `agents: [{ url: a, auth: { bearer: "\${NO_SUCH_NAME}" } }]`,
      /NO_SUCH_NAME, which is not set/,
    ],
    ['a generation nobody speaks', 'agents: [{ url: a }]\ntranslate: [2.0]', /proxy\.yaml:2/],
    [
      'two answers to who is calling',
      'agents: [{ url: a }]\ncallers: ["bearer:x"]\nidentityHeader: X-User',
      /keep one/,
    ],
    ['a duration without a unit', 'agents: [{ url: a, timeouts: { idle: 30 } }]', /timeouts\.idle must be text/],
  ])('is refused for %s, with the line', (_, text, message) => {
    expect(() => parseProxyConfig(text)).toThrow(message)
  })
})

test('--translate names generations, or means all', () => {
  expect(parseGenerations(true)).toEqual(['1.0', '0.3', '0.1'])
  expect(parseGenerations('0.3, 1.0')).toEqual(['0.3', '1.0'])
  expect(() => parseGenerations('2.0')).toThrow('--translate takes protocol versions among 1.0, 0.3, 0.1, not "2.0".')
})
