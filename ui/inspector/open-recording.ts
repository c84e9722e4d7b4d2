// A recording from a file of the user: it goes to the server in pieces, so that one of hundreds of megabytes is in no
// memory whole, and can be looked into while it comes.

import { signal } from '@preact/signals'
import { post, postBytes } from './api.ts'
import { attempt, lastError } from './state.ts'

const PIECE_BYTES = 4 * 1024 * 1024
const MAX_BYTES = 1024 * 1024 * 1024

/** What is on its way, and which share of it came. */
export const incoming = signal<{ name: string; share: number } | undefined>(undefined)

/** `onOpen` hears of the recording as soon as its first piece was understood. */
export async function openRecording(file: File | undefined, onOpen: (id: string) => void): Promise<void> {
  if (file === undefined || incoming.value !== undefined) return
  if (file.size > MAX_BYTES) {
    const message = `${file.name} is larger than 1 GB; start parley ui --recording ${file.name} to show it.`
    lastError.value = { code: 'too-large', message }
    return
  }
  incoming.value = { name: file.name, share: 0 }
  await attempt(() => send(file, onOpen))
  incoming.value = undefined
}

async function send(file: File, onOpen: (id: string) => void): Promise<void> {
  const { recording } = await post<{ recording: string }>('begin-recording', { name: file.name })
  let from = 0
  do {
    await postBytes(`add-recording/${recording}`, file.slice(from, from + PIECE_BYTES))
    if (from === 0) onOpen(recording)
    from += PIECE_BYTES
    incoming.value = { name: file.name, share: Math.min(1, from / file.size) }
  } while (from < file.size)
}
