// Judges the two SDK peers with everything they can show, and keeps what they do differently from the specification.

import { type BehaviourFile, type ConformanceResult, certify, resultsOf } from '../../src/judge/index.ts'
import type { ListeningPeer } from './listen.ts'
import { startSdk03Server } from './sdk-0-3-server.ts'
import { startSdk1Server } from './sdk-1-server.ts'

/** How the keyword agent is driven. */
export const PEER_BEHAVIOURS: BehaviourFile = {
  task: { text: 'task conformance' },
  'message-only': { text: 'hello' },
  slow: { text: 'wait 1000' },
  cancelable: { text: 'slow' },
  'input-required': { text: 'ask', followUp: 'blue' },
  chunked: { text: 'stream 3' },
  fails: { text: 'fail' },
  'artifact-text': { text: 'task conformance' },
  echo: { text: 'task' },
}

export const PEERS: readonly { name: string; start(): Promise<ListeningPeer> }[] = [
  { name: '@a2a-js/sdk 1.3.0', start: () => startSdk1Server() },
  { name: '@a2a-js/sdk 0.3.14', start: startSdk03Server },
]

/**
 * A server that accepts these keeps a broken message in its history, and shows it to whichever check reads next. They
 * run last and by themselves, so that one deviation is listed once.
 */
const POISONOUS = ['send-invalid-role', 'send-missing-role']

/** The failed requirements of a peer, one result per check and generation, in the order of their ids. */
export async function deviationsOf(start: () => Promise<ListeningPeer>): Promise<ConformanceResult[]> {
  const peer = await start()
  try {
    const options = { behaviours: PEER_BEHAVIOURS, timeoutMs: 4_000 }
    const report = await certify(peer.url, { ...options, skip: POISONOUS })
    const poisoned = await certify(peer.url, { ...options, only: POISONOUS })
    return [...resultsOf(report), ...resultsOf(poisoned)]
      .filter(({ verdict }) => verdict === 'fail')
      .sort((a, b) => a.key.localeCompare(b.key))
  } finally {
    await peer.close()
  }
}
