// An inspector and a browser that looks at it, for tests. What the page asks for outside of the inspector, and what it
// complains about, is written down.

import { Inspector, type InspectorOptions } from '../../src/inspector/inspector.ts'
import type { Context, Page } from './chromium.ts'
import { browser } from './shared-browser.ts'

export interface Inspected extends AsyncDisposable {
  inspector: Inspector
  url: string
  page: Page
  context: Context
  /** Addresses beyond the inspector. */
  requests: string[]
  errors: string[]
}

export interface InspectedOptions extends InspectorOptions {
  width?: number
  height?: number
  colorScheme?: 'light' | 'dark'
  /** An agent to open at once. */
  agent?: string
  /** Lets axe into the page, which the policy of the page would not. */
  bypassCSP?: boolean
}

/** Long enough for a busy machine, short enough to learn what is missing. */
const TIMEOUT_MS = 15_000

export async function inspected(options: InspectedOptions = {}): Promise<Inspected> {
  const { width = 1280, height = 900, colorScheme = 'light', bypassCSP = false, agent } = options
  const inspector = new Inspector(options)
  const { url } = await inspector.start()
  if (agent !== undefined) inspector.lab.open(agent, { kind: 'none' }, [])
  const context = await (await browser()).newContext({ viewport: { width, height }, colorScheme, bypassCSP })
  context.setDefaultTimeout(TIMEOUT_MS)
  const page = await context.newPage()
  const requests: string[] = []
  const errors: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !/^(blob|data):/.test(request.url())) requests.push(request.url())
  })
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text())
  })
  page.on('pageerror', (error) => errors.push(String(error)))
  await page.goto(inspector.link())
  await page.waitForSelector('.inspector')
  if (agent !== undefined) await page.getByText('connected').first().waitFor()
  return {
    ...{ inspector, url, page, context, requests, errors },
    async [Symbol.asyncDispose]() {
      await context.close()
      await inspector.close()
    },
  }
}

/** For the reference agents: nobody is called. */
export const NO_RELAY = {
  ...{ target: '', allowsChosenTargets: false },
  forward: async () => ({ message: { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [] } }),
}

/** Goes to a view by the rail. */
export async function goTo(page: Page, view: string): Promise<void> {
  await page.locator(`.rail [data-view="${view}"]`).click()
}

export async function say(page: Page, text: string): Promise<void> {
  await page.locator('#message').fill(text)
  await page.locator('#message').press('Enter')
}
