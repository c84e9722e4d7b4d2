// A real browser for tests: Debian's Chromium, driven by playwright-core from tools/. Nothing but the page itself may be
// loaded; whatever it asks for besides is written down.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const TOOLS = join(import.meta.dirname, '..', '..', 'tools', 'package.json')
const CHROMIUM = '/usr/bin/chromium'
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-default-apps',
  '--disable-sync',
  '--no-first-run',
]

/** The little of playwright-core that tests use: it is installed in tools/, so its types may be missing. */
export interface Locator {
  count(): Promise<number>
  textContent(): Promise<string>
  inputValue(): Promise<string>
  click(): Promise<void>
  focus(): Promise<void>
  fill(text: string): Promise<void>
  waitFor(): Promise<void>
  first(): Locator
  nth(at: number): Locator
}

export interface Page {
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  goto(address: string): Promise<unknown>
  url(): string
  locator(selector: string): Locator
  getByRole(role: string, options: { name: string }): Locator
  getByText(text: string): Locator
  waitForSelector(selector: string): Promise<unknown>
  /** Expressions are texts: what runs in the page knows the page's globals, not the test's. */
  evaluate(script: string): Promise<unknown>
  addScriptTag(script: { path: string }): Promise<unknown>
  screenshot(options: { path: string }): Promise<unknown>
  context(): { close(): Promise<void> }
  on(event: 'request', listener: (request: { url(): string }) => void): void
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
}

export interface ContextOptions {
  viewport?: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  javaScriptEnabled?: boolean
}

export interface Browser {
  newContext(options: ContextOptions): Promise<{ newPage(): Promise<Page>; close(): Promise<void> }>
  close(): Promise<void>
}

/** Why there is no browser here, if there is none. */
export function browserMissing(): string | undefined {
  if (!existsSync(CHROMIUM)) return 'Chromium is not installed: sh scripts/install-test-servers.sh'
  if (!existsSync(join(TOOLS, '..', 'node_modules', 'playwright-core')))
    return 'playwright-core is not installed: npm install --prefix tools'
  return undefined
}

export async function openBrowser(): Promise<Browser> {
  const { chromium } = createRequire(TOOLS)('playwright-core') as {
    chromium: { launch(options: { executablePath: string; args: string[] }): Promise<Browser> }
  }
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}

export function axeSource(): string {
  return createRequire(TOOLS).resolve('axe-core/axe.min.js')
}

const ASK_AXE = `axe.run().then(({ violations }) =>
  violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`

/** What axe finds wrong with the page as it stands. */
export async function axeProblems(page: Page): Promise<unknown> {
  return page.evaluate(ASK_AXE)
}
