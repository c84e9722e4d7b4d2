import { at, type Mutant, mutant, put, text } from './mutant.ts'

const EXTENSION = 'a2a-extensions'
const NEEDED = 'https://parley.invalid/extensions/needed/v1'
const EXTRA = 'https://parley.invalid/extensions/extra/v1'

export const negotiationMutants: Mutant[] = [
  // ── versions ──
  mutant('version-ignored', 'The version header is ignored.', {
    request: (call) => {
      call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-only-send', 'Only sends look at the version.', {
    request: (call) => {
      if (call.op !== 'sendMessage') call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-major-only', 'Only the major version is compared.', {
    request: (call) => {
      if (/^1\.\d/.test(call.headers['a2a-version'] ?? '')) call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-exact', 'The version must be exactly 1.0.', {
    request: (call) => {
      if (call.headers['a2a-version']?.startsWith('1.0.') === true) call.headers['a2a-version'] = '7.0'
    },
  }),
  mutant('version-empty-is-latest', 'An empty version means the newest.', {
    request: (call) => {
      if (call.headers['a2a-version'] === '') call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-missing-is-latest', 'No version means the newest.', {
    request: (call) => {
      call.headers['a2a-version'] ??= '1.0'
    },
  }),
  mutant('version-malformed', 'Malformed versions mean the newest.', {
    request: (call) => {
      const version = call.headers['a2a-version']
      if (version !== undefined && !/^\d+\.\d+/.test(version) && version !== '') call.headers['a2a-version'] = '1.0'
    },
  }),
  mutant('version-crash', 'Malformed versions crash the server.', {
    answer: (call) => {
      const version = call.headers['a2a-version']
      return version !== undefined && version !== '' && !/^\d+\.\d+/.test(version)
        ? { status: 500, headers: {}, text: 'Internal Server Error' }
        : undefined
    },
  }),
  mutant('version-current-refused', 'Now and then version 1.0 is refused.', {
    request: (call) => {
      // Triage is let through: an agent that refuses everything is not judged at all.
      if (call.op !== 'getTask') return
      const count = Number(call.memory.get('calls') ?? 0) + 1
      call.memory.set('calls', count)
      if (count > 2 && call.headers['a2a-version'] === '1.0') call.headers['a2a-version'] = '7.0'
    },
  }),
  mutant('version-absent-crash', 'An empty or missing version crashes the server.', {
    answer: (call) => {
      if (call.isCard || (call.headers['a2a-version'] ?? '') !== '' || /a2a-version/i.test(call.path)) return undefined
      const error = call.isRpc ? { code: -32603, message: 'Oops' } : { code: 500, status: 'INTERNAL', message: 'Oops' }
      const body = call.isRpc ? { jsonrpc: '2.0', id: at(call.body, 'id') ?? null, error } : { error }
      return {
        status: call.isRpc ? 200 : 500,
        headers: { 'content-type': 'application/json' },
        text: JSON.stringify(body),
      }
    },
  }),
  mutant('version-query-ignored', 'The version in the query is ignored.', {
    request: (call) => {
      call.path = call.path.replace(/([?&])A2A-Version=[^&]*/i, '$1')
    },
  }),
  mutant('version-after-effect', 'A request of an unknown version is carried out and then refused.', {
    answer: async (call) => {
      if (call.op !== 'sendMessage' || call.headers['a2a-version'] !== '99.0') return undefined
      await call.ask({ headers: { ...call.headers, 'a2a-version': '1.0' } })
      return undefined
    },
  }),
  mutant('version-legacy-answer', 'Requests of 1.0 are answered in the form of 0.3.', {
    result: {
      getTask: (task) => {
        put(task, 'kind', 'task')
        put(task, 'status.state', text(task, 'status.state').replace('TASK_STATE_', '').toLowerCase())
        return undefined
      },
    },
  }),
  // ── extensions ──
  mutant(
    'extension-not-enforced',
    'A required extension is not asked for.',
    {
      request: (call) => {
        call.headers[EXTENSION] = NEEDED
      },
    },
    'extension',
  ),
  mutant(
    'extension-not-enforced-stream',
    'A required extension is not asked for on streams.',
    {
      request: (call) => {
        if (call.op === 'streamMessage') call.headers[EXTENSION] = NEEDED
      },
    },
    'extension',
  ),
  mutant(
    'extension-prefix',
    'Another version of a required extension is taken for it.',
    {
      request: (call) => {
        if (call.headers[EXTENSION]?.includes(NEEDED) === true) call.headers[EXTENSION] = NEEDED
      },
    },
    'extension',
  ),
  mutant(
    'extension-list-unread',
    'Only one extension can be named.',
    {
      request: (call) => {
        if (call.headers[EXTENSION]?.includes(',') === true) delete call.headers[EXTENSION]
      },
    },
    'extension',
  ),
  mutant('extension-unknown-refused', 'Unknown extensions are refused.', {
    request: (call) => {
      if (call.headers[EXTENSION]?.includes('unknown') === true) call.headers['a2a-version'] = '66.0'
    },
  }),
  mutant('extension-unknown-echoed', 'All extensions asked for are echoed.', {
    reply: (reply, call) => {
      const asked = call.headers[EXTENSION]
      if (asked !== undefined) reply.headers[EXTENSION] = asked
    },
  }),
  mutant(
    'extension-silent',
    'Activated extensions are not named.',
    { reply: (reply) => void delete reply.headers[EXTENSION] },
    'extension',
  ),
  mutant(
    'extension-downgraded',
    'The declared version is used whatever was asked for.',
    {
      reply: (reply, call) => {
        if (call.headers[EXTENSION]?.includes('/v99') === true) reply.headers[EXTENSION] = `${NEEDED}, ${EXTRA}`
      },
    },
    'extension',
  ),
  mutant(
    'extension-always-active',
    'Optional extensions are always active.',
    {
      reply: (reply, call) => {
        if (!call.isCard) reply.headers[EXTENSION] = EXTRA
      },
    },
    'extension',
  ),
  mutant('extension-repeated-unread', 'Repeated extension headers are refused.', {
    answer: (call) =>
      call.headers[EXTENSION]?.includes(',') === true && call.op === 'sendMessage'
        ? {
            status: 400,
            headers: { 'content-type': 'application/json' },
            text: '{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"one header only"}}',
          }
        : undefined,
  }),
]
