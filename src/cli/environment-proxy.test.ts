import { expect, test } from 'vitest'
import { refuseEnvironmentProxy } from './environment-proxy.ts'

const env = { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'internal.example, .corp' }

test.each([
  ['http://localhost:9999'],
  ['http://127.0.0.1:1'],
  ['https://internal.example/x'],
  ['https://a.corp'],
  ['hello'],
])('%s is not meant for the proxy', (word) => {
  expect(() => refuseEnvironmentProxy(['send', word], env)).not.toThrow()
})

test('an address that is gets one sentence, and the way around it', () => {
  expect(() => refuseEnvironmentProxy(['send', 'https://agent.example.com'], env)).toThrow(
    'HTTPS_PROXY is set, but Parley connects to agent.example.com directly',
  )
  expect(() => refuseEnvironmentProxy(['send', 'https://agent.example.com'], {})).not.toThrow()
})
