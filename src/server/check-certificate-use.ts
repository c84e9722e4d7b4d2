// Asking clients for certificates and looking at them are configured in two places; a server with only one of them is
// refused at start, because it would let in nobody, or everybody.

import { EXIT, ParleyError } from '../model/errors.ts'
import type { MountOptions } from './mount-options.ts'

type Mount = Pick<MountOptions, 'path' | 'auth' | 'authenticate'>

export function checkCertificateUse(agents: readonly Mount[], isAsking: boolean): void {
  const looking = agents.find(({ auth = [] }) => auth.some(({ kind }) => kind === 'mtls'))
  if (looking !== undefined && !isAsking) {
    throw disagree(
      `The agent at ${looking.path ?? '/'} accepts client certificates (mtls), but the server does not request one.`,
      'Name the authorities of the clients in tls.ca.',
    )
  }
  // Agents that are mounted later look after themselves.
  if (agents.length === 0) return
  if (isAsking && looking === undefined && agents.every(({ authenticate }) => authenticate === undefined)) {
    throw disagree(
      'The server asks clients for certificates, but no agent checks them, so every client would be accepted.',
      "Add auth: [{ kind: 'mtls' }] to an agent, or leave out tls.ca.",
    )
  }
}

function disagree(message: string, hint: string): ParleyError {
  return new ParleyError('mtls-incomplete', message, { exitCode: EXIT.usage, hint })
}
