import { expect, test } from 'vitest'
import { clientCredentials } from './token-provider.ts'

const CLIENT = { tokenUrl: 'https://login.example.com/token', clientId: 'batch', clientSecret: 'secret' }

test('a refusal is told to a program in the names of its options, not in flags of the command line', async () => {
  const tokens = clientCredentials({
    ...CLIENT,
    fetch: async () => Response.json({ error: 'invalid_client' }, { status: 401 }),
  })
  await expect(tokens.token()).rejects.toMatchObject({
    code: 'no-token',
    message: 'The authorization server of the agent gave no token: it answered HTTP 401 (invalid_client).',
    hint: 'Check clientId, clientSecret and scope of clientCredentials.',
  })
})

test('a token is kept until it ends', async () => {
  let asked = 0
  const tokens = clientCredentials({
    ...CLIENT,
    fetch: async () => Response.json({ access_token: `t${++asked}`, token_type: 'Bearer', expires_in: 3600 }),
  })
  expect([await tokens.token(), await tokens.token(), asked]).toEqual(['t1', 't1', 1])
})
