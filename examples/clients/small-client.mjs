// A small A2A client on fetch alone: reads the card, sends a text over JSON-RPC of 1.0, and waits for the task. What it cannot
// do it says, and is then not judged by it.

const OVER = /COMPLETED|FAILED|REJECTED|CANCELED|REQUIRED/

/** What `url` made of an intent, as `parley grade` reads it. */
export async function fulfil(url, intent) {
  const { do: wanted, text, parts = [{ text }], credentials, extensions, verify, extended, webhook } = intent
  if ([credentials, extensions, verify, extended, webhook].some((each) => each !== undefined))
    return { outcome: 'unsupported' }
  if (wanted !== 'send' && wanted !== 'get' && wanted !== 'card') return { outcome: 'unsupported' }
  const answer = await fetch(`${url.replace(/\/$/, '')}/.well-known/agent-card.json`)
  const card = await answer.json()
  if (wanted === 'card') return { outcome: 'card', text: card.name, fulfilled: true }
  if (card.capabilities?.extensions?.some(({ required }) => required)) throw new Error('the card requires an extension')
  const usable = ({ protocolBinding, protocolVersion }) => protocolBinding === 'JSONRPC' && protocolVersion === '1.0'
  const place = card.supportedInterfaces?.find(usable)
  if (place === undefined) throw new Error('the card names no interface of JSON-RPC 1.0')
  if (wanted === 'get') return told(await call(place, 'GetTask', { id: intent.taskId }), true)
  const message = { messageId: crypto.randomUUID(), role: 'ROLE_USER', parts }
  const sent = await call(place, 'SendMessage', { message })
  if (sent.message) return { outcome: 'message', text: textIn(sent.message.parts), fulfilled: true }
  if (!sent.task) throw new Error('the answer is neither a task nor a message')
  return told(await settled(place, sent.task))
}

async function settled(place, first) {
  let task = first
  while (!OVER.test(task.status.state)) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    task = await call(place, 'GetTask', { id: task.id })
  }
  return task
}

async function call({ url, tenant }, method, params) {
  const headers = { 'content-type': 'application/json', accept: 'application/json', 'a2a-version': '1.0' }
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: crypto.randomUUID(),
    method,
    params: { ...params, ...(tenant && { tenant }) },
  })
  const answer = await (await fetch(url, { method: 'POST', headers, body })).json()
  if (answer.error) throw Object.assign(new Error(answer.error.message), { code: answer.error.code })
  if (!answer.result) throw new Error('the answer holds no result')
  return answer.result
}

function told({ id, contextId, status, artifacts }, isEnough = false) {
  const text = (artifacts ?? []).map(({ parts }) => textIn(parts)).join('')
  const fulfilled = isEnough || /COMPLETED|REQUIRED/.test(status.state)
  return { outcome: 'task', taskId: id, contextId, state: status.state, text, fulfilled }
}

const textIn = (parts) => parts.map(({ text = '' }) => text).join('')

/** The same, with everything that goes wrong as an outcome. */
export async function outcomeOf(url, intent) {
  try {
    return await fulfil(url, intent)
  } catch ({ message, code }) {
    return { outcome: 'error', fulfilled: false, error: { message, code } }
  }
}
