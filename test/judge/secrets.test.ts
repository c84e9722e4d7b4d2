// No secret of any flag, and none that an agent gives away, is in anything a run leaves behind.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { ListeningPeer } from '../peers/listen.ts'
import { runParley } from '../support/parley-process.ts'
import { startTinyAgent, type TinyAgent } from './tiny-agent.ts'

const WHOLE_RUN_MS = 60_000
let folder: string
let peers: ListeningPeer[]

/** Tells everybody what it was told: headers in errors, a token of its own in bodies. */
const gossip: TinyAgent = {
  intercept(request, response, body) {
    if (request.method === 'GET' && request.url?.includes('.well-known') === true) return false
    if (body.includes('GetTask')) return false
    const said = request.rawHeaders.join(' ')
    const data = { said, accessToken: 'canary-in-a-body', note: `Bearer canary.of-some-other-service.1234` }
    response.writeHead(200, { 'Content-Type': 'application/json', 'Set-Cookie': 'session=canary-in-a-cookie' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32603, message: said, data } }))
    return true
  },
}

/** A page with the run it holds compressed. */
function unpacked(text: string): string {
  return text.replaceAll(/(<script type="application\/x-parley"[^>]*>)([^<]+)/g, (_, begin: string, data: string) => {
    return begin + gunzipSync(Buffer.from(data, 'base64')).toString('utf8')
  })
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-secrets-'))
  peers = [await startTinyAgent(gossip), await startTinyAgent(gossip)]
})
afterEach(async () => {
  await rm(folder, { recursive: true })
  for (const peer of peers) await peer.close()
})

test(
  'canaries of every credential flag stay out of reports and streams',
  async () => {
    const [first = '', second = ''] = peers.map(({ url }) => url)
    const formats = ['json:r.json', 'markdown:r.md', 'junit:r.xml', 'html:r.html', 'run:r.jsonl'].flatMap((format) => [
      '--format',
      format,
    ])
    const credentials = [
      ['--bearer', 'canary-bearer'],
      ['--api-key', 'canary-api-key'],
      ['-H', 'X-Team: canary-header'],
      ['-H', 'Authorization: Basic canary-basic'],
      ['--bearer-b', 'canary-bearer-b'],
      ['--second-bearer', 'canary-second-bearer'],
      ['--second-api-key', 'canary-second-api-key'],
      ['--second-header', 'X-Team: canary-second-header'],
    ].flat()
    const args = [
      'test',
      first,
      '--second',
      second,
      '--timeout',
      '2s',
      '--verbose',
      '--debug',
      ...formats,
      ...credentials,
    ]
    const { stdout, stderr, code } = await runParley(args, { cwd: folder, env: { FORCE_COLOR: '0' } })
    expect(code).toBe(1)
    const files = await readdir(folder)
    expect(files.sort()).toEqual(['r.html', 'r.json', 'r.jsonl', 'r.md', 'r.xml'])
    const artefacts: [string, string][] = [
      ['stdout', stdout],
      ['stderr', stderr],
    ]
    for (const file of files) artefacts.push([file, unpacked(await readFile(join(folder, file), 'utf8'))])
    for (const [name, text] of artefacts) {
      expect(text.length, name).toBeGreaterThan(1_000)
      expect(
        [...text.matchAll(/canary[\w.-]*/g)].map(([canary]) => canary),
        name,
      ).toEqual([])
    }
  },
  WHOLE_RUN_MS,
)

test('a password in the address is not repeated', async () => {
  const { stdout, stderr } = await runParley(['test', 'http://user:canary-password@127.0.0.1:9/', '--no-report'], {
    cwd: folder,
  })
  expect(`${stdout}${stderr}`).not.toContain('canary')
})
