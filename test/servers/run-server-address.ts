// Where a server of the whole run is; it is started when the first file asks.

import { inject } from 'vitest'

export async function addressOf(server: 'postgres' | 'redis' | 'chromium'): Promise<string> {
  const answer = await fetch(`${inject('runServersUrl')}/${server}`)
  const text = await answer.text()
  if (!answer.ok) throw new Error(text)
  return text
}
