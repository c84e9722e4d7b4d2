// Timestamps and durations as ProtoJSON writes them, to and from seconds and nanoseconds.

export interface Instant {
  seconds: number
  nanos: number
}

const TIMESTAMP = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/
const DURATION = /^(-?)(\d{1,12})(?:\.(\d{1,9}))?s$/

/** What happens in the same millisecond bears the same timestamp. */
let last: { text: string; instant: Instant } | undefined

export function parseTimestamp(text: string): Instant | undefined {
  if (last?.text === text) return last.instant
  const found = TIMESTAMP.exec(text)
  if (found === null) return undefined
  const [, whole = '', fraction = '', zone = ''] = found
  const milliseconds = Date.parse(whole + zone)
  if (Number.isNaN(milliseconds)) return undefined
  last = { text, instant: { seconds: milliseconds / 1000, nanos: Number(fraction.padEnd(9, '0')) } }
  return last.instant
}

export function formatTimestamp({ seconds, nanos }: Instant): string | undefined {
  // 0001-01-01 to 9999-12-31 is what ProtoJSON can say.
  if (seconds < -62_135_596_800 || seconds > 253_402_300_799 || nanos < 0 || nanos > 999_999_999) return undefined
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fractionOf(nanos)}Z`
}

export function parseDuration(text: string): Instant | undefined {
  const found = DURATION.exec(text)
  if (found === null) return undefined
  const [, sign, whole, fraction = ''] = found
  const factor = sign === '-' ? -1 : 1
  // Never minus zero.
  return { seconds: factor * Number(whole) || 0, nanos: factor * Number(fraction.padEnd(9, '0')) || 0 }
}

export function formatDuration({ seconds, nanos }: Instant): string {
  const sign = seconds < 0 || nanos < 0 ? '-' : ''
  return `${sign}${Math.abs(seconds)}${fractionOf(Math.abs(nanos))}s`
}

/** None, or as many thousands as are needed. */
function fractionOf(nanos: number): string {
  if (nanos === 0) return ''
  const digits = String(nanos).padStart(9, '0')
  return `.${digits.replace(/(000){1,2}$/, '')}`
}
