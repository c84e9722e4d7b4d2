// PostgreSQL cannot store NUL, and UTF-8 has no lone surrogates; ids and context ids from clients may hold both. Such a
// name is stored as its JSON text, which begins with a quote; so is every name that begins with one.

export function keyText(name: string): string {
  return name.includes('\u0000') || name.startsWith('"') || !name.isWellFormed() ? JSON.stringify(name) : name
}
