// How long something took, printed and not asserted: a shared machine is sometimes slow, and that is not a fault.

export async function printDuration(what: string, work: Promise<unknown>): Promise<void> {
  const begun = performance.now()
  await work
  console.log(`${what} after ${Math.round(performance.now() - begun)} ms`)
}
