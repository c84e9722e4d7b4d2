// Files that pass through a proxy, and the credentials it shows the agent.

import { describe, expect, test } from 'vitest'
import { formatArtifactUri } from '../../src/artifacts/artifact-uri.ts'
import { sendJson, startScriptedServer } from '../peers/scripted-server.ts'
import { forwarded, message, stage, stops, taskOf } from './proxy-stage.ts'

describe('files', () => {
  const ECHO = 'rules: [{ id: echo, match: {}, turns: [[{ complete: ok }]] }]'
  const key = { app: 'app', user: 'alice', session: 's1', name: 'in put.txt' }

  test('that a caller refers to travel as bytes; the text stays', async () => {
    const { mock, as, artifacts } = await stage(ECHO)
    await artifacts.save(key, { bytes: Buffer.from('first'), mimeType: 'text/plain' })
    await artifacts.save(key, { bytes: Buffer.from('second'), mimeType: 'text/plain' })
    const old = formatArtifactUri({ ...key, version: 1 })
    const latest = formatArtifactUri(key)
    await (await as('alice')).sendMessage(
      message([{ text: `Read ${old}, please.` }, { url: latest, mediaType: 'application/json' }]),
    )
    expect(forwarded(mock).parts).toEqual([
      { text: `Read ${old}, please.` },
      { raw: Buffer.from('first').toString('base64'), filename: 'in put.txt', mediaType: 'text/plain' },
      { raw: Buffer.from('second').toString('base64'), filename: 'in put.txt', mediaType: 'application/json' },
    ])
  })

  test.each([
    ['of somebody else', formatArtifactUri(key), 'bob'],
    ['that do not exist', formatArtifactUri({ ...key, name: 'none' }), 'alice'],
    ['of a version that does not exist', formatArtifactUri({ ...key, version: 9 }), 'alice'],
    ['of another app', formatArtifactUri({ ...key, app: 'other' }), 'alice'],
  ])('%s are refused and nothing is sent', async (_, uri, user) => {
    const { mock, as, artifacts } = await stage(ECHO)
    await artifacts.save(key, { bytes: Buffer.from('x') })
    const client = await as(user)
    for (const part of [{ text: `Read ${uri}` }, { url: uri }])
      await expect(client.sendMessage(message([part]))).rejects.toMatchObject({
        kind: 'InvalidParams',
        message: expect.stringContaining('Nothing was sent.'),
      })
    expect(mock.requests({ operation: 'sendMessage' })).toHaveLength(0)
  })

  const bytes = (text: string) => Buffer.from(text).toString('base64')
  const piece = (text: string, more: object) =>
    JSON.stringify({
      artifactUpdate: {
        artifact: { artifactId: 'a', name: 'r.bin', parts: [{ raw: bytes(text), filename: 'r.bin' }] },
        ...more,
      },
    })

  test.each(['stream', 'send'])('sent in chunks become one version (%s)', async (mode) => {
    const turns = `[[{ status: working }, ${piece('one ', {})}, { status: working, text: half }, ${piece('two ', { append: true })}, ${piece('three', { append: true, lastChunk: true })}, { complete: ok }]]`
    const events = turns.replaceAll(/\{"artifactUpdate/g, '{ event: {"artifactUpdate').replaceAll('}},', '}} },')
    const { as, artifacts } = await stage(`rules: [{ id: chunks, match: {}, turns: ${events} }]`)
    const alice = await as('alice')
    const ids = { contextId: 's1' }
    if (mode === 'stream') for await (const _ of alice.streamMessage(message('go', ids)));
    else await alice.sendMessage(message('go', ids))
    const owner = { app: 'app', user: 'alice', session: 's1', name: 'r.bin' }
    expect(await artifacts.versions(owner)).toHaveLength(1)
    const stored = await artifacts.load(owner)
    expect(Buffer.from(stored?.bytes ?? []).toString()).toBe('one two three')
    const { tasks } = await alice.listTasks({ includeArtifacts: true })
    const version = stored?.metadata.version
    expect(tasks[0]?.artifacts?.[0]?.parts).toEqual([
      { url: formatArtifactUri({ ...owner, ...(version === undefined ? {} : { version }) }), filename: 'r.bin' },
    ])
  })
})

describe('credentials for the agent', () => {
  const guarded = (security: string) => `
agent: { security: [${security}] }
rules: [{ id: ok, match: {}, turns: [[{ status: working }, { complete: ok }]] }]`

  test.each([
    ['bearer', '{ bearer: s3cret }', { is: 'bearer', token: 's3cret' }],
    ['api key', '{ apiKey: { header: X-Key, value: s3cret } }', { is: 'api-key', header: 'X-Key', key: 's3cret' }],
  ])('%s', async (_, security, auth) => {
    const { as } = await stage(guarded(security), {}, { auth })
    const task = await taskOf((await as('alice')).sendMessage(message()))
    expect(task.status.state).toBe('TASK_STATE_COMPLETED')
  })

  test('OAuth2: one token for many calls, a new one after a refusal, for streams too', async () => {
    let issued = 0
    const tokens = await startScriptedServer((request, res) => {
      expect(request.body).toContain('grant_type=client_credentials')
      sendJson(res, 200, { access_token: `token-${++issued}`, expires_in: 3600, token_type: 'Bearer' })
    })
    stops.push(() => tokens.close())
    const auth = { is: 'oauth2', tokenUrl: `${tokens.url}/token`, clientId: 'me', clientSecret: 's3cret' }
    const { mock, as } = await stage(guarded('bearer'), {}, { auth })
    const alice = await as('alice')
    await Promise.all([1, 2, 3, 4].map(() => alice.sendMessage(message())))
    expect(issued).toBe(1)
    mock.refuseOnce()
    expect((await taskOf(alice.sendMessage(message()))).status.state).toBe('TASK_STATE_COMPLETED')
    expect(issued).toBe(2)
    mock.refuseOnce()
    const states: string[] = []
    for await (const { event } of alice.streamMessage(message()))
      if ('statusUpdate' in event) states.push(event.statusUpdate.status.state)
    expect(states.at(-1)).toBe('TASK_STATE_COMPLETED')
    expect(issued).toBe(3)
    mock.refuseOnce()
    mock.inject({ do: 'http-status', with: { status: 401 }, at: { operation: 'sendMessage' }, after: 0 })
    await expect(alice.sendMessage(message())).rejects.toMatchObject({ kind: 'Unauthenticated' })
  })

  test('a token server that refuses is named, without the secret', async () => {
    const tokens = await startScriptedServer((_, res) => sendJson(res, 401, { error: 'invalid_client' }))
    stops.push(() => tokens.close())
    const auth = { is: 'oauth2', tokenUrl: tokens.url, clientId: 'me', clientSecret: 's3cret' }
    const { as } = await stage(guarded('bearer'), {}, { auth })
    const failure = await (await as('alice')).sendMessage(message()).catch((error: Error) => error)
    expect(failure).toMatchObject({ kind: 'Unavailable', message: expect.stringContaining('invalid_client') })
    expect(JSON.stringify(failure)).not.toContain('s3cret')
  })
})
