// What a person typed for an agent, turned into the places where its card may be: in the order to try them. Pure but
// for one look at the file system, which tells `card.json` from a host of that name.

import { statSync } from 'node:fs'
import { isIP } from 'node:net'
import { DIALECTS } from '../dialects/index.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { refusePath } from '../net/typed-path.ts'

export type Target =
  | { kind: 'file'; path: string }
  /** One place per origin: when one origin cannot be reached, its other URLs need not be tried. */
  | { kind: 'urls'; origins: readonly CardPlaces[] }

export interface CardPlaces {
  origin: string
  urls: readonly string[]
  /** Cards in the root of the origin, which may be another agent's: the target is this URL below it. */
  shared?: { urls: readonly string[]; agent: string }
}

const CARD_PATHS = [...new Set(DIALECTS.flatMap(({ card }) => card.wellKnownPaths))]

export function resolveTarget(target: string, options: { hasCredentials: boolean }): Target {
  const text = target.trim()
  if (text === '') throw badTarget(target)
  if (/^https?:\/\//i.test(text)) return { kind: 'urls', origins: [placesAt(urlOf(text, target))] }
  if (isFile(text)) return { kind: 'file', path: text }
  refusePath(text)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /\.json$/i.test(text.split('/', 1)[0] ?? '')) throw badTarget(target)
  const plain = urlOf(`http://${text}`, target)
  if (isNear(plain.hostname)) return { kind: 'urls', origins: [placesAt(plain)] }
  const secure = placesAt(urlOf(`https://${text}`, target))
  // A secret is not sent in the clear because a TLS handshake failed.
  return { kind: 'urls', origins: options.hasCredentials ? [secure] : [secure, placesAt(plain)] }
}

/** The address itself, for those who look for more than a card there. */
export function targetUrl(target: string): URL {
  const text = target.trim()
  if (/^https?:\/\//i.test(text)) return urlOf(text, target)
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) throw badTarget(target)
  const plain = urlOf(`http://${text}`, target)
  return isNear(plain.hostname) ? plain : urlOf(`https://${text}`, target)
}

function placesAt(url: URL): CardPlaces {
  const { origin, href, pathname } = url
  if (pathname.endsWith('.json')) return { origin, urls: [href] }
  const agent = origin + pathname.replace(/\/+$/, '')
  const below = CARD_PATHS.map((path) => agent + path)
  if (agent === origin) return { origin, urls: [...below, href] }
  const urls = CARD_PATHS.map((path) => origin + path)
  return { origin, urls: [...below, ...urls, href], shared: { urls, agent } }
}

/** Loopback and private addresses seldom have certificates. */
function isNear(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '').toLowerCase()
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true
  if (isIP(host) === 6) return /^f[cd]|^fe[89ab]/.test(host)
  if (isIP(host) !== 4) return !host.includes('.')
  return /^(?:127\.|10\.|192\.168\.|169\.254\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host)
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
}

function urlOf(text: string, target: string): URL {
  if (!URL.canParse(text)) throw badTarget(target)
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') {
    throw new ParleyError('bad-target', 'The URL of the agent holds a user name or password; use -H instead.', {
      exitCode: EXIT.usage,
    })
  }
  url.hash = ''
  return url
}

function badTarget(target: string): ParleyError {
  return new ParleyError('bad-target', `${JSON.stringify(target)} is neither an agent's URL nor a card file.`, {
    exitCode: EXIT.usage,
    hint: 'Give a host (localhost:9999), a URL (https://agent.example.com) or the path of a card file.',
  })
}
