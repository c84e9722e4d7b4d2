// Names as they stand in keys and databases. A separator must not occur in them, PostgreSQL cannot hold NUL, and UTF-8 has no
// lone surrogates; a name with either is written as its JSON text, which begins with a quote, and so is every name that
// begins with one, so that no two names become the same.

export function keyText(name: string): string {
  return name.includes('\u0000') || name.startsWith('"') || !name.isWellFormed() ? JSON.stringify(name) : name
}

export function nameIn(text: string): string {
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
