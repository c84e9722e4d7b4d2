// Text that came from a peer, made safe for a terminal: escape sequences could move the cursor or forge lines.

export function safeLine(text: string): string {
  return text.replace(UNSAFE, '\ufffd').replace(/\s+/g, ' ').trim()
}

export function safeBlock(text: string): string {
  return text.replace(UNSAFE, '\ufffd')
}

/** The same with every text in it made safe: a stored run may come from anybody. */
export function inert<T>(value: T): T {
  if (typeof value === 'string') return safeBlock(value) as T
  if (Array.isArray(value)) return value.map(inert) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [safeBlock(key), inert(member)])) as T
}

// C0 without tab and line feed, DEL and C1, bidirectional overrides and isolates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
