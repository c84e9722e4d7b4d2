// Host and port of an address, as spans tell them.

import type { Facts } from './attributes.ts'

const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

export function serverFacts(url: string): Facts {
  const parsed = URL.parse(url)
  if (parsed === null || parsed.hostname === '') return {}
  const { hostname, port, protocol } = parsed
  return { serverAddress: hostname, serverPort: port === '' ? PORTS[protocol] : Number(port) }
}
