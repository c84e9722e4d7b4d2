// Waiting between two looks at a task, not longer than the check itself may last.

export function pause(ms: number, deadline: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      deadline.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    deadline.addEventListener('abort', done, { once: true })
  })
}
