import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { SPEC_CARD } from '../agents/cards.ts'
import { specAgent } from '../agents/spec.ts'
import { createServer } from '../server/index.ts'
import { sendCommand } from './send.ts'
import { taskCommand } from './task.ts'

const task = (...args: string[]) => runCommand(taskCommand, [...args, '-q'])
const send = (...args: string[]) => runCommand(sendCommand, [...args, '-q'])

let server: ReturnType<typeof createServer>
let agent: string
let folder: string

beforeAll(async () => {
  server = createServer({ card: SPEC_CARD, agent: specAgent, unversionedAs: '1.0' })
  agent = (await server.listen({ port: 0 })).url
  folder = await mkdtemp(join(tmpdir(), 'parley-task-'))
})
afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

async function started(text: string): Promise<string> {
  const { out } = await send(agent, text, '--no-wait', '-o', 'json')
  return (JSON.parse(out) as { task: { id: string } }).task.id
}

describe('parley task', () => {
  test('shows a task', async () => {
    const id = await started('task-cancel please')
    const { out } = await task('get', agent, id)
    expect(out).toMatch(new RegExp(`^(submitted|working) · task ${id} · context `))
    await task('cancel', agent, id)
  })

  test('cancels a task', async () => {
    const id = await started('task-cancel please')
    expect((await task('cancel', agent, id)).out).toContain(`canceled · task ${id}`)
  })

  test('lists tasks by state, newest first, up to the limit', async () => {
    const ids = [await started('task-cancel one'), await started('task-cancel two')]
    const { out } = await task('list', agent, '--status', 'working')
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(/\s+/)[1]),
    ).toEqual(ids.toReversed())
    const limited = await runCommand(taskCommand, ['list', agent, '--status', 'WORKING', '--limit', '1'])
    expect(limited.out.trim().split('\n')).toHaveLength(1)
    expect(limited.err).toContain('1 of 2; --limit 2 shows all.')
    for (const id of ids) await task('cancel', agent, id)
    expect((await task('list', agent, '--status', 'working')).out).toBe('There are no such tasks.\n')
  })

  test('follows a task to its end', async () => {
    const id = await started('streaming please')
    const { out, exitCode } = await task('follow', agent, id)
    expect(out).toContain('completed')
    expect(exitCode).toBe(0)
  })

  test('shows a task that has ended instead of following it', async () => {
    const id = await started('task-failure')
    await task('follow', agent, id)
    const { out, exitCode } = await task('follow', agent, id)
    expect(out).toContain(`failed · task ${id}`)
    expect(exitCode).toBe(1)
  })

  test('saves files under harmless names, and overwrites none', async () => {
    const id = await started('data-types')
    await task('follow', agent, id)
    const first = await task('get', agent, id, '--save', folder)
    const names = await readdir(folder)
    expect(names.length).toBeGreaterThan(0)
    expect(first.err).toContain(`Saved ${join(folder, names[0] ?? '')}`)
    await task('get', agent, id, '--save', folder)
    expect(await readdir(folder)).toHaveLength(names.length * 2)
    expect((await readFile(join(folder, names[0] ?? ''))).length).toBeGreaterThan(0)
  })

  test.each([
    [['get', 'AGENT'], 'Name the task'],
    [['list', 'AGENT', 'x'], 'task list takes no task id'],
    [['list', 'AGENT', '--status', 'runing'], 'not "runing"'],
    [['list', 'AGENT', '--limit', 'all'], '--limit takes a whole number'],
  ])('refuses %j in one sentence', async (args, message) => {
    await expect(task(...args.map((word) => (word === 'AGENT' ? agent : word)))).rejects.toThrow(message)
  })
})
