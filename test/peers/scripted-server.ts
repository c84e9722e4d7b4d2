// A server that answers what the test says, for answers no correct agent would give. Keeps what it was asked.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ListeningPeer, listen } from './listen.ts'

export interface Received {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

export interface ScriptedServer extends ListeningPeer {
  received: Received[]
}

export async function startScriptedServer(
  answer: (request: Received, res: ServerResponse) => void,
): Promise<ScriptedServer> {
  const received: Received[] = []
  const peer = await listen(() => async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks).toString('utf8')
    const request = { method: req.method ?? '', path: req.url ?? '', headers: req.headers, body }
    received.push(request)
    answer(request, res)
  })
  return { ...peer, received }
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  res.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

export function sendFrames(res: ServerResponse, frames: readonly string[]): void {
  res.writeHead(200, { 'Content-Type': 'text/event-stream' })
  for (const frame of frames) res.write(`${frame}\n\n`)
}
