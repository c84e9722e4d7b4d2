// A run that was stored: chosen or dropped.

import { post } from './api.ts'
import { attempt, lastError } from './state.ts'

const MAX_FILE_BYTES = 48_000_000

/** Opens the file as a run and says which it became. */
export async function openRun(file: File | undefined): Promise<string | undefined> {
  if (file === undefined) return undefined
  if (file.size > MAX_FILE_BYTES) {
    const message = `${file.name} is larger than 48 MB; make a page of it with parley report ${file.name} --format html:report.html.`
    lastError.value = { code: 'too-large', message }
    return undefined
  }
  const opened = await attempt(async () =>
    post<{ run: string }>('open-run', { name: file.name, text: await file.text() }),
  )
  return opened?.run
}
