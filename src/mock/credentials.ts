// Who may talk to the mock: the credentials its script asks for, and refusals a test orders for the next requests.

import type { AgentCard } from '../model/card.ts'
import { A2AError } from '../model/errors.ts'
import { ANONYMOUS } from '../model/scope.ts'
import type { AuthRequest } from '../server/auth/credentials.ts'
import type { RequiredCredential } from './script/script.ts'

/** One subject for all: a client that renews its token keeps its tasks. */
const CLIENT = 'mock-client'

const ANYBODY = { subject: ANONYMOUS }
const KNOWN = { subject: CLIENT }

export class CredentialCheck {
  readonly #accepted: readonly RequiredCredential[]
  #refusals = 0

  constructor(accepted: readonly RequiredCredential[]) {
    this.#accepted = accepted
  }

  /** Refuses the next requests whatever they carry. */
  refuseNext(times: number): void {
    this.#refusals += times
  }

  authenticate(request: AuthRequest): { subject: string } | A2AError {
    if (this.#refusals > 0) {
      this.#refusals--
      return this.#refusal('The mock was told to refuse this request.')
    }
    if (this.#accepted.length === 0) return ANYBODY
    if (this.#accepted.some((credential) => isPresent(request, credential))) return KNOWN
    return this.#refusal('Authentication is required.')
  }

  #refusal(message: string): A2AError {
    const challenges = this.#accepted.map((credential) =>
      credential.is === 'bearer'
        ? 'Bearer realm="parley"'
        : `ApiKey realm="parley", in="header", name="${credential.header}"`,
    )
    return new A2AError('Unauthenticated', message, { challenge: challenges.join(', ') || 'Bearer realm="parley"' })
  }
}

/** What the card says about it. */
export function cardSecurity(
  accepted: readonly RequiredCredential[],
): Pick<AgentCard, 'securitySchemes' | 'securityRequirements'> {
  if (accepted.length === 0) return {}
  const schemes: NonNullable<AgentCard['securitySchemes']> = {}
  for (const credential of accepted) {
    if (credential.is === 'bearer') schemes.bearer = { httpAuthSecurityScheme: { scheme: 'Bearer' } }
    else schemes.apiKey = { apiKeySecurityScheme: { location: 'header', name: credential.header } }
  }
  return {
    securitySchemes: schemes,
    securityRequirements: Object.keys(schemes).map((name) => ({ schemes: { [name]: { list: [] } } })),
  }
}

function isPresent({ headers }: AuthRequest, credential: RequiredCredential): boolean {
  if (credential.is === 'api-key') {
    const given = headers[credential.header.toLowerCase()]
    return typeof given === 'string' && given !== '' && (credential.value === undefined || given === credential.value)
  }
  const token = /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
  return token !== undefined && (credential.token === undefined || token === credential.token)
}
