// Prints what was measured next to what was aimed at.

export interface Row {
  what: string
  /** One cell per column of the table. */
  cells: readonly string[]
}

export interface Goal {
  value: number
  atLeast?: number
  atMost?: number
}

export function printTable(title: string, columns: readonly string[], rows: readonly Row[]): void {
  const lines = [['', ...columns], ...rows.map(({ what, cells }) => [what, ...cells])]
  const widths = lines[0]?.map((_, at) => Math.max(...lines.map((line) => line[at]?.length ?? 0))) ?? []
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))
  console.log(`\n${title}\n`)
  for (const line of lines) console.log(line.map(pad).join('   ').trimEnd())
}

/** The number with its aim, and whether it is met. */
export function against({ value, atLeast, atMost }: Goal, digits = 2): string {
  const shown = fixed(value, digits)
  if (atLeast === undefined && atMost === undefined) return shown
  const isMet = (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost)
  const aim = atLeast === undefined ? `<= ${atMost}` : `>= ${atLeast.toLocaleString('en-US')}`
  return `${shown} (${aim} ${isMet ? 'met' : 'MISSED'})`
}

export function fixed(value: number, digits: number): string {
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

export function rounded(value: number): string {
  return fixed(value, 0)
}
