// The work every server of the benchmark is given, as JSON-RPC bodies, and what a right answer contains, so that a fast
// wrong server does not win.

export interface Work {
  name: string
  body: string
  /** Part of every right answer, the last event included. */
  marker: string
  /** Least number of events in the answer of a stream. */
  frames?: number
}

export const CHUNKS = [20, 200] as const

export function sendMessage(): Work {
  return { name: 'send -> Message', body: rpc('SendMessage', message('hello')), marker: 'Echo: hello' }
}

export function sendTask(): Work {
  return { name: 'send -> Task', body: rpc('SendMessage', message('task hello')), marker: 'TASK_STATE_COMPLETED' }
}

export function getTask(id: string): Work {
  return { name: 'GetTask', body: rpc('GetTask', { id }), marker: 'TASK_STATE_COMPLETED' }
}

export function listTasks(): Work {
  return { name: 'ListTasks', body: rpc('ListTasks', { pageSize: 50 }), marker: '"nextPageToken":"' }
}

export function streamChunks(chunks: number): Work {
  return {
    name: `stream ${chunks} chunks`,
    body: rpc('SendStreamingMessage', message(`stream ${chunks}`)),
    marker: 'TASK_STATE_COMPLETED',
    frames: streamedEvents(chunks),
  }
}

/** Submitted, working, an artifact in two chunks, completed: as one answer, and as a stream. */
export function twoChunks(isStream: boolean): Work {
  const method = isStream ? 'SendStreamingMessage' : 'SendMessage'
  const work = { name: isStream ? 'stream' : 'send -> Task', body: rpc(method, message('stream 2')) }
  return { ...work, marker: 'TASK_STATE_COMPLETED', ...(isStream ? { frames: streamedEvents(2) - 1 } : {}) }
}

/** The task, WORKING, the chunks, COMPLETED. */
export function streamedEvents(chunks: number): number {
  return chunks + 3
}

/** A task with one large artifact. */
export function sendLarge(bytes: number): Work {
  const name = `send -> Task of ${bytes / 1024} kB`
  return { name, body: rpc('SendMessage', message(`large ${bytes}`)), marker: 'TASK_STATE_COMPLETED' }
}

/** A stream whose chunks say when they were said. */
export function pacedStream(chunks: number): Work {
  const name = 'paced stream'
  return { name, body: rpc('SendStreamingMessage', message(`paced ${chunks}`)), marker: 'TASK_STATE_COMPLETED' }
}

/** A task that waits until the server is told to go on, then emits so many chunks, at once or one per turn. */
export function heldTask(chunks: number, pace: 'burst' | 'turns' = 'burst'): Work {
  const params = { ...message(`hold-${pace} ${chunks}`), configuration: { returnImmediately: true } }
  return { name: 'held task', body: rpc('SendMessage', params), marker: '"id"' }
}

export function subscribe(id: string): Work {
  return { name: 'SubscribeToTask', body: rpc('SubscribeToTask', { id }), marker: 'TASK_STATE_COMPLETED' }
}

function message(text: string) {
  return { message: { messageId: '6f1d2c7e-0000-4000-8000-000000000001', role: 'ROLE_USER', parts: [{ text }] } }
}

function rpc(method: string, params: unknown): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
}
