// How protocol versions are written, read in one place: Major.Minor decides, a patch number must not (1.0 §3.6).

/** "1.0" of "1.0", "1.0.1", "v1.0" and "1", as cards in the wild have them; undefined when it is no version. */
export function majorMinor(written: string): string | undefined {
  const found = /^v?(\d+)(?:\.(\d+))?(?:\.\d+)?(?:[-+].*)?$/.exec(written.trim())
  return found === null ? undefined : `${found[1]}.${found[2] ?? '0'}`
}

/** Whether it is spelled as the specification asks: Major.Minor, with or without a patch. */
export function isProtocolVersion(written: string): boolean {
  return /^\d+\.\d+(\.\d+([-+].+)?)?$/.test(written)
}
