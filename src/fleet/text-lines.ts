// Lines of a text that comes in pieces, with their numbers; never more than one of them in memory. What has no line
// breaks at all is cut where no document may be longer.

export interface Line {
  readonly line: number
  readonly text: string
}

export const MOST_DOCUMENT_BYTES = 64 * 1024 * 1024

export async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  const decoder = new TextDecoder()
  /** The beginning of a line, in pieces: it may be a whole document. */
  let begun: string[] = []
  let size = 0
  let line = 0
  for await (const chunk of chunks) {
    const text = decoder.decode(chunk, { stream: true })
    let from = 0
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', from)) {
      line++
      yield { line, text: withoutReturn(begun.join('') + text.slice(from, at)) }
      begun = []
      size = 0
      from = at + 1
    }
    if (from < text.length && size <= MOST_DOCUMENT_BYTES) {
      begun.push(text.slice(from))
      size += text.length - from
    }
  }
  const rest = begun.join('') + decoder.decode()
  if (rest !== '') yield { line: line + 1, text: withoutReturn(rest) }
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text
}
