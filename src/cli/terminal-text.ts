// Text from a peer, made safe to print: escape sequences could move the cursor, rename the window or forge lines.

/** Keeps line breaks and tabs; every other control character, and the ones that reorder text, become visible. */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, (char) => {
    if (char === '\r\n') return '\n'
    const code = char.charCodeAt(0)
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\ufffd'
  })
}

/** The same on one line, for names and messages inside sentences. */
export function terminalLine(text: string): string {
  return terminalText(text).replace(/\s+/g, ' ').trim()
}

// C0 without tab and line feed, DEL and C1, bidirectional overrides and isolates.
const UNSAFE = /\r\n|(?![\t\n])\p{Cc}|[\u202a-\u202e\u2066-\u2069]/gu
