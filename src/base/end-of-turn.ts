// The end of this turn of the event loop, one promise for all who wait for it: what came in together has been read by
// then, and whoever goes on in microtasks has gone as far as he could.

let end: Promise<void> | undefined

export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined
      resolve()
    })
  })
  return end
}
