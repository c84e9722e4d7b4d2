// JSON for people's screens and other programs: the same document, with every character written as an escape that a
// terminal would obey or that reorders text (DEL and C1, bidirectional marks, overrides and isolates, odd line ends).

export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    UNSAFE,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** C0 is escaped by JSON itself. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
