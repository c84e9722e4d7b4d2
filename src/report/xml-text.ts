// Text in XML: what XML 1.0 cannot carry, not even escaped, becomes a visible substitute; so do C1 controls and characters
// that reorder text, which whoever shows the report would obey.

export function xmlText(text: string): string {
  return text
    .replaceAll(
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters XML forbids
      /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe\uffff]|\p{Surrogate}/gu,
      '\ufffd',
    )
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
}

export function xmlAttribute(text: string): string {
  return xmlText(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')
}

export function xmlSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
