// What came before what in a run: clocks of milliseconds cannot tell an answer from the request that follows it.

export class Sequence {
  #last = 0

  next(): number {
    return ++this.#last
  }
}
