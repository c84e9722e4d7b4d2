// The string formats the schemas need beyond JSON Schema. Each test is linear in the length of the string, because
// parts carry megabytes of base64.

/** Standard alphabet with padding, as ProtoJSON writes bytes (1.0 §5.5). */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || /[^A-Za-z0-9+/=]/.test(text)) return false
  const padding = text.indexOf('=')
  return padding === -1 || padding === text.length - 1 || (padding === text.length - 2 && text.endsWith('='))
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,9})?(Z|[+-]\d{2}:\d{2})?$/

/** ISO 8601 date and time; generations before 1.0 were seen to leave the zone out. */
export function isTimestamp(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

/** "UTC, denoted by the Z suffix" (1.0 §5.6.1). */
export function isUtcTimestamp(text: string): boolean {
  return text.endsWith('Z') && isTimestamp(text)
}

/** By the name schemas use, with the rule in words. */
export const FORMATS: Readonly<Record<string, { test: (text: string) => boolean; rule: string }>> = {
  base64: { test: isBase64, rule: 'must be standard base64 with padding' },
  timestamp: { test: isTimestamp, rule: 'must be an ISO 8601 date and time' },
  'utc-timestamp': { test: isUtcTimestamp, rule: 'must be an ISO 8601 date and time in UTC, ending in Z' },
}
