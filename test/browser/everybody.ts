// What would keep somebody out of a page: what axe finds, in light and dark, wide and narrow, and what reaches beyond the edge.

import { expect } from 'vitest'
import { axeSource, type Page } from './chromium.ts'

interface Look {
  width: number
  colorScheme: 'light' | 'dark'
  /** Only colours depend on the scheme: everything else is asked once for each width. */
  rules: 'all' | 'colours' | 'none'
}

const LOOKS: readonly Look[] = [
  { width: 1280, colorScheme: 'light', rules: 'all' },
  { width: 1280, colorScheme: 'dark', rules: 'colours' },
  { width: 360, colorScheme: 'dark', rules: 'all' },
  { width: 1920, colorScheme: 'light', rules: 'none' },
]

const FITS = 'document.documentElement.scrollWidth <= innerWidth'

/** The policy of a page would not let axe in: the page is opened without it, which other tests try. */
export async function letAxeIn(page: Page): Promise<void> {
  await page.addScriptTag({ path: axeSource() })
}

/** The page as it stands is for everybody. */
export async function expectForEverybody(page: Page, view: string): Promise<void> {
  for (const { width, colorScheme, rules } of LOOKS) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    const problems = rules === 'none' ? [] : await page.evaluate(askAxe(rules))
    const found = { view, width, colorScheme, problems, isWithin: await page.evaluate(FITS) }
    expect(found).toEqual({ view, width, colorScheme, problems: [], isWithin: true })
  }
}

function askAxe(rules: 'all' | 'colours'): string {
  const only = rules === 'all' ? '' : ", runOnly: ['color-contrast']"
  return `axe.run({ resultTypes: ['violations']${only} }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200)))`
}
