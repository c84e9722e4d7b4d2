import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../test/peers/recorded-io.ts'
import { uiCommand } from './ui.ts'

const stopped = async () => {}
const ui = (...args: string[]) => runCommand((io) => uiCommand(io, stopped), args)

describe('parley ui', () => {
  const taken = createServer()
  let port = 0
  beforeAll(async () => {
    await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve))
    const address = taken.address()
    port = address !== null && typeof address === 'object' ? address.port : 0
  })
  afterAll(() => void taken.close())

  test('prints a link that has its token in the fragment, and says how to get another', async () => {
    const { out } = await ui('--no-open')
    expect(out).toMatch(/http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}\n/)
    expect(out).toContain('press Enter for another')
  })

  test('for programs as JSON', async () => {
    const { out } = await ui('-o', 'json')
    expect(JSON.parse(out)).toEqual({
      event: 'ready',
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      link: expect.stringContaining('/#token='),
    })
  })

  test.each([
    ['a port that is taken', 1, () => ['--port', String(port)], /Port \d+ is already in use.*choose another port/],
    ['an address others can reach', 2, () => ['--host', '0.0.0.0'], /0\.0\.0\.0 can be reached from other machines/],
    [
      'a recording that is not there',
      2,
      () => ['--recording', '/nowhere/x.jsonl'],
      /x\.jsonl .*there is no such file\./,
    ],
    [
      'a recording that is none',
      2,
      () => ['--recording', import.meta.filename],
      /cannot be shown: it is not a recording/,
    ],
    ['a fleet that is not there', 2, () => ['--fleet', '/nowhere/fleet.db'], /\/nowhere\/fleet\.db/],
  ])('refuses %s in one sentence', async (_, exitCode, args, message) => {
    const failed = expect.objectContaining({ exitCode, message: expect.stringMatching(message) })
    await expect(ui('--no-open', ...args())).rejects.toEqual(failed)
  })
})
