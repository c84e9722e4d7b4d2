// What a client says it can read (RFC 9110 §12.5.1), asked for one media type at a time.

/**
 * How gladly the header takes the type, from 0 (refused) to 1; undefined when it does not speak of it. The most specific
 * range that fits decides.
 */
export function acceptance(accept: string | undefined, essence: string): number | undefined {
  // What nearly every client says needs no parsing.
  if (accept === undefined || accept === '*/*' || accept === essence || accept.trim() === '') return 1
  const type = essence.slice(0, essence.indexOf('/'))
  let quality: number | undefined
  let specificity = 0
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((piece) => piece.trim().toLowerCase())
    const fit = name === essence ? 3 : name === `${type}/*` ? 2 : name === '*/*' ? 1 : 0
    if (fit === 0 || fit < specificity) continue
    const given = qualityIn(parameters)
    quality = fit === specificity && quality !== undefined ? Math.max(quality, given) : given
    specificity = fit
  }
  return quality
}

/** A weight that is none counts as 1: a client that names a type means it. */
function qualityIn(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return value >= 0 && value <= 1 ? value : 1
}
