// How to authenticate, from what the page asked for to what the client takes. Values stay in this process: they are
// registered with the redactor before anything is sent, and `$NAME` is read from the environment here.

import type { ClientOptions } from '../client/a2a-client.ts'
import type { LoginOptions } from '../client/agent-login.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { checkTls } from '../net/serve/check-tls.ts'
import type { Redactor } from '../trace/redact.ts'
import type { AuthForm } from './views.ts'

export interface GivenCredentials {
  readonly options: Pick<ClientOptions, 'bearer' | 'apiKey' | 'headers' | 'tls'>
  readonly login?: LoginOptions
  /** In a few words, without the secret. */
  readonly summary: string
}

const REFERENCE = /^\$\{?([A-Za-z_]\w*)\}?$/

/** The name of the environment variable a secret refers to. */
export function referenceIn(text: string | undefined): string | undefined {
  return REFERENCE.exec((text ?? '').trim())?.[1]
}

export function credentialsOf(form: AuthForm, redactor: Redactor, env: NodeJS.ProcessEnv): GivenCredentials {
  const secret = secretOf(form.secret, env)
  if (secret !== '') redactor.register(secret)
  const from = referenceIn(form.secret)
  const place = from === undefined ? 'for this session' : `from $${from}`
  switch (form.kind) {
    case 'none':
      return { options: {}, summary: 'no credentials' }
    case 'bearer':
      return { options: { bearer: needed(secret, 'a token') }, summary: `bearer ${place}` }
    case 'apiKey':
      return { options: { apiKey: needed(secret, 'a key') }, summary: `API key ${place}` }
    case 'basic': {
      const value = Buffer.from(`${needed(form.name, 'a user')}:${secret}`).toString('base64')
      redactor.register(value)
      return { options: { headers: [['Authorization', `Basic ${value}`]] }, summary: `basic ${place}` }
    }
    case 'header': {
      const name = needed(form.name, 'the name of a header')
      return { options: { headers: [[name, needed(secret, 'a value')]] }, summary: `header ${name} ${place}` }
    }
    case 'certificate':
      return { options: { tls: tlsOf(form, redactor) }, summary: 'client certificate for this session' }
    case 'oauth':
      return { options: {}, login: loginOptionsOf(form, redactor, env), summary: `OAuth 2.0 as ${form.clientId ?? ''}` }
  }
}

function loginOptionsOf(form: AuthForm, redactor: Redactor, env: NodeJS.ProcessEnv): LoginOptions {
  const clientSecret = secretOf(form.clientSecret, env)
  if (clientSecret !== '') redactor.register(clientSecret)
  const scope = (form.scope ?? '').split(/\s+/).filter((each) => each !== '')
  return {
    clientId: needed(form.clientId, 'a client id'),
    ...(clientSecret === '' ? {} : { clientSecret }),
    ...(scope.length === 0 ? {} : { scope }),
    ...(form.flow === undefined ? {} : { flow: form.flow }),
    ...(form.issuer === undefined || form.issuer === '' ? {} : { issuer: form.issuer }),
  }
}

function tlsOf({ cert, key, ca }: AuthForm, redactor: Redactor): NonNullable<ClientOptions['tls']> {
  if (key !== undefined && key !== '') redactor.register(key)
  const given = { cert, key, ca }
  const material = Object.fromEntries(
    Object.entries(given).flatMap(([part, text]) =>
      text === undefined || text === '' ? [] : [[part, Buffer.from(text)]],
    ),
  )
  checkTls(material, { cert: 'The certificate', key: 'The key', ca: 'The authority' })
  return material
}

function secretOf(text: string | undefined, env: NodeJS.ProcessEnv): string {
  const name = referenceIn(text)
  if (name === undefined) return text ?? ''
  const value = env[name]
  if (value !== undefined && value !== '') return value
  throw new ParleyError(
    'no-such-variable',
    `The environment variable ${name} is not set where parley ui was started.`,
    {
      exitCode: EXIT.usage,
      hint: 'Set it and start parley ui again, or give the value for this session.',
    },
  )
}

function needed(text: string | undefined, what: string): string {
  if (text !== undefined && text !== '') return text
  throw new ParleyError('incomplete', `Authentication needs ${what}.`, { exitCode: EXIT.usage })
}
