// An exchange as commands that say the same: curl or grpcurl for the bytes, parley send and a few lines of TypeScript for
// what they mean. Secrets are placeholders in all of them.

import { isJsonObject, type JsonObject, listAt, objectAt, textAt } from '../model/json.ts'
import type { Exchange } from '../trace/exchange.ts'
import type { Redactor } from '../trace/redact.ts'
import { reproduce } from '../trace/reproduce.ts'
import { shellWord } from '../trace/shell-word.ts'

export interface CopiedCommand {
  name: string
  text: string
}

export function commandsOf(exchange: Exchange, target: string | undefined, redactor: Redactor): CopiedCommand[] {
  const name = exchange.protocol === 'grpc' ? 'grpcurl' : 'curl'
  const raw = { name, text: reproduce(exchange.request, { redactor, placeholders: true }) }
  const said = messageIn(exchange)
  if (target === undefined || said === undefined) return [raw]
  return [raw, ...meant(redactor.url(target), said, redactor)]
}

interface Said {
  text: string
  taskId: string | undefined
  contextId: string | undefined
  isStream: boolean
}

function messageIn(exchange: Exchange): Said | undefined {
  const text =
    exchange.protocol === 'grpc' ? exchange.request.message : Buffer.from(exchange.request.body).toString('utf8')
  const json = jsonOf(text ?? '')
  const params = objectAt(json, 'params') ?? json
  const message = objectAt(params, 'message') ?? objectAt(params, 'request')
  const parts = (listAt(message, 'parts') ?? listAt(message, 'content') ?? []).flatMap(
    (part) => textAt(part, 'text') ?? [],
  )
  if (message === undefined || parts.length === 0) return undefined
  const isStream = (exchange.response?.frames?.length ?? 0) > 1
  return {
    text: parts.join('\n'),
    taskId: textAt(message, 'taskId'),
    contextId: textAt(message, 'contextId'),
    isStream,
  }
}

function meant(target: string, { text, taskId, contextId, isStream }: Said, redactor: Redactor): CopiedCommand[] {
  const words = ['parley send', shellWord(target), shellWord(redactor.registered(text))]
  if (taskId !== undefined) words.push(`--task-id ${shellWord(taskId)}`)
  if (contextId !== undefined) words.push(`--context-id ${shellWord(contextId)}`)
  if (isStream) words.push('--stream')
  const ids = { ...(taskId === undefined ? {} : { taskId }), ...(contextId === undefined ? {} : { contextId }) }
  const message = { messageId: '1', role: 'ROLE_USER', parts: [{ text: redactor.registered(text) }], ...ids }
  const request = JSON.stringify({ message }, null, 2)
  const call = isStream
    ? `for await (const { event } of client.streamMessage(${request})) console.log(event)`
    : `console.log(await client.sendMessage(${request}))`
  const program = [
    `import { A2AClient } from 'a2a-parley/client'`,
    '',
    `const client = await A2AClient.connect(${JSON.stringify(target)})`,
    call,
    'client.close()',
    '',
  ].join('\n')
  return [
    { name: 'parley send', text: words.join(' ') },
    { name: 'TypeScript', text: program },
  ]
}

function jsonOf(text: string): JsonObject | undefined {
  try {
    const json: unknown = JSON.parse(text)
    return isJsonObject(json) ? json : undefined
  } catch {
    return undefined
  }
}
