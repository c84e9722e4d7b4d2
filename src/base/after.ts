import { isPromise } from './is-promise.ts'

/** Goes on with a value at once if it is there, else when it comes: an `await` that only waits when it has to. */
export function after<T, R>(value: T | PromiseLike<T>, goOn: (value: T) => R | Promise<R>): R | Promise<R> {
  return isPromise(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}
