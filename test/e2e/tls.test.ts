// TLS and client certificates from the command line: what `parley serve` prints works as printed, every client command
// trusts and shows what its flags say, and whoever mistypes learns which flag is wrong.

import { execFile, spawn } from 'node:child_process'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SPEC_CARD } from '../../src/agents/cards.ts'
import { specAgent } from '../../src/agents/spec.ts'
import { createServer } from '../../src/server/server.ts'
import { type Certified, type Issuer, makeAuthority, serverCertificate } from '../support/certificates.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'

const PARLEY = `"${process.execPath}" "${PARLEY_ENTRY}"`

let folder: string
let authority: Issuer
let own: Certified
let mutual: Serving
beforeAll(async () => {
  // With a space, which printed commands must survive.
  folder = mkdtempSync(join(tmpdir(), 'parley tls '))
  authority = makeAuthority('Parley Test')
  own = serverCertificate(authority)
  write('ca.pem', authority.cert)
  writeBoth('server', own)
  writeBoth('alice', authority.issue({ subject: { CN: 'alice' }, use: 'client' }))
  writeBoth('stranger', makeAuthority('Elsewhere').issue({ subject: { CN: 'alice' }, use: 'client' }))
  mutual = await startParley(['serve', '--auth', 'mtls', '--tls-client-ca', file('ca.pem'), ...SERVER()])
})
afterAll(async () => {
  await mutual.stop()
  rmSync(folder, { recursive: true, force: true })
})

const SERVER = () => ['--tls-cert', file('server.pem'), '--tls-key', file('server.key')]
const TRUST = () => ['--ca-cert', file('ca.pem')]
const AS = (name: string) => ['--client-cert', file(`${name}.pem`), '--client-key', file(`${name}.key`)]

function file(name: string): string {
  return join(folder, name)
}

function write(name: string, text: string): void {
  writeFileSync(file(name), text)
}

function writeBoth(name: string, { cert, key }: Certified): void {
  write(`${name}.pem`, cert)
  write(`${name}.key`, key)
}

test('the lines that serve prints work as printed', async () => {
  const child = spawn(process.execPath, [PARLEY_ENTRY, 'serve', '--port', '0', ...SERVER()], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, npm_command: 'exec' },
  })
  try {
    let printed = ''
    for await (const chunk of child.stdout.setEncoding('utf8')) {
      printed += String(chunk)
      if (printed.includes('Ctrl-C')) break
    }
    expect(printed).toMatch(/^Listening on https:\/\/127\.0\.0\.1:\d+\n/)
    expect(printed).not.toContain('http://')
    const lines = printed.split('\n').filter((line) => /^ {2}(?:curl|npx a2a-parley) /.test(line))
    expect(lines).toHaveLength(3)
    const [curl = '', send = '', certify = ''] = lines.map((line) => line.replace('npx a2a-parley', PARLEY))
    expect(await shell(curl)).toContain('"text":"Echo: hello"')
    expect(await shell(send)).toContain('chunk 4 of 4')
    expect(await shell(`${certify} --only get-task-unknown --no-report`)).toContain('2 passed, 0 failed')
  } finally {
    const gone = once(child, 'exit')
    child.kill()
    await gone
  }
})

async function shell(command: string): Promise<string> {
  return (await promisify(execFile)('sh', ['-c', command], { cwd: folder })).stdout
}

describe('a client', () => {
  test('that does not know the authority says so, and which flag helps', async () => {
    const { code, stderr } = await runParley(['send', `${mutual.url}/spec`, 'hi', '--quiet'])
    expect(code).toBe(3)
    expect(stderr).toContain(`parley: The certificate of ${mutual.url} is of an unknown authority (`)
    expect(stderr).toContain('\nName its authority with --ca-cert FILE, or accept any certificate with --insecure.')
  })

  test('that accepts anything is warned', async () => {
    const { code, stdout, stderr } = await runParley(['send', `${mutual.url}/echo`, 'hi', '--insecure'])
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Echo: hi\n' })
    expect(stderr).toContain('Warning: --insecure accepts any certificate')
  })

  test('that forgets https is told', async () => {
    const { code, stderr } = await runParley(['send', mutual.url.replace('https://', ''), 'hi', '--quiet'])
    expect(code).toBe(3)
    expect(stderr).toContain('\nIf the agent speaks TLS, write https:// before its address.')
  })

  test('without a certificate reads the card, and is told what is missing', async () => {
    const { code, stderr } = await runParley(['send', `${mutual.url}/secure`, 'hi', ...TRUST()])
    expect(code).toBe(4)
    expect(stderr).toContain('/secure/.well-known/agent-card.json: HTTP 200\n')
    expect(stderr).toContain('The agent answered Unauthenticated: Authentication is required.')
    expect(stderr).toContain('Give --client-cert FILE with --client-key FILE.')
  })

  test('with one of another authority is refused', async () => {
    const { code, stderr } = await runParley(['send', `${mutual.url}/secure`, 'hi', ...TRUST(), ...AS('stranger')])
    expect(code).toBe(4)
    expect(stderr).toContain('Unauthenticated: The credentials were not accepted.')
  })

  test('with one of the authority is let in, also by the curl command it prints', async () => {
    const send = ['send', `${mutual.url}/secure`, 'task-lifecycle', ...TRUST(), ...AS('alice')]
    const { code, stdout } = await runParley(send)
    expect(code).toBe(0)
    expect(stdout).toMatch(/^completed · task /)
    const { stdout: curl } = await runParley([...send, '--curl'])
    expect(await shell(curl)).toContain('"state":"TASK_STATE_COMPLETED"')
  })

  test('takes its files from the environment too', async () => {
    const env = { PARLEY_CA_CERT: file('ca.pem') }
    expect(await runParley(['send', `${mutual.url}/echo`, 'hi', '-q'], { env })).toMatchObject({ stdout: 'Echo: hi\n' })
  })
})

test('inspect shows what a card asks for', async () => {
  const { code, stdout } = await runParley(['inspect', `${mutual.url}/secure`, ...TRUST(), ...AS('alice')])
  expect(code).toBe(0)
  expect(stdout).toContain('Requires          mtls\n')
  expect(stdout).toContain(`declared 1.0, observed 1.0 and 0.3: JSONRPC ${mutual.url}/secure\n`)
})

describe('parley test', () => {
  const SECURITY = ['auth-missing', 'auth-wrong', 'auth-accepted', 'extended-card-protected', 'card-available']
  const ONLY = SECURITY.flatMap((check) => ['--only', check])

  test('calls as somebody without a certificate where a check says so', async () => {
    const target = ['test', `${mutual.url}/secure`, ...TRUST(), ...AS('alice')]
    const { code, stdout } = await runParley([...target, ...ONLY, '-o', 'json', '-q'])
    const report = JSON.parse(stdout) as { verdicts: Record<string, number> }
    expect({ code, verdicts: report.verdicts }).toMatchObject({ code: 0, verdicts: { fail: 0, 'not-measured': 0 } })
    expect(report.verdicts.pass).toBeGreaterThanOrEqual(8)
  })

  test('does not blame an agent behind a server that insists on certificates', async () => {
    const front = await insistingFront()
    try {
      const target = ['test', front.url, ...TRUST(), ...AS('alice')]
      const { stdout } = await runParley([...target, '--only', 'auth-missing', '-o', 'json', '-q'])
      const { verdicts } = JSON.parse(stdout) as { verdicts: Record<string, number> }
      expect(verdicts).toMatchObject({ fail: 0, 'not-measured': 2 })
    } finally {
      await front.close()
    }
  })

  test('says which flag is missing', async () => {
    const { code, stdout } = await runParley(['test', `${mutual.url}/spec`, '--no-report', '-q'])
    expect(code).toBe(3)
    expect(stdout).toContain(
      '\nFix: Name its authority with --ca-cert FILE, or accept any certificate with --insecure.\n',
    )
  })
})

/** An agent inside somebody's own server, which lets nobody connect without a certificate. */
async function insistingFront() {
  const { extendedAgentCard: _, pushNotifications: __, ...capabilities } = SPEC_CARD.capabilities
  const agent = createServer({ card: { ...SPEC_CARD, capabilities }, agent: specAgent, auth: [{ kind: 'mtls' }] })
  await agent.ready()
  const options = { ...own, ca: authority.cert, requestCert: true, rejectUnauthorized: true }
  const front = createHttpsServer(options, (req, res) => void agent.requestListener(req, res))
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(front.address() as AddressInfo).port}`
  const close = async () => {
    front.close()
    await agent.close({ graceMs: 0 })
  }
  return { url, close }
}

describe('serve refuses', () => {
  const pair = ['--tls-cert', 'server.pem', '--tls-key', 'server.key']

  test.each<[string, string[], string]>([
    ['a certificate without its key', ['--tls-cert', 'server.pem'], '--tls-cert and --tls-key are needed together.'],
    [
      'a file that is not there',
      ['--tls-cert', 'no.pem', '--tls-key', 'server.key'],
      'The file no.pem given with --tls-cert cannot be read: there is no such file.',
    ],
    [
      'a file that holds no certificate',
      ['--tls-cert', 'server.key', '--tls-key', 'server.key'],
      'The file server.key given with --tls-cert holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).',
    ],
    [
      'a file that holds no key',
      ['--tls-cert', 'server.pem', '--tls-key', 'ca.pem'],
      'The file ca.pem given with --tls-key holds no private key in PEM form (-----BEGIN PRIVATE KEY-----).',
    ],
    [
      'the key of another certificate',
      ['--tls-cert', 'server.pem', '--tls-key', 'alice.key'],
      'The file alice.key given with --tls-key is not the key of the certificate in the file server.pem given with --tls-cert.',
    ],
    [
      'a key with a passphrase',
      ['--tls-cert', 'server.pem', '--tls-key', 'locked.key'],
      'The file locked.key given with --tls-key is protected by a passphrase; give it without (openssl pkey -in KEY -out PLAIN-KEY).',
    ],
    [
      'client certificates without their authority',
      ['--auth', 'mtls', ...pair],
      '--auth mtls needs the authorities of the clients: --tls-client-ca FILE.',
    ],
    [
      'an authority without TLS',
      ['--auth', 'mtls', '--tls-client-ca', 'ca.pem'],
      '--tls-client-ca needs --tls-cert and --tls-key.',
    ],
    [
      'an authority nobody looks at',
      ['--tls-client-ca', 'ca.pem', ...pair],
      '--tls-client-ca requests certificates that are not checked; add --auth mtls.',
    ],
    [
      'an authority that is none',
      ['--auth', 'mtls', '--tls-client-ca', 'alice.key', ...pair],
      'The file alice.key given with --tls-client-ca holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).',
    ],
  ])('%s', async (_, args, message) => {
    const locked = createPrivateKey(own.key).export(LOCK)
    write('locked.key', locked.toString())
    const { code, stdout, stderr } = await runParley(['serve', '--port', '0', ...args], { cwd: folder })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: `parley: ${message}\n` })
  })

  const LOCK = { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' } as const
})

test.each([
  [
    'for another name',
    { names: ['agent.example.com'] },
    /^Warning: The certificate is not for 127\.0\.0\.1 \(DNS:agent\.ex/,
  ],
  [
    'past its time',
    { names: ['127.0.0.1'], notAfter: new Date(0) },
    /^Warning: The certificate has expired \(.+; clients/,
  ],
])('serve warns of a certificate %s', async (_, wanted, warning) => {
  writeBoth('odd', authority.issue(wanted))
  const serving = await startParley(['serve', '--tls-cert', file('odd.pem'), '--tls-key', file('odd.key')])
  expect((await serving.stop()).stderr).toMatch(warning)
})
