// Files an agent sent, written to a folder of the user's choice. The names are a stranger's: only their last piece counts, and
// nothing that is already there is overwritten.

import { mkdir, writeFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Part } from '../model/task.ts'

const ENDINGS: { readonly [mediaType: string]: string } = {
  'application/json': '.json',
  'application/pdf': '.pdf',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'image/svg+xml': '.svg',
  'text/csv': '.csv',
  'text/html': '.html',
  'text/markdown': '.md',
  'text/plain': '.txt',
}
const MOST_NAMES = 1_000

/** The paths of the files it wrote: parts with bytes as they are, data as JSON. Text and links are no files. */
export async function saveParts(parts: readonly Part[], folder: string): Promise<string[]> {
  const files = parts.flatMap((part) => {
    if ('raw' in part) return [{ name: nameOf(part), bytes: Buffer.from(part.raw, 'base64') }]
    if ('data' in part) return [{ name: 'data.json', bytes: Buffer.from(`${JSON.stringify(part.data, null, 2)}\n`) }]
    return []
  })
  try {
    if (files.length > 0) await mkdir(folder, { recursive: true })
    const written: string[] = []
    for (const { name, bytes } of files) written.push(await writeNew(folder, name, bytes))
    return written
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ParleyError('cannot-save', `The files cannot be saved in ${folder}: ${why}.`, {
      exitCode: EXIT.failed,
      cause,
    })
  }
}

function nameOf({ filename, mediaType }: { filename?: string; mediaType?: string }): string {
  const last = (filename ?? '').split(/[/\\]/).at(-1) ?? ''
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters in a name would move a terminal's cursor.
  const safe = last.replaceAll(/[\u0000-\u001f\u007f-\u009f:*?"<>|]/g, '_').replace(/^\.+/, '')
  if (safe !== '') return safe.slice(-200)
  return `file${ENDINGS[mediaType ?? ''] ?? ''}`
}

/** `report.pdf`, else `report-2.pdf`, and so on. */
async function writeNew(folder: string, name: string, bytes: Buffer): Promise<string> {
  const ending = extname(name)
  const stem = name.slice(0, name.length - ending.length)
  for (let count = 1; count <= MOST_NAMES; count++) {
    const path = join(folder, count === 1 ? name : `${stem}-${count}${ending}`)
    try {
      await writeFile(path, bytes, { flag: 'wx' })
      return path
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
  throw new Error(`there are ${MOST_NAMES} files named like ${name} already`)
}
