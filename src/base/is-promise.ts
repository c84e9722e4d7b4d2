/** Whether it has to be awaited. By what it can do: promises come from other realms and libraries too. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}
