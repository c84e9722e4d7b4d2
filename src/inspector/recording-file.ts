// A recording on disk, also one that is still written and one of hundreds of megabytes: it is read in pieces, of each
// exchange only the row and its place in the file are kept, and the whole is read when it is opened.

import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { EXIT, ParleyError } from '../model/errors.ts'
import { exchangeIn } from '../trace/record.ts'
import { Redactor } from '../trace/redact.ts'
import type { RecordingView, WireDetail, WireRow } from './views.ts'
import { detailOf, type LoggedExchange, rowOf } from './wire-log.ts'

const PIECE_BYTES = 4 * 1024 * 1024
const MAX_LINE_BYTES = 64 * 1024 * 1024
const LINE_BREAK = 0x0a

interface Place {
  from: number
  bytes: number
  line: number
}

export class RecordingFile {
  readonly id: string
  readonly file: string
  /** As the user knows it. */
  readonly name: string
  readonly rows: WireRow[] = []
  readonly #places = new Map<string, Place>()
  readonly #redactor = new Redactor()
  #readTo = 0
  #lines = 0
  #problem: string | undefined

  constructor(id: string, file: string, name = file) {
    this.id = id
    this.file = file
    this.name = name
    this.read()
  }

  view(): RecordingView {
    return { id: this.id, file: this.name, ...(this.#problem === undefined ? {} : { problem: this.#problem }) }
  }

  /** The rows from this one on; what was written since the last time is read first. */
  rowsFrom(at: number): { rows: WireRow[]; total: number; problem?: string | undefined } {
    this.read()
    return { rows: this.rows.slice(at, at + 5_000), total: this.rows.length, problem: this.#problem }
  }

  detail(rowId: string): WireDetail | undefined {
    const place = this.#places.get(rowId)
    const row = this.rows.find(({ id }) => id === rowId)
    if (place === undefined || row === undefined) return undefined
    const text = readPiece(this.file, place.from, place.bytes).toString('utf8')
    const exchange = exchangeIn(text, this.name, place.line)
    return exchange === undefined ? undefined : detailOf(row, this.#logged(exchange))
  }

  read(): void {
    const size = sizeOf(this.file, this.name)
    let rest: Buffer = Buffer.alloc(0)
    let from = this.#readTo
    while (from + rest.length < size) {
      const piece = readPiece(this.file, from + rest.length, PIECE_BYTES)
      if (piece.length === 0) break
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece])
      const used = this.#take(bytes, from)
      from += used
      rest = bytes.subarray(used)
      if (rest.length > MAX_LINE_BYTES) throw unreadable(this.name, 'a line is longer than 64 MB')
    }
    this.#readTo = from
  }

  /** Takes the whole lines of these bytes; how many bytes they are. */
  #take(bytes: Buffer, from: number): number {
    let start = 0
    for (let end = bytes.indexOf(LINE_BREAK, start); end >= 0; end = bytes.indexOf(LINE_BREAK, start)) {
      this.#line(bytes.toString('utf8', start, end), { from: from + start, bytes: end - start, line: ++this.#lines })
      start = end + 1
    }
    return start
  }

  #line(text: string, place: Place): void {
    if (place.line === 1 && !text.includes('"parley-recording"'))
      throw unreadable(this.name, 'it is not a recording; make one with parley proxy --record')
    try {
      const exchange = exchangeIn(text, this.name, place.line)
      if (exchange === undefined) return
      const row = { ...rowOf(this.#logged(exchange), false), id: `${this.id}-${this.rows.length}` }
      this.rows.push(row)
      this.#places.set(row.id, place)
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
    }
  }

  #logged(exchange: LoggedExchange['exchange']): LoggedExchange {
    return { agent: this.id, exchange, redactor: this.#redactor }
  }
}

function sizeOf(file: string, name: string): number {
  const found = statSync(file, { throwIfNoEntry: false })
  if (found === undefined) throw unreadable(name, 'there is no such file')
  return found.size
}

function readPiece(file: string, from: number, bytes: number): Buffer {
  const descriptor = openSync(file, 'r')
  try {
    const piece = Buffer.alloc(bytes)
    return piece.subarray(0, readSync(descriptor, piece, 0, bytes, from))
  } finally {
    closeSync(descriptor)
  }
}

export function unreadable(file: string, why: string): ParleyError {
  return new ParleyError('recording-unreadable', `${file} cannot be shown: ${why}.`, { exitCode: EXIT.usage })
}
