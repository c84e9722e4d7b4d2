// Waits for the person or the supervisor to say stop. A second signal does not wait for anybody.

export function untilStopped(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      process.once('SIGINT', () => process.exit(130))
      process.once('SIGTERM', () => process.exit(143))
      resolve(signal)
    }
    process.once('SIGINT', stop)
    process.once('SIGTERM', stop)
  })
}
