// Claims of the card about bindings, tenants and other interfaces, and what privileged callers may see.

import { isJsonObject, type JsonObject } from '../../src/model/json.ts'
import { at, list, type Mutant, type Mutation, mutant, put, text } from './mutant.ts'

const TENANT = 'acme'

/** Every interface of the card belongs to a tenant. */
function withTenant(mutation: Mutation): Mutation {
  return {
    card: (card) => {
      for (const entry of list(card, 'supportedInterfaces')) put(entry, 'tenant', TENANT)
      return card
    },
    ...mutation,
  }
}

function addInterface(entry: JsonObject): Mutation {
  return { card: (card) => put(card, 'supportedInterfaces', [...list(card, 'supportedInterfaces'), entry]) }
}

const isSecond = (headers: Record<string, string>) => headers.authorization === 'Bearer mutants-second-user'

export const claimMutants: Mutant[] = [
  mutant('card-hides-rest', 'REST is served but not declared.', {
    card: (card) => put(card, 'supportedInterfaces', list(card, 'supportedInterfaces').slice(0, 1)),
  }),
  mutant(
    'card-custom-relative',
    'A custom binding has a path instead of a url.',
    addInterface({
      protocolBinding: 'https://parley.invalid/bindings/queue/v1',
      url: '/queue',
      protocolVersion: '1.0',
    }),
  ),
  mutant(
    'card-custom-word',
    'A custom binding is a word.',
    addInterface({ protocolBinding: 'queue', url: 'amqp://parley.invalid/queue', protocolVersion: '1.0' }),
  ),
  mutant(
    'card-unencrypted',
    'A public interface is not encrypted.',
    addInterface({ protocolBinding: 'GRPC', url: 'http://agent.parley.invalid/', protocolVersion: '1.0' }),
  ),
  mutant('card-version-misspelled', 'One interface is of version v1.0.', {
    card: (card) => put(card, 'supportedInterfaces.1.protocolVersion', 'v1.0'),
  }),
  mutant('card-version-refused', 'An interface declares a version it refuses.', {
    card: (card) => put(card, 'supportedInterfaces.1.protocolVersion', '1.7'),
  }),
  mutant('card-second-dead', 'A second interface of the same kind answers nothing.', {
    card: (card) => {
      const [first] = list(card, 'supportedInterfaces')
      const second = { ...(first as JsonObject), url: new URL('/replica', text(first, 'url')).href }
      return put(card, 'supportedInterfaces', [...list(card, 'supportedInterfaces'), second])
    },
  }),
  mutant(
    'spec03-card-url-relative',
    'The url of an old card is a path.',
    { card: (card) => put(card, 'url', new URL(text(card, 'url')).pathname) },
    'spec03',
  ),
  mutant(
    'spec03-card-transport-misspelled',
    'A transport of an old card is in lower case.',
    { card: (card) => put(card, 'additionalInterfaces.1.transport', 'http+json') },
    'spec03',
  ),
  mutant('list-by-creation', 'Lists are sorted by the time of creation.', {
    result: {
      sendMessage: (sent, { memory }) => {
        const id = text(sent, 'task.id')
        if (id !== '' && !memory.has(id)) memory.set(id, memory.size)
        return undefined
      },
      listTasks: (page, { memory }) => {
        const age = (task: unknown) => Number(memory.get(text(task as JsonObject, 'id')) ?? 0)
        put(
          page,
          'tasks',
          list(page, 'tasks').toSorted((a, b) => age(b) - age(a)),
        )
        return undefined
      },
    },
  }),
  mutant(
    'extended-leaks',
    'The refusal of the extended card tells its name.',
    {
      error: (error, _reply, call) =>
        call.op === 'getExtendedCard' && isSecond(call.headers)
          ? { ...error, message: 'Parley Spec Agent (Extended) is not for you.' }
          : error,
    },
    'secured',
  ),
  mutant(
    'extended-denied-badly',
    'A caller who may not see the extended card crashes the server.',
    {
      error: (error, reply, call) => {
        if (call.op !== 'getExtendedCard' || !isSecond(call.headers)) return error
        reply.status = call.isRpc ? 200 : 500
        return { ...error, code: call.isRpc ? -32603 : 500 }
      },
    },
    'secured',
  ),
  mutant(
    'tenant-ignored',
    'All tenants share their tasks.',
    withTenant({
      request: (call) => {
        put(call.isRpc ? at(call.body, 'params') : call.body, 'tenant', undefined)
        const url = new URL(call.path, 'http://inner')
        url.searchParams.delete('tenant')
        call.path = `${url.pathname.replace(/^\/spec\/[^/]+\/(tasks|message)/, '/spec/$1')}${url.search}`
      },
    }),
  ),
  mutant(
    'tenant-lost',
    'The tasks of a tenant cannot be read.',
    withTenant({
      request: (call) => {
        if (call.op !== 'getTask') return
        if (call.isRpc) put(call.body, 'params.tenant', 'another')
        else
          call.path = call.path
            .replace(`tenant=${TENANT}`, 'tenant=another')
            .replace(`/spec/${TENANT}/`, '/spec/another/')
      },
    }),
  ),
  mutant(
    'tenant-path-missing',
    'There are no routes below a tenant.',
    withTenant({
      answer: (call) =>
        call.path.startsWith(`/spec/${TENANT}/`)
          ? {
              status: 404,
              headers: { 'content-type': 'application/json' },
              text: '{"error":{"code":404,"status":"NOT_FOUND","message":"no such route"}}',
            }
          : undefined,
    }),
  ),
  mutant('version-of-neighbour', 'A version of another interface is served here.', {
    card: (card) => {
      const [first] = list(card, 'supportedInterfaces')
      const url = text(first, 'url').replace('/spec', '/spec03')
      if (isJsonObject(first))
        put(card, 'supportedInterfaces', [
          ...list(card, 'supportedInterfaces'),
          { ...first, url, protocolVersion: '0.3' },
        ])
      return card
    },
    request: (call) => {
      if (call.path.startsWith('/spec') && !call.path.startsWith('/spec03') && call.headers['a2a-version'] === '0.3')
        call.headers['a2a-version'] = '1.0'
    },
  }),
]
