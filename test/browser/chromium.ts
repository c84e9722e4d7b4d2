// A real browser for tests: Debian's Chromium, driven by playwright-core from tools/. Nothing but the page itself may be
// loaded; whatever it asks for besides is written down.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

const TOOLS = join(import.meta.dirname, '..', '..', 'tools', 'package.json')
/** Without windows, as playwright-core's own is, it takes a third of the time; the whole browser does as well. */
const PROGRAMS = ['/usr/lib/chromium/chromium-headless-shell', '/usr/bin/chromium']
export const CHROMIUM = PROGRAMS.find((program) => existsSync(program))
export const FLAGS = [
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
  waitFor(options?: { state?: 'visible' | 'hidden' | 'detached'; timeout?: number }): Promise<void>
  press(key: string): Promise<void>
  check(): Promise<void>
  selectOption(value: string): Promise<unknown>
  setInputFiles(files: string | { name: string; mimeType: string; buffer: Buffer }): Promise<void>
  getAttribute(name: string): Promise<string | null>
  isVisible(): Promise<boolean>
  first(): Locator
  last(): Locator
  nth(at: number): Locator
  filter(options: { hasText: string | RegExp }): Locator
  locator(selector: string): Locator
}

export interface Download {
  suggestedFilename(): string
  path(): Promise<string>
}

export interface FileChooser {
  setFiles(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void>
}

export interface Page {
  keyboard: { press(key: string): Promise<void>; type(text: string): Promise<void> }
  goto(address: string): Promise<unknown>
  url(): string
  locator(selector: string): Locator
  getByRole(role: string, options: { name: string | RegExp; exact?: boolean }): Locator
  getByText(text: string | RegExp): Locator
  getByLabel(text: string, options?: { exact?: boolean }): Locator
  waitForSelector(selector: string): Promise<unknown>
  waitForEvent(event: 'download'): Promise<Download>
  waitForEvent(event: 'popup'): Promise<Page>
  waitForEvent(event: 'filechooser'): Promise<FileChooser>
  waitForFunction(script: string): Promise<unknown>
  reload(): Promise<unknown>
  close(): Promise<void>
  /** Expressions are texts: what runs in the page knows the page's globals, not the test's. */
  evaluate(script: string): Promise<unknown>
  addScriptTag(script: { path: string }): Promise<unknown>
  setViewportSize(size: { width: number; height: number }): Promise<void>
  emulateMedia(media: { colorScheme: 'light' | 'dark' }): Promise<void>
  screenshot(options: { path: string; fullPage?: boolean }): Promise<unknown>
  context(): Context
  on(event: 'request', listener: (request: { url(): string }) => void): void
  on(event: 'console', listener: (message: { type(): string; text(): string }) => void): void
  on(event: 'pageerror', listener: (error: Error) => void): void
}

interface Devtools {
  send(method: string, params: object): Promise<{ result?: { objectId: string } }>
}

export interface Context {
  newPage(): Promise<Page>
  newCDPSession(page: Page): Promise<Devtools>
  close(): Promise<void>
  addInitScript(script: { path: string }): Promise<void>
  setDefaultTimeout(ms: number): void
}

export interface ContextOptions {
  viewport?: { width: number; height: number }
  colorScheme?: 'light' | 'dark'
  javaScriptEnabled?: boolean
  bypassCSP?: boolean
  acceptDownloads?: boolean
  permissions?: string[]
}

export interface Browser {
  newContext(options: ContextOptions): Promise<Context>
  close(): Promise<void>
}

/** Why there is no browser here, if there is none. */
export function browserMissing(): string | undefined {
  if (CHROMIUM === undefined) return 'Chromium is not installed: sh scripts/install-test-servers.sh'
  if (!existsSync(join(TOOLS, '..', 'node_modules', 'playwright-core')))
    return 'playwright-core is not installed: npm install --prefix tools'
  return undefined
}

interface Driver {
  launch(options: { executablePath: string | undefined; args: string[] }): Promise<Browser>
  connectOverCDP(address: string): Promise<Browser>
}

function driver(): Driver {
  return (createRequire(TOOLS)('playwright-core') as { chromium: Driver }).chromium
}

/** A browser of its own. */
export async function openBrowser(): Promise<Browser> {
  return driver().launch({ executablePath: CHROMIUM, args: FLAGS })
}

/** One that runs; closing it closes only what was opened here. */
export async function connectBrowser(address: string): Promise<Browser> {
  return driver().connectOverCDP(address)
}

export function axeSource(): string {
  return createRequire(TOOLS).resolve('axe-core/axe.min.js')
}

/** A file of any size for the field with this name; playwright-core would copy it, and not more than 50 MB. */
export async function giveLarge(page: Page, label: string, file: string): Promise<void> {
  const devtools = await page.context().newCDPSession(page)
  const expression = `document.querySelector('input[aria-label="${label}"]')`
  const { result } = await devtools.send('Runtime.evaluate', { expression })
  await devtools.send('DOM.setFileInputFiles', { files: [file], objectId: result?.objectId })
}
