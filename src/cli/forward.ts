// How the relay agent reaches another agent: as any client would, in whatever generation that agent speaks. The client
// is loaded with the first message, so that servers without a relay start faster.

import { A2AError, ParleyError } from '../model/errors.ts'
import type { SendMessageResult } from '../model/operation.ts'
import type { Message } from '../model/task.ts'

export async function forwardMessage(
  target: string,
  message: Message,
  signal: AbortSignal,
): Promise<SendMessageResult> {
  try {
    const { A2AClient } = await import('../client/a2a-client.ts')
    using client = await A2AClient.connect(target, { signal })
    return await client.sendMessage({ message }, { signal })
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    throw new A2AError('InvalidAgentResponse', `The relay could not reach its target: ${error.message}`, {
      cause: error,
    })
  }
}
