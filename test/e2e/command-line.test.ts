// What a person meets before any command runs: the overview, help, versions, and output nobody can take.

import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { A2AClient } from '../../src/client/a2a-client.ts'
import { EXIT } from '../../src/model/errors.ts'
import { PARLEY_ENTRY } from '../support/parley-command.ts'
import { runParley, startParley, startParleyProcess } from '../support/parley-process.ts'

test('without arguments it says in one screen what it can do', async () => {
  const { code, stdout } = await runParley([], { env: { npm_command: 'exec' } })
  expect(code).toBe(0)
  expect(stdout).toContain('You have an agent    npx a2a-parley http://localhost:3000\n')
  for (const name of Object.keys(COMMANDS)) expect(stdout).toContain(`\n  ${name} `)
  expect(stdout.split('\n').length).toBeLessThanOrEqual(40)
  expect((await runParley(['help'], { env: { npm_command: 'exec' } })).stdout).toBe(stdout)
})

test('help on a command is that command’s help', async () => {
  const asked = await runParley(['help', 'send'])
  expect(asked).toMatchObject({ code: 0, stdout: (await runParley(['send', '--help'])).stdout })
})

test('help on exit codes names every code there is', async () => {
  const { stdout } = await runParley(['help', 'exit-codes'])
  const codes = [...stdout.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code))
  expect(codes).toEqual(Object.values(EXIT))
})

test('help on something unknown suggests what was meant', async () => {
  const { code, stderr } = await runParley(['help', 'exit-code'])
  expect(code).toBe(EXIT.usage)
  expect(stderr).toContain("There is no help on 'exit-code'; did you mean 'exit-codes'?")
})

test.each(['-v', '-V', '--version'])('%s prints the version', async (flag) => {
  expect(await runParley([flag])).toMatchObject({ code: 0, stdout: '0.1.0\n' })
})

test('an address alone is judged quickly', async () => {
  const { code, stdout } = await runParley(['127.0.0.1:9', '--no-report'])
  expect(code).toBe(EXIT.unreachable)
  expect(stdout).toContain('not determined')
})

test.each([['--help'], ['test', '--list']])('a full disk is one sentence, not a stack trace: %s', (...args) => {
  const full = openSync('/dev/full', 'w')
  const { status, stderr } = spawnSync(process.execPath, [PARLEY_ENTRY, ...args], { stdio: ['ignore', full, 'pipe'] })
  expect(status).toBe(EXIT.failed)
  expect(stderr.toString()).toBe(
    'parley: Writing to standard output failed: the disk is full; free some space, or write somewhere else.\n',
  )
})

test('Ctrl-C during a plain send finds the task by the message, and says how to cancel it', async () => {
  const serving = await startParley(['serve'])
  try {
    const agent = `${serving.url}/spec`
    const sending = startParleyProcess(['send', agent, 'task-cancel please'])
    using client = await A2AClient.connect(agent)
    let id: string | undefined
    while (id === undefined) id = (await client.listTasks({})).tasks[0]?.id
    sending.kill('SIGINT')
    const { code, stderr } = await sending.finished
    expect(code).toBe(EXIT.interrupted)
    expect(stderr).toContain(`The agent is still working on task ${id}; to cancel it: `)
  } finally {
    await serving.stop()
  }
})

test.each([
  [
    'says how to cancel the task',
    ['--stream'],
    /is still working on task (\S+); to cancel it: .*task cancel \S+ \1\n/,
    'working',
  ],
  ['cancels the task when asked to', ['--stream', '--cancel-on-interrupt'], /Canceled task \S+\.\n/, 'canceled'],
  ['cancels it also without a stream', ['--cancel-on-interrupt'], /Canceled task \S+\.\n/, 'canceled'],
])('Ctrl-C while an agent works %s', async (_name, flags, said, state) => {
  const serving = await startParley(['serve'])
  try {
    const agent = `${serving.url}/spec`
    const sending = startParleyProcess(['send', agent, 'task-cancel please', ...flags])
    await sending.stderrMatching(/^task \S+$/m)
    sending.kill('SIGINT')
    const { code, stderr } = await sending.finished
    expect(code).toBe(EXIT.interrupted)
    expect(stderr).toMatch(said)
    const id = /^task (\S+)$/m.exec(stderr)?.[1] ?? ''
    expect((await runParley(['task', 'get', agent, id])).stdout).toMatch(new RegExp(`^${state} · task ${id}`))
  } finally {
    await serving.stop()
  }
})
