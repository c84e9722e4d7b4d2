// A promise settled from outside, once. It is made on the first read: most outcomes are never read, and a
// rejection that is not read is not an error.

export class Deferred<T> {
  #settle: { resolve(value: T): void; reject(error: unknown): void } | undefined
  #promise: Promise<T> | undefined
  #outcome: { value: T } | { error: unknown } | undefined

  get promise(): Promise<T> {
    if (this.#promise !== undefined) return this.#promise
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    this.#promise = promise
    this.#settle = { resolve, reject }
    if (this.#outcome === undefined) return promise
    if ('value' in this.#outcome) resolve(this.#outcome.value)
    else this.reject(this.#outcome.error)
    return promise
  }

  resolve(value: T): void {
    this.#outcome ??= { value }
    this.#settle?.resolve(value)
  }

  reject(error: unknown): void {
    this.#outcome ??= { error }
    this.#promise?.catch(ignore)
    this.#settle?.reject(error)
  }
}

function ignore(): void {}
