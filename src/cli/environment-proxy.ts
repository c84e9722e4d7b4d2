// HTTP proxies from the environment are not used: Parley decides itself which addresses it calls and shows the bytes it sent.
// Going direct where a proxy is meant would end in a long silence, so it is refused before anything is sent.

import { usage } from './flag-values.ts'

const NAMES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'] as const

/** Throws when a word of the command line is an address that a proxy of the environment is meant for. */
export function refuseEnvironmentProxy(words: readonly string[], env: NodeJS.ProcessEnv = process.env): void {
  const name = NAMES.find((each) => env[each] !== undefined && env[each] !== '')
  if (name === undefined) return
  const exempt = (env.NO_PROXY ?? env.no_proxy ?? '').split(/[\s,]+/).filter((entry) => entry !== '')
  const host = words.flatMap(hostIn).find((each) => !isLoopback(each) && !isExempt(each, exempt))
  if (host === undefined) return
  throw usage(
    `${name} is set, but Parley connects to ${host} directly and does not use proxies.`,
    `If ${host} can be reached directly, add it to NO_PROXY; else run Parley where it can.`,
  )
}

function hostIn(word: string): string[] {
  if (!/^https?:\/\//i.test(word)) return []
  const url = URL.parse(word)
  return url === null ? [] : [url.hostname.replace(/^\[|\]$/g, '').toLowerCase()]
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127\./.test(host)
}

/** `*`, `example.com`, `.example.com`, `example.com:443`. */
function isExempt(host: string, entries: readonly string[]): boolean {
  return entries.some((entry) => {
    const name = entry
      .replace(/:\d+$/, '')
      .replace(/^\*?\./, '')
      .toLowerCase()
    return name === '*' || host === name || host.endsWith(`.${name}`)
  })
}
