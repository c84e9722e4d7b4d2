// One server-sent event as text, into which no value can smuggle a field.

/** One event. Line breaks in `data` become several data lines, which the reader joins again with LF. */
export function sseFrame(data: string, options?: { event?: string; id?: string | number }): string {
  let head = ''
  if (options !== undefined) {
    if (options.event !== undefined) head += `event: ${oneLine('event', options.event)}\n`
    if (options.id !== undefined) head += `id: ${oneLine('id', String(options.id))}\n`
  }
  if (!data.includes('\n') && !data.includes('\r')) return `${head}data: ${data}\n\n`
  return `${head}data: ${data.replace(/\r\n|\r|\n/g, '\ndata: ')}\n\n`
}

function oneLine(field: string, value: string): string {
  if (value.includes('\n') || value.includes('\r') || value.includes('\0')) {
    throw new TypeError(`The ${field} of a server-sent event must not contain a line break or NUL.`)
  }
  return value
}
