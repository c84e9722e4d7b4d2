import { afterEach, describe, expect, test } from 'vitest'
import { startSdk03Server } from '../../interop/js-sdk-0.3/agent.ts'
import { startSdk1Server } from '../../interop/js-sdk-1/agent.ts'
import type { ListeningPeer } from '../../test/peers/listen.ts'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { sendJson, startScriptedServer } from '../../test/peers/scripted-server.ts'
import type { Finding } from '../client/inspect-agent.ts'
import { inspectCommand } from './inspect.ts'

const peers: ListeningPeer[] = []

async function inspected(url: string): Promise<{ findings: Finding[]; observed: string[] }> {
  const { out } = await runCommand(inspectCommand, [url, '-q', '-o', 'json'])
  const { findings, interfaces } = JSON.parse(out) as {
    findings: Finding[]
    interfaces: { declared: { protocolBinding: string }; observation?: { speaks: string[] } }[]
  }
  const observed = interfaces.map(
    ({ declared, observation }) => `${declared.protocolBinding} ${observation?.speaks.join(',') ?? 'not asked'}`,
  )
  return { findings, observed }
}

async function started<T extends ListeningPeer>(starting: Promise<T>): Promise<T> {
  const peer = await starting
  peers.push(peer)
  return peer
}

afterEach(async () => {
  for (const peer of peers.splice(0)) await peer.close()
})

describe('parley inspect', () => {
  test('observes a 1.0 agent as what it declares, with nothing to complain about', async () => {
    const peer = await started(startSdk1Server())
    expect(await inspected(peer.url)).toEqual({ findings: [], observed: ['JSONRPC 1.0', 'HTTP+JSON 1.0'] })
  })

  test('observes a 0.3 agent as what it declares', async () => {
    const peer = await started(startSdk03Server())
    const { observed } = await inspected(peer.url)
    expect(observed).toEqual(['JSONRPC 0.3', 'HTTP+JSON 0.3'])
  })

  test('observes both generations of an agent that serves two', async () => {
    const peer = await started(startSdk1Server({ legacy: true }))
    const { observed } = await inspected(peer.url)
    expect(observed[0]).toBe('JSONRPC 1.0,0.3')
  })

  test('prints the card for people', async () => {
    const peer = await started(startSdk1Server())
    const { out } = await runCommand(inspectCommand, [peer.url])
    expect(out).toContain('SDK 1.3 peer\n  Does what the first word of a message says.\n')
    expect(out).toContain(`  declared 1.0, observed 1.0: JSONRPC ${peer.url}/jsonrpc\n`)
    expect(out).toContain('Findings\n  none\n')
  })

  test('points at what is wrong with a card, and at what is not true', async () => {
    const old = await started(startSdk03Server())
    const entry = { url: `${old.url}/jsonrpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
    const grpc = { url: 'localhost:50051', protocolBinding: 'GRPC', protocolVersion: '1.0' }
    const peer = await started(
      startScriptedServer((_, res) =>
        sendJson(res, 200, { name: 'Odd \u001b[1m', skills: 'many', supportedInterfaces: [entry, entry, grpc] }),
      ),
    )
    const { findings } = await inspected(peer.url)
    expect(findings).toContainEqual(expect.objectContaining({ severity: 'error', pointer: '/skills' }))
    expect(findings).toContainEqual({
      severity: 'error',
      pointer: '/supportedInterfaces/0',
      message: 'declares A2A 1.0 but speaks A2A 0.3: a request for an unknown task got MethodNotFound',
    })
    expect(findings).toContainEqual({
      severity: 'warning',
      pointer: '/supportedInterfaces/1',
      message: 'repeats /supportedInterfaces/0',
    })
  })

  test('an interface nobody listens at is a finding, not a failure', async () => {
    const peer = await started(
      startScriptedServer((_, res) => {
        const supportedInterfaces = [{ url: 'http://127.0.0.1:1/', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
        sendJson(res, 200, { name: 'Gone', supportedInterfaces })
      }),
    )
    const { findings } = await inspected(peer.url)
    expect(findings.map(({ message }) => message)).toContainEqual(expect.stringContaining('cannot be reached'))
  })

  test('a capability that is refused is a finding', async () => {
    const peer = await started(
      startScriptedServer(({ path, body }, res) => {
        if (path.endsWith('.json')) {
          const supportedInterfaces = [{ url: `${peer.url}/rpc`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
          const capabilities = { streaming: true, pushNotifications: true, extendedAgentCard: true }
          return sendJson(res, 200, {
            name: 'Boaster',
            description: 'can do everything',
            version: '1',
            defaultInputModes: ['text/plain'],
            defaultOutputModes: ['text/plain'],
            skills: [{ id: 's', name: 'S', description: 's', tags: ['t'] }],
            capabilities,
            supportedInterfaces,
          })
        }
        const { id, method } = JSON.parse(body) as { id: number; method: string }
        const code = { GetTask: -32001, SubscribeToTask: -32004, GetExtendedAgentCard: -32007 }[method] ?? -32003
        sendJson(res, 200, { jsonrpc: '2.0', id, error: { code, message: 'no' } })
      }),
    )
    const { findings } = await inspected(peer.url)
    expect(findings.map(({ pointer }) => pointer)).toEqual([
      '/capabilities/streaming',
      '/capabilities/pushNotifications',
      '/capabilities/extendedAgentCard',
    ])
  })
})
