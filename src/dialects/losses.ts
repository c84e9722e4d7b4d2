// Collects what a generation cannot say while a value is being encoded. Costs nothing until something is lost.

import { type Encoded, type Loss, NOTHING_LOST } from './dialect.ts'

export class Losses {
  #found: Loss[] | undefined

  add(pointer: string, message: string): void {
    this.#found ??= []
    this.#found.push({ pointer, message })
  }

  /** Reports the member when it says anything. */
  check(value: object, member: string, pointer: string, message: string): void {
    if (member in value && Reflect.get(value, member) !== undefined) this.add(`${pointer}/${member}`, message)
  }

  get list(): readonly Loss[] {
    return this.#found ?? NOTHING_LOST
  }
}

/** Runs an encoder and pairs what it wrote with what it lost. */
export function encoded(encode: (lost: Losses) => unknown): Encoded {
  const lost = new Losses()
  const wire = encode(lost) as Encoded['wire']
  return { wire, lost: lost.list }
}
