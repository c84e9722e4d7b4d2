import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { toCurl } from './curl.ts'
import type { RecordedRequest } from './exchange.ts'

/** Lets a real shell read the command, with curl and its input replaced by what they were given. */
function argumentsOf(command: string, env: Record<string, string> = {}): string[] {
  const script = `curl() { for word in "$@"; do printf '%s\\0' "$word"; done; [ "$word" = @- ] && cat; true; }\n${command}`
  const output = execFileSync('sh', ['-c', script], { encoding: 'latin1', env: { ...process.env, ...env } })
  return output.split('\0')
}

const request = (changes: Partial<RecordedRequest> = {}): RecordedRequest => ({
  method: 'POST',
  url: 'http://127.0.0.1:9/rpc?a=b c',
  headers: [
    ['Host', '127.0.0.1:9'],
    ['Content-Type', 'application/json'],
    ['Content-Length', '2'],
  ],
  body: Buffer.from('{}'),
  ...changes,
})

describe('toCurl', () => {
  test('sends the same body, whatever is in it', () => {
    for (const body of [`{"a":"it's \\"x\\" $HOME \`id\` \\\\ !"}`, '@/etc/passwd', 'line\nbreak', "'", 'grüße']) {
      const words = argumentsOf(toCurl(request({ body: Buffer.from(body) })))
      const sent = words[words.indexOf('--data-raw') + 1] ?? ''
      expect(Buffer.from(sent, 'latin1').toString()).toBe(body)
    }
  })

  test('pipes bytes that are no text', () => {
    const body = Buffer.from([0, 1, 0x27, 0x25, 0x5c, 0xff])
    const output = argumentsOf(toCurl(request({ body }))).join('\0')
    expect(output.endsWith(`@-\0${body.toString('latin1')}`)).toBe(true)
  })

  test('trusts and shows the same certificates, but none where the request showed none', () => {
    const url = 'https://127.0.0.1:9/rpc'
    const tls = { files: { ca: "my 'ca'.pem", cert: 'me.pem', key: 'me.key' } }
    const words = argumentsOf(toCurl(request({ url }), { tls })).join(' ')
    expect(words).toContain("--cacert my 'ca'.pem --cert me.pem --key me.key https://127.0.0.1:9/rpc ")
    const uncertified = argumentsOf(toCurl(request({ url, withoutCertificate: true }), { tls })).join(' ')
    expect(uncertified).toContain("--cacert my 'ca'.pem https://127.0.0.1:9/rpc ")
    expect(argumentsOf(toCurl(request({ url }), { tls: { insecure: true } }))).toContain('-k')
    expect(toCurl(request(), { tls })).not.toContain('--cacert')
  })

  test('leaves out what curl adds, and keeps the rest', () => {
    const words = argumentsOf(toCurl(request()))
    expect(words).toContain('Content-Type: application/json')
    expect(words.join(' ')).not.toContain('Content-Length')
    expect(words).toContain('http://127.0.0.1:9/rpc?a=b c')
  })

  test('names the method when curl would choose another', () => {
    expect(toCurl(request())).not.toContain('-X')
    expect(toCurl(request({ method: 'GET', body: Buffer.alloc(0) }))).not.toContain('-X')
    expect(argumentsOf(toCurl(request({ method: 'DELETE', body: Buffer.alloc(0) })))).toContain('DELETE')
  })

  test('does not claim a form where no type was sent', () => {
    expect(argumentsOf(toCurl(request({ headers: [] })))).toContain('Content-Type:')
  })

  test('keeps a Host that is not the address, an empty value, and brackets', () => {
    const words = argumentsOf(
      toCurl(
        request({
          url: 'http://[::1]:9/',
          headers: [
            ['Host', 'evil'],
            ['X-Empty', ''],
          ],
        }),
      ),
    )
    expect(words).toContain('Host: evil')
    expect(words).toContain('X-Empty;')
    expect(words).toContain('-g')
  })

  test('shows no secret, only its place', () => {
    const secret = request({ headers: [['Authorization', 'Bearer canary-1']] })
    expect(argumentsOf(toCurl(secret))).toContain('Authorization: Bearer [redacted]')
    const command = toCurl(secret, { placeholders: true })
    expect(command).not.toContain('canary-1')
    expect(argumentsOf(command, { BEARER_TOKEN: 'my own' })).toContain('Authorization: Bearer my own')
  })

  test('runs nothing that a peer put into a name or value', () => {
    const hostile = request({
      method: '$(echo pwned)',
      url: "http://127.0.0.1/';echo pwned;'",
      headers: [
        ['X-`echo-pwned`-Token', 'x'],
        ['X-A', '$(echo pwned)'],
      ],
    })
    const words = argumentsOf(toCurl(hostile, { placeholders: true }))
    expect(words).toContain('$(echo pwned)')
    expect(words).toContain('X-A: $(echo pwned)')
    expect(words).toContain('X-`echo-pwned`-Token: ')
    expect(words.filter((word) => word.trim() === 'pwned')).toEqual([])
  })
})
