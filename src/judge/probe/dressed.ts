// What goes out with every request besides its own headers: the version, the extensions the card requires, and who we
// are. What the check sets itself wins.

import type { CallOptions } from './call-options.ts'
import { NotMeasured } from './check-failure.ts'
import { type OutgoingRequest, replaceHeaders } from './outgoing.ts'
import { flagAt, listAt, objectAt, textAt } from './raw.ts'
import type { RunContext } from './run-context.ts'
import type { Surface } from './surface.ts'

export function dressed(
  run: RunContext,
  surface: Surface,
  request: OutgoingRequest,
  {
    identity = 'first',
    headers: own = {},
    versioned,
  }: Pick<CallOptions, 'headers' | 'identity'> & { versioned: boolean },
): OutgoingRequest {
  const headers = [...request.headers]
  const version = surface.dialect.versionHeader
  if (versioned && version !== undefined) headers.push(['A2A-Version', version])
  if (versioned) headers.push(...requiredExtensions(run, surface))
  const credentials = run.credentials[identity]
  if (credentials === undefined)
    throw new NotMeasured('no second identity is known', 'the credentials of another user: --bearer-b')
  for (const [name, value] of credentials) headers.push([name, value])
  replaceHeaders(headers, own)
  // A certificate identifies the first caller like a header does.
  return { ...request, headers, ...(identity === 'first' ? {} : { withoutCertificate: true }) }
}

/** A client that can talk to the agent at all knows the extensions its card requires. */
function requiredExtensions({ agent }: RunContext, { dialect }: Surface): [string, string][] {
  const extensions = listAt(objectAt(agent.card, 'capabilities'), 'extensions') ?? []
  const uris = extensions.flatMap((entry) => (flagAt(entry, 'required') ? (textAt(entry, 'uri') ?? []) : []))
  const [name] = dialect.extensionHeaders
  return uris.length === 0 || name === undefined ? [] : [[name, uris.join(', ')]]
}
