// The recordings that can be looked into: files that were named when the inspector was started, and those the page gave,
// which came in pieces and are kept in a folder of this process until it ends.

import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT, ParleyError } from '../model/errors.ts'
import { RecordingFile, unreadable } from './recording-file.ts'
import type { RecordingView } from './views.ts'

const MAX_BYTES = 1024 * 1024 * 1024

interface Given {
  readonly recording: RecordingFile
  bytes: number
}

export class Recordings {
  readonly #named: readonly RecordingFile[]
  readonly #given = new Map<string, Given>()
  readonly #onChange: (views: RecordingView[]) => void
  #folder: string | undefined
  #count: number

  constructor(files: readonly string[], onChange: (views: RecordingView[]) => void) {
    this.#named = files.map((file, at) => new RecordingFile(`r${at + 1}`, file))
    this.#count = files.length
    this.#onChange = onChange
  }

  views(): RecordingView[] {
    const come = [...this.#given.values()].filter(({ bytes }) => bytes > 0)
    const given = come.map(({ recording }) => ({ ...recording.view(), isGiven: true }))
    return [...this.#named.map((recording) => recording.view()), ...given]
  }

  find(id: string): RecordingFile {
    const found = this.#named.find((recording) => recording.id === id) ?? this.#given.get(id)?.recording
    if (found !== undefined) return found
    throw new ParleyError('no-such-recording', 'This recording is not open.', { exitCode: EXIT.usage })
  }

  /** A recording whose bytes will come. */
  begin(name: string): string {
    this.#folder ??= mkdtempSync(join(tmpdir(), 'parley-recordings-'))
    const id = `r${++this.#count}`
    const file = join(this.#folder, `${id}.jsonl`)
    writeFileSync(file, '')
    this.#given.set(id, { recording: new RecordingFile(id, file, name), bytes: 0 })
    return id
  }

  /** The next piece; what turns out to be too large, broken or no recording is let go. */
  add(id: string, piece: Buffer): void {
    const given = this.#given.get(id)
    if (given === undefined) return void this.find(id)
    const { recording } = given
    try {
      if (given.bytes === 0 && !/^[^\n]*"parley-recording"/.test(piece.toString('utf8', 0, 1000)))
        throw unreadable(recording.name, 'it is not a recording; make one with parley proxy --record')
      given.bytes += piece.length
      if (given.bytes > MAX_BYTES)
        throw unreadable(recording.name, 'it is larger than 1 GB; start parley ui --recording with it')
      appendFileSync(recording.file, piece)
      recording.read()
    } catch (error) {
      this.drop(id)
      throw error
    }
    if (given.bytes === piece.length) this.#onChange(this.views())
  }

  drop(id: string): void {
    const given = this.#given.get(id)
    if (given === undefined) return
    this.#given.delete(id)
    rmSync(given.recording.file, { force: true })
    this.#onChange(this.views())
  }

  close(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true })
  }
}
