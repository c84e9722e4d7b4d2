// The smallest 1.0 agent over JSON-RPC that can be judged, with places to make it wrong.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ListeningPeer, listen } from '../peers/listen.ts'

export interface TinyTask {
  id: string
  contextId: string
  status: { state: string; timestamp: string }
  artifacts: { artifactId: string; parts: unknown[] }[]
  history: unknown[]
}

export interface TinyAgent {
  name?: string
  /** The words of the artifact. */
  words?(text: string): string
  newId?(): string
  /** A JSON-RPC error instead of a task, for these parts. */
  refuse?(parts: readonly Record<string, unknown>[]): { code: number; message: string } | undefined
  /** Answers instead of everything below; true when it did. */
  intercept?(request: IncomingMessage, response: ServerResponse, body: string): boolean
  /** Changes the card. */
  card?(card: Record<string, unknown>): unknown
  /** Of which tasks are known; its own when absent. */
  tasks?: Map<string, TinyTask>
}

export function startTinyAgent(agent: TinyAgent = {}): Promise<ListeningPeer> {
  const { tasks = new Map<string, TinyTask>(), newId = () => crypto.randomUUID() } = agent
  return listen((url) => async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk as Buffer))
    const body = Buffer.concat(chunks).toString('utf8')
    if (agent.intercept?.(request, response, body) === true) return
    if (request.method === 'GET') {
      const isCard = request.url === '/.well-known/agent-card.json'
      const card = cardOf(url, agent.name ?? 'Tiny agent')
      if (isCard) send(response, agent.card === undefined ? card : agent.card(card))
      else response.writeHead(404).end()
      return
    }
    const call = parse(body)
    const answer = (rest: object) => send(response, { jsonrpc: '2.0', id: call.id, ...rest })
    const task = tasks.get(call.params?.id ?? '')
    if (call.method === 'SendMessage') {
      const { message } = call.params ?? {}
      if (!Array.isArray(message?.parts)) return answer({ error: { code: -32602, message: 'no parts' } })
      const refusal = agent.refuse?.(message.parts)
      if (refusal !== undefined) return answer({ error: refusal })
      const text = message.parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('')
      const made = taskOf(newId(), agent.words?.(text) ?? `You said ${text}`, message)
      tasks.set(made.id, made)
      answer({ result: { task: made } })
    } else if (call.method === 'GetTask' && task !== undefined) answer({ result: task })
    else if (call.method === 'GetTask') answer({ error: { code: -32001, message: 'no such task' } })
    else answer({ error: { code: -32601, message: 'no such method' } })
  })
}

interface Call {
  id?: unknown
  method?: string
  params?: { id?: string; message?: { parts: Record<string, unknown>[] } }
}

function parse(body: string): Call {
  try {
    return JSON.parse(body) as Call
  } catch {
    return {}
  }
}

function taskOf(id: string, words: string, message: unknown): TinyTask {
  return {
    id,
    contextId: crypto.randomUUID(),
    status: { state: 'TASK_STATE_COMPLETED', timestamp: new Date().toISOString() },
    artifacts: [{ artifactId: 'result', parts: [{ text: words }] }],
    history: [message],
  }
}

function cardOf(url: string, name: string): Record<string, unknown> {
  return {
    name,
    description: 'Repeats what it hears.',
    version: '1.0.0',
    supportedInterfaces: [{ url: `${url}/`, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
    capabilities: {},
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'repeat', name: 'Repeat', description: 'Repeats.', tags: ['test'], examples: ['say it'] }],
  }
}

function send(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}
