import { describe, expect, test } from 'vitest'
import type { Exchange, HttpExchange } from './exchange.ts'
import { isSecretHeader, Redactor } from './redact.ts'

const bytes = (text: string) => Buffer.from(text)
const CANARY = 'canary-7f3a9'

function exchangeWith(body: string, type = 'application/json'): HttpExchange {
  return {
    id: 'x1',
    startedAt: '2026-01-01T00:00:00.000Z',
    request: {
      method: 'POST',
      url: `http://user:${CANARY}@127.0.0.1/a?access_token=${CANARY}&page=2`,
      headers: [
        ['Content-Type', type],
        ['authorization', `Bearer ${CANARY}`],
        ['Cookie', `sid=${CANARY}`],
        ['X-API-Key', CANARY],
        ['X-A2A-Notification-Token', CANARY],
        ['A2A-Version', '1.0'],
      ],
      body: bytes(body),
    },
    response: {
      status: 200,
      headers: [
        ['Set-Cookie', `sid=${CANARY}`],
        ['Content-Type', 'text/event-stream'],
      ],
      body: bytes(`data: {"token":\ndata: "${CANARY}"}\n\n`),
      frames: [{ atMs: 1, event: undefined, id: undefined, data: `{"credentials":"${CANARY}"}` }],
    },
    failure: `the peer said Authorization: Bearer ${CANARY}-${'x'.repeat(20)}`,
  }
}

function everything(exchange: Exchange): string {
  const { request, response } = exchange
  return JSON.stringify([exchange, Buffer.from(request.body).toString(), Buffer.from(response?.body ?? []).toString()])
}

describe('Redactor', () => {
  test.each([
    `{"token":"${CANARY}"}`,
    `{ "client_secret" : "${CANARY}" }`,
    `{"clientSecret":"${CANARY}","a":1}`,
    `{"tok\\u0065n":"${CANARY}"}`,
    `{"password":["${CANARY}","${CANARY}"]}`,
    `{"secret":[["]"],"${CANARY}"],"a":"b"}`,
    `{"a":[{"authentication":{"scheme":"Bearer","credentials":"${CANARY}"}}]}`,
    `{"text":"quoted \\" token\\":","token":"${CANARY}"}`,
    `{"token":"${CANARY}`,
    `{"access-token":"x\\"${CANARY}"}`,
  ])('takes the secret out of %s and everything around it', (body) => {
    const redacted = new Redactor().exchange(exchangeWith(body))
    expect(everything(redacted)).not.toContain(CANARY)
  })

  test('takes it out of a form', () => {
    const body = `grant_type=client_credentials&client%5Fsecret=${CANARY}`
    const redacted = new Redactor().exchange(exchangeWith(body, 'application/x-www-form-urlencoded'))
    expect(Buffer.from(redacted.request.body).toString()).toBe(
      'grant_type=client_credentials&client%5Fsecret=[redacted]',
    )
  })

  test('takes out registered values in every coat', () => {
    const secret = 'p@ss "wörd"'
    const redactor = new Redactor([secret])
    const coats = [secret, JSON.stringify(secret), encodeURIComponent(secret), Buffer.from(secret).toString('base64')]
    for (const coat of coats) expect(redactor.text(`before ${coat} after`)).toMatch(/^before "?\[redacted\]=*"? after$/)
    const body = Buffer.from(redactor.exchange(exchangeWith(JSON.stringify({ text: secret }))).request.body)
    expect(body.toString()).toBe('{"text":"[redacted]"}')
  })

  test('keeps every other byte', () => {
    const body = Buffer.from([0x7b, 0xff, 0x00, 0x22, 0x61, 0x22, 0x7d])
    const exchange = exchangeWith('')
    const redacted = new Redactor().exchange({ ...exchange, request: { ...exchange.request, body } })
    expect(Buffer.from(redacted.request.body).equals(body)).toBe(true)
    const odd = '{"b" :  1,"b":2, "grüße":"\\u00e9",\n"nextPageToken":"n1","tokens":5}'
    expect(new Redactor().text(odd)).toBe(odd)
  })

  test('keeps the scheme, the other headers and the other parameters', () => {
    const { request } = new Redactor().exchange(exchangeWith('{}'))
    expect(request.headers).toContainEqual(['authorization', 'Bearer [redacted]'])
    expect(request.headers).toContainEqual(['A2A-Version', '1.0'])
    expect(request.url).toBe('http://[redacted]@127.0.0.1/a?access_token=[redacted]&page=2')
  })

  test('does not change what it was given', () => {
    const exchange = exchangeWith(`{"token":"${CANARY}"}`)
    const before = everything(exchange)
    new Redactor([CANARY]).exchange(exchange)
    expect(everything(exchange)).toBe(before)
  })

  test('knows secret headers by their names', () => {
    for (const name of [
      'AUTHORIZATION',
      'X-Api-Key',
      'apikey',
      'X-Goog-Api-Key',
      'X-Auth-Token',
      'Proxy-Authorization',
    ]) {
      expect(isSecretHeader(name)).toBe(true)
    }
    for (const name of ['Content-Type', 'A2A-Extensions', 'Accept', 'WWW-Authenticate']) {
      expect(isSecretHeader(name)).toBe(false)
    }
  })
})
