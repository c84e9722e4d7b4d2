// Colour, where the reader can see it: never needed to understand the text.

export interface Style {
  bold(text: string): string
  dim(text: string): string
  red(text: string): string
  green(text: string): string
  yellow(text: string): string
}

export function styleFor(withColour: boolean): Style {
  const paint = (open: number, close: number) => (text: string) =>
    withColour ? `\u001b[${open}m${text}\u001b[${close}m` : text
  return { bold: paint(1, 22), dim: paint(2, 22), red: paint(31, 39), green: paint(32, 39), yellow: paint(33, 39) }
}
