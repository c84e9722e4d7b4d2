import { appendFile, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Exchange } from './exchange.ts'
import { RecordWriter, readRecording } from './record.ts'

let folder = ''
let path = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-record-'))
  path = join(folder, 'run.jsonl')
})
afterEach(() => rm(folder, { recursive: true }))

const exchange = (id: string): Exchange => ({
  id,
  startedAt: '2026-01-01T00:00:00.000Z',
  request: { method: 'POST', url: 'http://127.0.0.1/', headers: [['A', 'b']], body: Buffer.from('{"text":"grüße"}') },
  response: {
    status: 200,
    headers: [['C', 'd']],
    body: Buffer.from([0xff, 0x00]),
    incomplete: 'cut',
    frames: [{ atMs: 3, event: undefined, id: '1', data: 'x\ny' }],
  },
  failure: 'cut',
  durationMs: 5,
  repeated: 'the connection ended',
})

async function record(count: number): Promise<RecordWriter> {
  const writer = await RecordWriter.create(path)
  for (let index = 1; index <= count; index++) await writer.append(exchange(`x${index}`))
  return writer
}

/** What a crash leaves: everything but the footer. */
async function recordWithoutEnd(count: number): Promise<void> {
  await (await record(count)).close()
  await writeFile(path, (await readFile(path, 'utf8')).replace(/[^\n]*\n$/, ''))
}

describe('a recording', () => {
  test('reads back as it was written', async () => {
    await (await record(2)).close()
    const recording = await readRecording(path)
    expect(recording.unfinished).toBeUndefined()
    expect(recording.exchanges).toEqual([exchange('x1'), exchange('x2')])
  })

  test('keeps the order of calls that did not wait', async () => {
    const writer = await RecordWriter.create(path)
    const ids = Array.from({ length: 50 }, (_, index) => `x${index}`)
    await Promise.all(ids.map((id) => writer.append(exchange(id))))
    await writer.close()
    expect((await readRecording(path)).exchanges.map(({ id }) => id)).toEqual(ids)
  })

  test('is readable by its owner only and holds no secret', async () => {
    const writer = await RecordWriter.create(path)
    const secret = exchange('x1')
    secret.request.headers = [['Authorization', 'Bearer canary-1']]
    await writer.append(secret)
    await writer.close()
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect(await readFile(path, 'utf8')).not.toContain('canary-1')
  })

  test('is not overwritten unless asked, and can be continued, finished or not', async () => {
    await (await record(1)).close()
    await expect(RecordWriter.create(path)).rejects.toMatchObject({ code: 'recording-exists', exitCode: 2 })
    const more = await RecordWriter.create(path, { ifRecorded: 'append' })
    await more.append(exchange('x2'))
    await more.close()
    expect(await readRecording(path)).toMatchObject({ exchanges: [{ id: 'x1' }, { id: 'x2' }], unfinished: undefined })
    await writeFile(path, (await readFile(path, 'utf8')).replace(/[^\n]*\n$/, '{"id":"torn'))
    const afterCrash = await RecordWriter.create(path, { ifRecorded: 'append' })
    await afterCrash.append(exchange('x3'))
    await afterCrash.close()
    expect((await readRecording(path)).exchanges.map(({ id }) => id)).toEqual(['x1', 'x2', 'x3'])
    await (await RecordWriter.create(path, { ifRecorded: 'overwrite' })).close()
    expect((await readRecording(path)).exchanges).toEqual([])
    await writeFile(path, 'something else')
    await expect(RecordWriter.create(path, { ifRecorded: 'append' })).rejects.toMatchObject({
      code: expect.stringMatching(/^(?:not-a-recording|recording-damaged)$/),
    })
  })

  test('without its last line is read, and said to be unfinished', async () => {
    await recordWithoutEnd(2)
    const recording = await readRecording(path)
    expect(recording.exchanges).toHaveLength(2)
    expect(recording.unfinished).toMatch(/was not finished: it has 2 exchanges\.$/)
  })

  test('with a torn last line leaves that line out, and says so', async () => {
    await recordWithoutEnd(1)
    await appendFile(path, '{"id":"x2","startedAt":"2026-01-01T00:00:00.000Z","requ')
    const recording = await readRecording(path)
    expect(recording.exchanges).toHaveLength(1)
    expect(recording.unfinished).toMatch(/cut off and left out/)
  })

  test.each([
    ['a torn line inside', (text: string) => text.replace('"request"', '"requ\n'), 'recording-damaged'],
    ['an exchange missing', (text: string) => text.replace(/.*"x1".*\n/, ''), 'recording-damaged'],
    ['something after its end', (text: string) => `${text}{"id"`, 'recording-damaged'],
    [
      'a forbidden member',
      (text: string) => text.replace('"request"', '"__proto__":{},"request"'),
      'recording-damaged',
    ],
    ['another version', (text: string) => text.replace('"version":1', '"version":2'), 'recording-version'],
    ['another format', () => '{"hello":1}\n', 'not-a-recording'],
    ['nothing', () => '', 'not-a-recording'],
  ])('with %s is refused', async (_, damage, code) => {
    await (await record(2)).close()
    await writeFile(path, damage(await readFile(path, 'utf8')))
    await expect(readRecording(path)).rejects.toMatchObject({ name: 'ParleyError', code })
  })

  test('that cannot be opened says what to check', async () => {
    await expect(readRecording(join(folder, 'absent'))).rejects.toMatchObject({ code: 'recording-unreadable' })
    await expect(RecordWriter.create(join(folder, 'no', 'such'))).rejects.toMatchObject({
      code: 'recording-unwritable',
    })
  })
})
