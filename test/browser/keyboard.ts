// A person without a mouse: Tab until the wanted thing has the focus, then type or press Enter.

import type { Page } from './chromium.ts'

const MOST_STEPS = 120

export interface Keyboard {
  /** Tabs on until what has the focus is named like this. */
  reach(name: string): Promise<void>
  type(name: string, text: string): Promise<void>
  /** Enter on what is named like this. */
  press(name: string): Promise<void>
}

export function byKeyboard(page: Page): Keyboard {
  const { keyboard } = page
  const reach = async (name: string) => {
    for (let step = 0; step < MOST_STEPS; step++) {
      const at = String(await page.evaluate(FOCUSED))
      if (at.includes(name)) return
      await keyboard.press('Tab')
    }
    throw new Error(`${name} cannot be reached by Tab`)
  }
  return {
    reach,
    async type(name, text) {
      await reach(name)
      await keyboard.type(text)
    },
    async press(name) {
      await reach(name)
      await keyboard.press('Enter')
    },
  }
}

/** What a person with a screen reader would hear about what has the focus. */
const FOCUSED = `(() => {
  const one = document.activeElement
  if (one === null || one === document.body) return ''
  const label = one.labels?.[0]?.textContent ?? ''
  const own = one.classList.contains('link') ? 'task-link' : ''
  const text = /^(SECTION|SELECT)$/.test(one.tagName) ? '' : one.textContent ?? ''
  return [one.getAttribute('aria-label') ?? '', label, text, own].join(' ')
})()`
