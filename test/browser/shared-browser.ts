// The browser of the tests: one for the whole run, in which each file has windows of its own; outside of a test run, one that
// is started here. Where there is none, tests are skipped loudly, or fail where they are mandatory.

import { type Browser, browserMissing, connectBrowser, openBrowser } from './chromium.ts'

export const missing = browserMissing()
if (missing !== undefined) {
  if (process.env.PARLEY_REQUIRE_SERVERS === '1') throw new Error(missing)
  console.warn(`SKIPPED: tests in a browser. ${missing}`)
}

let shared: Promise<Browser> | undefined

export function browser(): Promise<Browser> {
  shared ??= process.env.VITEST === undefined ? openBrowser() : browserOfTheRun()
  return shared
}

async function browserOfTheRun(): Promise<Browser> {
  const { addressOf } = await import('../servers/run-server-address.ts')
  return connectBrowser(await addressOf('chromium'))
}

/** Closes the windows; the browser of a run goes on. */
export async function closeBrowser(): Promise<void> {
  await (await shared)?.close()
  shared = undefined
}
