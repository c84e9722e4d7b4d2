// The people of the isolation tests: callers with tokens of a real issuer, and the mounts they talk to. One agent is
// reachable in every generation, so that a task made in one can be asked for in all.

import { createServer as createHttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { Authenticator } from '../../src/server/auth/authenticator.ts'
import type { Agent } from '../../src/server/engine/agent.ts'
import type { CardInput, MountOptions } from '../../src/server/mount-options.ts'

export const CANARY = 'canary-of-the-owner'

/**
 * 'live' works until it is ended, 'input' waits for an answer, 'ask' too but tells nothing, 'hold' is silent,
 * everything else completes.
 */
export const isolationAgent: Agent = async (message, ctx) => {
  const [part] = message.parts
  const text = part !== undefined && 'text' in part ? part.text : ''
  const ended = () =>
    new Promise<never>((_, reject) => {
      ctx.signal.addEventListener('abort', () => reject(ctx.signal.reason as Error), { once: true })
    })
  if (text === 'hold' && ctx.task === undefined) return ended()
  await ctx.status('TASK_STATE_WORKING')
  if (text === 'input') return ctx.requireInput(CANARY)
  if (text === 'ask') return ctx.requireInput()
  if (text === 'live') return ended()
  await ctx.artifact({ artifactId: 'result', parts: [{ text: text === 'end' ? CANARY : text }] })
  await ctx.complete()
}

const CARD: CardInput = {
  name: 'Isolation',
  description: 'Keeps callers apart.',
  version: '1.0.0',
  capabilities: { streaming: true, pushNotifications: true },
  defaultInputModes: ['text/plain'],
  defaultOutputModes: ['text/plain'],
  skills: [{ id: 'tasks', name: 'Tasks', description: 'Makes tasks.', tags: ['test'] }],
}

export interface Callers {
  /** A token for this subject and tenant; expired when the time to live is negative. */
  token(subject: string, tenant: string, secondsToLive?: number): Promise<string>
  mounts(): MountOptions[]
  close(): void
}

export async function openCallers(): Promise<Callers> {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'ES256' }] })
  const issuer = createHttpServer((_req, res) => void res.end(keys))
  await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
  const jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/keys`
  const rules = { kind: 'jwt', issuer: 'iso', audience: 'parley', algorithms: ['ES256'], scopes: [] } as const
  const authenticator = new Authenticator([{ ...rules, jwksUrl, tenantClaim: 'org' }], {
    guard: { allowPrivateNetworks: true },
    // The matrix fails to authenticate a thousand times in a few seconds; the limiter has tests of its own.
    maxFailuresPerMinute: Number.MAX_SAFE_INTEGER,
  })
  await authenticator.ready()
  const authenticate: NonNullable<MountOptions['authenticate']> = async (req) => {
    const outcome = await authenticator.authenticate(req)
    return outcome.ok ? outcome.caller : outcome.error
  }
  return {
    token: (subject, tenant, secondsToLive = 3_600) =>
      new SignJWT({ org: tenant })
        .setProtectedHeader({ alg: 'ES256', kid: 'k' })
        .setIssuer('iso')
        .setAudience('parley')
        .setSubject(subject)
        .setExpirationTime(Math.floor(Date.now() / 1000) + secondsToLive)
        .sign(privateKey),
    mounts() {
      const shared = { name: 'isolation', agent: isolationAgent, card: CARD, authenticate }
      return [
        { ...shared, path: '/iso', dialects: ['1.0', '0.3'] },
        { ...shared, path: '/iso-legacy', dialects: ['0.1'] },
      ]
    },
    close: () => void issuer.close(),
  }
}
