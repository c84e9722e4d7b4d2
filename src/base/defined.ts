// Options that are not given are left out, not set to undefined: whoever spreads defaults under them, or asks with `in`,
// sees the difference. Not for what runs once per request: it makes an object more than writing the members down.

/** The members that are not undefined. */
export function defined<T extends object>(members: T): Defined<T> {
  const kept: Partial<Record<string, unknown>> = {}
  for (const [name, value] of Object.entries(members)) if (value !== undefined) kept[name] = value
  return kept as Defined<T>
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
