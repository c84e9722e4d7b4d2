// Talks to any A2A agent, whatever protocol version and binding it speaks: node examples/client.ts http://127.0.0.1:9999/spec

import { A2AClient } from 'a2a-parley/client'

const target = process.argv[2] ?? 'http://127.0.0.1:9999/spec'
using client = await A2AClient.connect(target)
console.log(`${client.card?.name} speaks A2A ${client.endpoint.dialect} over ${client.endpoint.binding}`)

const message = {
  messageId: crypto.randomUUID(),
  role: 'ROLE_USER' as const,
  parts: [{ text: 'task-lifecycle hello' }],
}
for await (const { event } of client.streamMessage({ message })) {
  if ('task' in event) console.log('task', event.task.id)
  if ('message' in event) console.log('reply', JSON.stringify(event.message.parts))
  if ('statusUpdate' in event) console.log('state', event.statusUpdate.status.state)
  if ('artifactUpdate' in event) console.log('artifact', JSON.stringify(event.artifactUpdate.artifact.parts))
}
