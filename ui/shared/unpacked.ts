// Data inside a page.

/** Gzip in base64, as the blocks of a page are. */
export async function unpackedText(text: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).json()
}
