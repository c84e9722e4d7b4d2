// Bad inputs that need a special place or another user: a full disk, a port of the system, a file that is no certificate.
// What this machine does not have is skipped loudly.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'

/** The user `nobody`, who may do nothing special. */
const NOBODY = 65_534
const isRoot = process.getuid?.() === 0
let folder: string
let agent: Serving

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-special-'))
  agent = await startParley(['serve'])
})
afterAll(async () => {
  await agent.stop()
  rmSync(folder, { recursive: true })
})

function skipped(reason: string): true {
  process.stderr.write(`SKIPPED: ${reason}\n`)
  return true
}

/** A file system without a free byte; undefined where none can be mounted. */
function fullDisk(): string | undefined {
  const disk = mkdtempSync(join(tmpdir(), 'parley-full-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk], { stdio: 'ignore' })
  } catch {
    rmSync(disk, { recursive: true })
    return undefined
  }
  expect(() => writeFileSync(join(disk, 'fill'), Buffer.alloc(1_000_000))).toThrow('ENOSPC')
  return disk
}

test('a file that holds no certificate', async () => {
  writeFileSync(join(folder, 'rubbish.pem'), 'rubbish\n')
  const { code, stderr } = await runParley(['serve', '--tls-cert', 'rubbish.pem', '--tls-key', 'rubbish.pem'], {
    cwd: folder,
  })
  expect([code, stderr]).toEqual([
    2,
    'parley: The file rubbish.pem given with --tls-cert holds no certificate in PEM form (-----BEGIN CERTIFICATE-----).\n',
  ])
})

test('a port of the system', async (context) => {
  const first = Number(readIfThere('/proc/sys/net/ipv4/ip_unprivileged_port_start') ?? '1024')
  const isFree = first <= 81
  if ((isFree && skipped('every user may listen on port 81 here.')) || (!isRoot && process.platform !== 'linux'))
    return context.skip()
  const { code, stderr } = await runParley(['serve', '--port', '81'], {
    ...(isRoot ? { uid: NOBODY } : {}),
    cwd: tmpdir(),
    env: { NODE_COMPILE_CACHE: undefined, NODE_DISABLE_COMPILE_CACHE: '1' },
  })
  if (stderr.includes('EACCES') && skipped('the user nobody cannot read this checkout.')) return context.skip()
  expect([code, stderr]).toEqual([
    1,
    'parley: This account may not listen on 127.0.0.1:81; choose a port above 1023.\n',
  ])
})

test('a full disk', { timeout: 60_000 }, async (context) => {
  const disk = fullDisk()
  if (disk === undefined) return skipped('no file system can be mounted, so none is full.') && context.skip()
  try {
    const stored = await runParley(['serve', '--port', '0', '--store', `sqlite:${disk}/x.db`])
    expect([stored.code, stored.stderr]).toEqual([
      1,
      expect.stringMatching(/^parley: .*x\.db cannot be written: the disk is full/),
    ])
    const args = ['--only', 'get-task-unknown', '--format', `json:${disk}/r.json`]
    const judged = await runParley(['test', `${agent.url}/spec`, ...args])
    expect(judged.stderr).toMatch(/r\.json.*(?:disk is full|no space)/i)
    expect(judged.stderr).not.toMatch(/\n {4}at /)
  } finally {
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  }
})

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
