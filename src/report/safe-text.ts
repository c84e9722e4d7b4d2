// Text that came from a peer, made safe for a terminal: escape sequences could move the cursor or forge lines.

export function safeLine(text: string): string {
  return text.replace(UNSAFE, '\ufffd').replace(/\s+/g, ' ').trim()
}

export function safeBlock(text: string): string {
  return text.replace(UNSAFE, '\ufffd')
}

// C0 without tab and line feed, DEL and C1, bidirectional overrides and isolates.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to take out
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g
