// Bad inputs, each with its exit code and the first line of what it says: one clear sentence, never a stack.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { runParley, type Serving, startParley } from '../support/parley-process.ts'

interface Bad {
  /** AGENT is a reference agent, CLOSED a port nobody listens on, HTML a site without a card. */
  typed: string[]
  code: number
  says: RegExp
  env?: Record<string, string>
  stdin?: string
}

const bad = (typed: string, code: number, says: RegExp, more: Partial<Bad> = {}): Bad => ({
  typed: typed.match(/'[^']*'|\S+/g)?.map((word) => word.replace(/^'(.*)'$/, '$1')) ?? [],
  code,
  says,
  ...more,
})

const INPUTS: readonly Bad[] = [
  bad('send', 2, /^parley: missing required argument 'agent'\nRun .* send --help/),
  bad('send AGENT', 2, /^parley: There is nothing to send; add a text, --file or --data\./),
  bad(
    'send AGENT hello there',
    2,
    /^parley: too many arguments for 'send'\. .*\nPut a text of several words in quotes\./,
  ),
  bad('send CLOSED hi -q', 3, /^parley: Nothing is listening at /),
  bad('send localhost:99999 hi', 2, /^parley: "localhost:99999" is neither an agent's URL nor a card file/),
  bad('send ftp://x hi', 2, /^parley: "ftp:\/\/x" is neither an agent's URL nor a card file\.\nGive a host /),
  bad(
    'send /nonexistent/card.json hi',
    2,
    /^parley: There is no card file \/nonexistent\/card\.json\.\nGive the path /,
  ),
  bad('inspect ./nofile.json', 2, /^parley: There is no card file \.\/nofile\.json\./),
  bad('inspect /tmp', 2, /^parley: \/tmp is a folder\.\nGive the path of a card file/),
  bad('inspect .\\card.json', 2, /^parley: There is no card file \.\\card\.json\./),
  bad(
    'send AGENT x --file nofile',
    2,
    /^parley: The file nofile given with --file cannot be read: there is no such file\./,
  ),
  bad('send AGENT x --file folder', 2, /^parley: The file folder given with --file cannot be read: it is a folder\./),
  bad("send AGENT x --data '{bad'", 2, /^parley: Invalid JSON in --data: /),
  bad("send AGENT x --metadata '[1]'", 2, /^parley: --metadata takes a JSON object\./),
  bad(
    'send AGENT x --timeout 5',
    2,
    /^parley: --timeout takes a duration with its unit, such as 500ms, 30s, 2m or 7d, not "5"\./,
  ),
  bad('send AGENT x --timeout 0s', 2, /^parley: --timeout takes 1 ms to 24 days, not "0s"\./),
  bad(
    "send AGENT/spec 'slow 9000' -q --timeout 300ms",
    5,
    /^parley: http:\/\/\S+ did not answer within 300 ms\.\nGive it longer with --timeout/,
  ),
  bad('send AGENT x --a2a-version 2.0', 2, /^parley: --a2a-version takes /),
  bad('send AGENT x -H NoColon', 2, /^parley: A header is written 'Name: value'\./),
  bad("send AGENT x --bearer 'tok en'", 2, /^parley: --bearer takes a token .* without spaces/),
  bad("send AGENT x --bearer 'Bearer abc'", 2, /^parley: --bearer takes the token without the word Bearer/),
  bad('send AGENT x -q --task-id no-such', 1, /^parley: The agent answered TaskNotFound: /),
  bad(
    'send AGENT x -o yaml',
    2,
    /^parley: option '-o, --output <format>' argument 'yaml' is invalid\. Allowed choices are text, json\./,
  ),
  bad('send AGENT x --strem', 2, /^parley: unknown option '--strem'\n\(Did you mean --stream\?\)/),
  bad('send HTTPS x -q', 3, /^parley: https:\S+ does not speak TLS; try http:\/\/ instead\./),
  bad('send HTML x -q', 1, /^parley: No agent card was found for /),
  bad('send AGENT -', 2, /^parley: There is nothing to send; /, { stdin: '' }),
  bad(
    'serve --port TAKEN',
    1,
    /^parley: Port \d+ is already in use .*; choose another port, or port 0 for any free one\./,
  ),
  bad('serve --port 80000', 2, /^parley: --port takes a whole number from 0 to 65535, not "80000"\./),
  bad('serve --port abc', 2, /^parley: --port takes a whole number from 0 to 65535, not "abc"\./),
  bad('serve --store mysql://x', 2, /^parley: There is no store "mysql"\.\nStores are: memory, sqlite/),
  bad(
    'serve --port 0 --store sqlite:garbage.db',
    1,
    /^parley: garbage\.db is not a SQLite database; name another file\./,
  ),
  bad('serve --auth bearer', 2, /^parley: --auth: bearer needs a token\.\nWrite bearer:TOKEN/),
  bad('serve --tls-cert x', 2, /^parley: --tls-cert and --tls-key are needed together\./),
  bad('serve --lease 5', 2, /^parley: --lease takes a duration with its unit/),
  bad(
    'serve --config typo.yaml',
    2,
    /^parley: typo\.yaml:1:\d+: unknown option 'prot' of serve; did you mean 'port'\?/,
  ),
  bad('serve --config badport.yaml', 2, /^parley: badport\.yaml:1:\d+: --port takes a whole number/),
  bad('serve', 2, /^parley: PARLEY_PORT: --port takes a whole number/, { env: { PARLEY_PORT: 'abc' } }),
  bad('test AGENT --concurrency 0', 2, /^parley: --concurrency takes a whole number from 1 to 64, not "0"\./),
  bad(
    'test AGENT --behaviors nofile.yaml',
    2,
    /^parley: The behaviors file nofile\.yaml cannot be read: there is no such file\./,
  ),
  bad(
    'test AGENT --baseline unknown.yaml',
    2,
    /^parley: unknown\.yaml: there is no check 'card-availabel'; did you mean 'card-available'\?\n/,
  ),
  bad('test AGENT --skills nope -q --no-report', 2, /^parley: The card has no skill 'nope'/),
  bad('test AGENT --only nope', 2, /^parley: There is no check, area, category, requirement or section 'nope'\./),
  bad('test AGENT --update-baseline', 2, /^parley: --update-baseline needs --baseline FILE\./),
  bad('test', 2, /^parley: Name the agent to test/),
  bad('test AGENT --format pdf', 2, /^parley: --format takes terminal, json, .*, not "pdf"\./),
  bad('explain cancle', 2, /^parley: There is no check.*\nDid you mean 'cancel'\?/),
  bad(
    'mock broken.yaml --check',
    2,
    /^parley: broken\.yaml:1:\d+: .*unknown step 'compelte'; did you mean 'complete'\?/,
  ),
  bad('mock /dev/zero --check', 2, /^parley: The script \/dev\/zero cannot be read: it is larger than 64 MiB\./),
  bad('mock nofile.yaml', 2, /^parley: The script nofile\.yaml cannot be read: there is no such file\./),
  bad(
    'mock many.yaml --check',
    2,
    /^parley: many\.yaml:3:11: the id 'same' is already used at .*… and 2979 more problems/s,
  ),
  bad('mock broken.yaml --from-card AGENT', 2, /^parley: Give one of a script, --from-recording and --from-card\./),
  bad('proxy', 2, /^parley: Give an agent URL or --config proxy\.yaml\./),
  bad(
    'proxy --config proxy.yaml',
    2,
    /^parley: proxy\.yaml:2:13: translate\[0\] must be one of 1\.0, 0\.3, 0\.1, not 1\.1/,
  ),
  bad(
    'proxy AGENT --port 0 --artifacts note.txt',
    1,
    /^parley: Files cannot be stored in \S+note\.txt: it is a file, not a folder\./,
  ),
  bad(
    'proxy AGENT --record note.txt --port 0',
    2,
    /^parley: There is a file at note\.txt already; it was left as it is\./,
  ),
  bad('grade', 2, /^parley: Say which client: its command after --, or --listen, --serve or --traffic\./),
  bad(
    'grade --traffic nofile.jsonl',
    2,
    /^parley: The recording nofile\.jsonl cannot be read: there is no such file\./,
  ),
  bad('grade -- ./nope', 2, /^parley: '\.\/nope' could not be started: there is no such program\./),
  bad('matrix', 2, /^parley: missing required argument 'file'/),
  bad('matrix nofile.yaml', 2, /^parley: The matrix nofile\.yaml cannot be read: there is no such file\./),
  bad('matrix typo.yaml', 2, /^parley: typo\.yaml:1:1: unknown key 'serve' in the file/),
  bad('fleet frob', 2, /^parley: command-argument value 'frob' is invalid .* Allowed choices are run, work, /),
  bad('fleet run proxy.yaml --every 5', 2, /^parley: --every must be 10m to 365d with its unit/),
  bad('ui ./nofile.json --no-open', 2, /^parley: There is no card file \.\/nofile\.json\./),
  bad('ui --port abc --no-open', 2, /^parley: --port takes a whole number from 0 to 65535, not "abc"\./),
  bad('ui --host 0.0.0.0 --no-open', 2, /^parley: 0\.0\.0\.0 can be reached from other machines/),
  bad('run nothing.yaml', 2, /^parley: The case nothing\.yaml cannot be read: there is no such file\./),
  bad('push dead-letters', 2, /^parley: Name the store of the server/),
  bad('push replay', 2, /^parley: Name the store of the server, /),
  bad('load https://agent.example.com', 2, /^parley: This puts load on https:\/\/agent\.example\.com/),
  bad('send https://agent.example.com hi', 2, /^parley: HTTPS_PROXY is set/, {
    env: { HTTPS_PROXY: 'http://127.0.0.1:9' },
  }),
  bad('har import note.txt x.jsonl', 2, /^parley: note\.txt is not a HAR file/),
  bad('frobnicate', 2, /^parley: unknown command 'frobnicate'/),
  bad('get AGENT', 2, /^parley: unknown command 'get'\n\(Did you mean task get\?\)/),
]

/** In this process, because sixty processes would take minutes. One that reads its standard input gets one of its own. */
async function typed(args: string[], { env = {}, stdin }: Bad, cwd: string): Promise<{ code: unknown; said: string }> {
  if (stdin !== undefined) {
    const { code, stderr, stdout } = await runParley(args, { cwd, stdin })
    return { code, said: stderr + stdout }
  }
  let said = ''
  const writes = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      said += String(text)
      return true
    }),
  )
  const before = { cwd: process.cwd(), exitCode: process.exitCode }
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
  process.chdir(cwd)
  process.exitCode = 0
  try {
    await main(args)
    return { code: process.exitCode, said }
  } finally {
    process.chdir(before.cwd)
    process.exitCode = before.exitCode
    vi.unstubAllEnvs()
    for (const write of writes) write.mockRestore()
  }
}

describe('bad inputs', () => {
  let folder: string
  let agent: Serving
  const places: Record<string, string> = {}

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'parley-bad-'))
    const files = {
      'note.txt': 'a note',
      'garbage.db': 'this is no database, however long it may be read',
      'typo.yaml': 'serve: { prot: 1 }\n',
      'badport.yaml': 'serve: { port: abc }\n',
      'broken.yaml': 'rules: [{ turns: [[{ compelte: x }]] }]\n',
      'unknown.yaml': 'known: [{ check: card-availabel, reason: later }]\n',
      'proxy.yaml': 'agents: [{ url: "http://127.0.0.1:9" }]\ntranslate: [1.1]\n',
      'many.yaml': `rules:\n${'  - { id: same, turns: [[{ complete: x }]] }\n'.repeat(3_000)}`,
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
    mkdirSync(join(folder, 'folder'))
    agent = await startParley(['serve'])
    const { host, port } = new URL(agent.url)
    Object.assign(places, {
      CLOSED: '127.0.0.1:9',
      HTTPS: `https://${host}`,
      HTML: `${host}/nowhere`,
      TAKEN: port,
      AGENT: host,
    })
  }, 60_000)
  afterAll(async () => {
    await agent.stop()
    rmSync(folder, { recursive: true })
  })

  test('there are no fewer than were once found', () => expect(INPUTS.length).toBeGreaterThanOrEqual(62))

  test('each has its sentence and its exit code', { timeout: 240_000 }, async () => {
    const wrong: string[] = []
    for (const input of INPUTS) {
      const named = (word: string) =>
        Object.entries(places).reduce((text, [name, place]) => text.replace(name, place), word)
      const { code, said } = await typed(input.typed.map(named), input, folder)
      const hasStack = /\n {4}at /.test(said) || said.includes('This is a bug in Parley')
      if (code === input.code && input.says.test(said) && !hasStack) continue
      wrong.push(
        `$ parley ${input.typed.join(' ')}\n${String(code)}, expected ${input.code} and ${input.says}\n${said}`,
      )
    }
    expect(wrong.join('\n\n')).toBe('')
  })
})
