// Older generations wrote instants with offsets or without a zone; the model has UTC ending in Z (1.0 §5.6.1).

export function utcInstant(written: string): string {
  if (written.endsWith('Z')) return written
  const zoned = /[+-]\d{2}:\d{2}$/.test(written) ? written : `${written}Z`
  const instant = new Date(zoned)
  return Number.isNaN(instant.getTime()) ? written : instant.toISOString()
}
