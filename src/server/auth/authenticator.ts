// Decides who the caller is. Every configured scheme is tried; a refusal is an A2AError to be sent, the same one for an
// unknown caller and for a wrong secret. What cannot be guessed (a certificate, a signature) is verified before anything
// is counted, so that one caller's failures do not lock others out; what can be guessed (tokens, keys) is counted first.

import { A2AError } from '../../model/errors.ts'
import { addressBlock } from '../../net/guard/classify-address.ts'
import type { ApiKeyConfig, AuthConfig, Caller } from './auth-config.ts'
import { type AuthRequest, apiKeyIn, bearerToken, certificateIn } from './credentials.ts'
import { FailureLimiter } from './failure-limiter.ts'
import { isSameDigest, secretDigest } from './secret-digest.ts'
import { looksSigned, TokenVerifier, type TokenVerifierOptions } from './token-verifier.ts'
import { VerificationBudget } from './verification-budget.ts'

export type AuthOutcome = { ok: true; caller: Caller } | { ok: false; error: A2AError }

export interface AuthenticatorOptions extends TokenVerifierOptions {
  readonly maxFailuresPerMinute?: number
  /** The address a request is counted under; that of the connection unless given. Without one, only credentials count. */
  readonly addressOf?: (request: AuthRequest) => string | undefined
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

interface Presented {
  readonly secret: string
  readonly known: readonly KnownSecret[]
  readonly isBearer: boolean
}

const BUDGET_RETRY_SECONDS = 1
const REALM = 'realm="parley"'
const UNAVAILABLE_RETRY_SECONDS = 30

export class Authenticator {
  readonly configs: readonly AuthConfig[]
  readonly #tokens: KnownSecret[] = []
  readonly #keys: KnownKeys[] = []
  readonly #verifiers: TokenVerifier[] = []
  readonly #acceptsCertificates: boolean
  /** Whether one of the static tokens has the form of a signed one. */
  #hasSignedSecrets = false
  readonly #limiter: FailureLimiter
  readonly #budget: VerificationBudget
  readonly #addressOf: (request: AuthRequest) => string | undefined
  readonly #now: () => number

  constructor(configs: readonly AuthConfig[], options: AuthenticatorOptions) {
    this.configs = configs
    this.#now = options.now ?? Date.now
    this.#limiter = new FailureLimiter(options.now, options.maxFailuresPerMinute)
    this.#budget = new VerificationBudget(options.now)
    const { addressOf = ({ peer }: AuthRequest) => peer?.address } = options
    this.#addressOf = (request) => {
      const address = addressOf(request)
      return address === undefined ? undefined : addressBlock(address)
    }
    this.#acceptsCertificates = configs.some(({ kind }) => kind === 'mtls')
    for (const config of configs) {
      if (config.kind === 'bearer') {
        this.#tokens.push(knownSecret(config.token, config.subject))
        this.#hasSignedSecrets ||= looksSigned(config.token)
      } else if (config.kind === 'api-key') this.#addKey(config)
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
    const address = this.#addressOf(request)
    const signed = await this.#checkSigned(presented, address)
    // A signature cannot be guessed; only what may also be one of our secrets goes on to be counted.
    if (signed !== undefined && (signed.ok || !this.#hasSignedSecrets)) return signed
    const credential = presented.secret === '' ? '' : secretDigest(presented.secret).toString('base64')
    const waitSeconds = this.#limiter.blockedForSeconds(address, credential)
    if (waitSeconds !== undefined) return tooMany(waitSeconds)
    const outcome = this.#checkSecret(presented.known, presented.secret)
    if (outcome.ok) this.#limiter.succeeded(credential)
    else this.#limiter.failed(address, credential)
    return outcome.ok ? outcome : (signed ?? outcome)
  }

  /** The credential of the request and what it is compared with; undefined when it carries none we know of. */
  #presented(request: AuthRequest): Presented | undefined {
    for (const { location, name, secrets } of this.#keys) {
      const secret = apiKeyIn(request, location, name)
      if (secret !== undefined) return { secret, known: secrets, isBearer: false }
    }
    const token = bearerToken(request)
    return token === undefined ? undefined : { secret: token, known: this.#tokens, isBearer: true }
  }

  /** Undefined when it is no signed token, or no issuer is configured. */
  async #checkSigned({ secret, isBearer }: Presented, address: string | undefined): Promise<AuthOutcome | undefined> {
    if (!isBearer || this.#verifiers.length === 0 || !looksSigned(secret)) return undefined
    const credential = secretDigest(secret).toString('base64')
    // Who was let in before is let in during a flood, too.
    if (!this.#budget.allows(address) && !this.#limiter.isProven(credential)) return tooMany(BUDGET_RETRY_SECONDS)
    let outcome = this.#refused()
    for (const verifier of this.#verifiers) {
      const verdict = await verifier.verify(secret)
      if (verdict.ok) {
        this.#limiter.succeeded(credential)
        return verdict
      }
      if (verdict.reason === 'insufficient-scope')
        return { ok: false, error: insufficientScope(verifier.config.scopes) }
      if (verdict.reason === 'unavailable') outcome = { ok: false, error: keysUnavailable() }
    }
    if (!outcome.ok && outcome.error.kind === 'Unauthenticated') this.#budget.spent(address)
    return outcome
  }

  #checkSecret(known: readonly KnownSecret[], secret: string): AuthOutcome {
    const digest = secretDigest(secret)
    let caller: Caller | undefined
    // No early exit: the time must not tell how many secrets were compared.
    for (const each of known) if (isSameDigest(each.digest, digest)) caller = each.caller
    return caller === undefined ? this.#refused() : { ok: true, caller }
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

function tooMany(retryAfterSeconds: number): AuthOutcome {
  const options = { retryAfterSeconds, httpStatus: 429 }
  return { ok: false, error: new A2AError('ResourceExhausted', 'Too many failed attempts; try again later.', options) }
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
