// A value that is there at once, or a promise of it: what costs nothing when nothing has to be waited for.

import { isPromise } from './is-promise.ts'

/** A value, or a promise of one, so that nothing waits where nothing has to. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with a value at once if it is there, else when it comes: an `await` that only waits when it has to. */
export function mapMaybePromise<T, R>(value: T | PromiseLike<T>, goOn: (value: T) => MaybePromise<R>): MaybePromise<R> {
  return isPromise(value) ? Promise.resolve(value).then(goOn) : goOn(value)
}
