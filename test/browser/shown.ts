// What a page shows is drawn a moment after what caused it: whatever is read from it is read until it is as expected.

import { expect } from 'vitest'
import type { Page } from './chromium.ts'

/** As long as a locator waits. */
const PATIENCE = { timeout: 15_000, interval: 25 }

export function shown<T>(read: () => T | Promise<T>) {
  return expect.poll(read, PATIENCE)
}

/** What is in the clipboard, as a person would find out. */
export async function pasted(page: Page): Promise<string> {
  await page.evaluate("document.body.append(Object.assign(document.createElement('textarea'), { id: 'paste' }))")
  await page.locator('#paste').focus()
  await page.keyboard.press('Control+v')
  const text = await page.locator('#paste').inputValue()
  await page.evaluate("document.getElementById('paste').remove()")
  return text
}
