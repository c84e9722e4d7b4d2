// Puts a report where it was asked for: whole or not at all. When that fails, the raw results go to stdout, because
// results are never lost.

import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ConformanceReport } from '../judge/runner/result.ts'
import { renderJson } from './json.ts'
import { renderJunit } from './junit.ts'
import { renderMarkdown } from './markdown.ts'
import { safeBlock } from './safe-text.ts'

export type ReportFormat = 'json' | 'markdown' | 'junit'

export const RENDERERS: Readonly<Record<ReportFormat, (report: ConformanceReport) => string>> = {
  json: renderJson,
  // Once more over the whole: what came from a peer by a way nobody thought of is inert, too.
  markdown: (report) => safeBlock(renderMarkdown(report)),
  junit: renderJunit,
}

/** Throws what the file system said; the caller decides what becomes of the results. */
export async function writeAtomically(path: string, text: string): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await mkdir(dirname(path), { recursive: true })
  try {
    await writeFile(temporary, text, { mode: 0o600 })
    await rename(temporary, path)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
}
