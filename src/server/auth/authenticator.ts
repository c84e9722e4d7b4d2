// Decides who the caller is. Every configured scheme is tried; a refusal is an A2AError to be sent, the same one for an
// unknown caller and for a wrong secret.

import { A2AError } from '../../model/errors.ts'
import type { ApiKeyConfig, AuthConfig, Caller } from './auth-config.ts'
import { type AuthRequest, apiKeyIn, bearerToken, certificateIn } from './credentials.ts'
import { FailureLimiter } from './failure-limiter.ts'
import { isSameDigest, secretDigest } from './secret-digest.ts'
import { TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts'

export type AuthOutcome = { ok: true; caller: Caller } | { ok: false; error: A2AError }

export interface AuthenticatorOptions extends TokenVerifierOptions {
  readonly maxFailuresPerMinute?: number
}

interface KnownSecret {
  readonly digest: Buffer
  readonly caller: Caller
}

interface KnownKeys {
  readonly location: ApiKeyConfig['location']
  readonly name: string
  readonly secrets: KnownSecret[]
}

const REALM = 'realm="parley"'
const UNAVAILABLE_RETRY_SECONDS = 30

export class Authenticator {
  readonly configs: readonly AuthConfig[]
  readonly #tokens: KnownSecret[] = []
  readonly #keys: KnownKeys[] = []
  readonly #verifiers: TokenVerifier[] = []
  readonly #acceptsCertificates: boolean
  readonly #limiter: FailureLimiter
  readonly #now: () => number

  constructor(configs: readonly AuthConfig[], options: AuthenticatorOptions) {
    this.configs = configs
    this.#now = options.now ?? Date.now
    this.#limiter = new FailureLimiter(options.now, options.maxFailuresPerMinute)
    this.#acceptsCertificates = configs.some(({ kind }) => kind === 'mtls')
    for (const config of configs) {
      if (config.kind === 'bearer') this.#tokens.push(knownSecret(config.token, config.subject))
      else if (config.kind === 'api-key') this.#addKey(config)
      else if (config.kind !== 'mtls') this.#verifiers.push(new TokenVerifier(config, options))
    }
  }

  /** Rejects with a ParleyError when an issuer's keys cannot be read. */
  async ready(): Promise<void> {
    await Promise.all(this.#verifiers.map((verifier) => verifier.ready()))
  }

  async authenticate(request: AuthRequest): Promise<AuthOutcome> {
    const shown = this.#acceptsCertificates ? certificateIn(request) : undefined
    // A connection may outlive the certificate it was opened with.
    if (shown?.isVerified && shown.expiresAtMs > this.#now())
      return { ok: true, caller: callerNamed(`certificate ${shown.name}`, shown.expiresAtMs) }
    const presented = this.#presented(request)
    if (presented === undefined) {
      const message = shown === undefined ? 'Authentication is required.' : 'The credentials were not accepted.'
      return { ok: false, error: this.#unauthenticated(message, false) }
    }
    const address = request.socket.remoteAddress ?? ''
    const credential = presented.secret === '' ? '' : secretDigest(presented.secret).toString('base64')
    const waitSeconds = this.#limiter.blockedForSeconds(address, credential)
    if (waitSeconds !== undefined) {
      const options = { retryAfterSeconds: waitSeconds, httpStatus: 429 }
      return {
        ok: false,
        error: new A2AError('ResourceExhausted', 'Too many failed attempts; try again later.', options),
      }
    }
    const outcome = await presented.verify()
    if (outcome.ok) this.#limiter.succeeded(credential)
    else if (outcome.error.kind === 'Unauthenticated') this.#limiter.failed(address, credential)
    return outcome
  }

  /** The credential of the request and how to check it; undefined when it carries none we know of. */
  #presented(request: AuthRequest): { secret: string; verify(): Promise<AuthOutcome> } | undefined {
    for (const { location, name, secrets } of this.#keys) {
      const secret = apiKeyIn(request, location, name)
      if (secret !== undefined) return { secret, verify: async () => this.#checkSecret(secrets, secret) }
    }
    const token = bearerToken(request)
    if (token === undefined) return undefined
    return { secret: token, verify: () => this.#checkToken(token) }
  }

  #checkSecret(known: readonly KnownSecret[], secret: string): AuthOutcome {
    const digest = secretDigest(secret)
    let caller: Caller | undefined
    // No early exit: the time must not tell how many secrets were compared.
    for (const each of known) if (isSameDigest(each.digest, digest)) caller = each.caller
    return caller === undefined ? this.#refused() : { ok: true, caller }
  }

  async #checkToken(token: string): Promise<AuthOutcome> {
    const known = this.#checkSecret(this.#tokens, token)
    if (known.ok) return known
    let outcome = known
    for (const verifier of this.#verifiers) {
      const verdict = await verifier.verify(token)
      if (verdict.ok) return verdict
      if (verdict.reason === 'insufficient-scope')
        return { ok: false, error: insufficientScope(verifier.config.scopes) }
      if (verdict.reason === 'unavailable') outcome = { ok: false, error: keysUnavailable() }
    }
    return outcome
  }

  #refused(): AuthOutcome {
    return { ok: false, error: this.#unauthenticated('The credentials were not accepted.', true) }
  }

  #unauthenticated(message: string, isInvalid: boolean): A2AError {
    return new A2AError('Unauthenticated', message, { challenge: this.#challenge(isInvalid) })
  }

  /** RFC 9110 §11.6.1 and RFC 6750 §3: one challenge for each way in. */
  #challenge(isInvalid: boolean): string {
    const challenges = this.#keys.map(({ location, name }) => `ApiKey ${REALM}, in="${location}", name="${name}"`)
    if (this.#tokens.length > 0 || this.#verifiers.length > 0) {
      challenges.unshift(isInvalid ? `Bearer ${REALM}, error="invalid_token"` : `Bearer ${REALM}`)
    }
    if (this.#acceptsCertificates) challenges.push(`Mutual ${REALM}`)
    return challenges.join(', ')
  }

  #addKey({ location, name, key, subject }: ApiKeyConfig): void {
    const known = this.#keys.find((each) => each.location === location && each.name === name)
    if (known !== undefined) known.secrets.push(knownSecret(key, subject))
    else this.#keys.push({ location, name, secrets: [knownSecret(key, subject)] })
  }
}

function knownSecret(secret: string, subject: string): KnownSecret {
  return { digest: secretDigest(secret), caller: callerNamed(subject) }
}

function callerNamed(subject: string, expiresAtMs?: number): Caller {
  return { subject, tenant: undefined, scopes: [], expiresAtMs }
}

function insufficientScope(scopes: readonly string[]): A2AError {
  return new A2AError('PermissionDenied', 'The credentials lack a required scope.', {
    challenge: `Bearer ${REALM}, error="insufficient_scope", scope="${scopes.join(' ')}"`,
  })
}

function keysUnavailable(): A2AError {
  return new A2AError('Unavailable', 'Credentials cannot be checked at the moment.', {
    retryAfterSeconds: UNAVAILABLE_RETRY_SECONDS,
  })
}
