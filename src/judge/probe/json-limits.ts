// What the judge still reads as JSON. Beyond it lies no honest answer, only work: a million values to validate, or
// nesting that ends the stack of whoever walks it.

const MAX_DEPTH = 500
const MAX_VALUES = 50_000
/** Shorter texts cannot pass either limit by enough to hurt. */
const SHORT = 1_000

/** A clause that says what is too much; undefined for text that may be parsed. */
export function excessOf(text: string): string | undefined {
  if (text.length < SHORT) return undefined
  let depth = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = closingQuote(text, at)
    else if (char === '[' || char === '{') depth++
    else if (char === ']' || char === '}') depth--
    else if (char === ',') values++
    if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`
    if (values > MAX_VALUES) return `it has more than ${MAX_VALUES} values`
  }
  return undefined
}

function closingQuote(text: string, open: number): number {
  for (let at = open + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}
