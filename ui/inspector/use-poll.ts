// For what the server has no changes of: it is asked again and again while it is shown.

import { useEffect } from 'preact/hooks'
import { ApiError } from './api.ts'

export const POLL_MS = 700

/** `ask` says how long to wait until the next time. What it cannot get is left for then. */
export function usePoll(key: string, ask: (isCurrent: () => boolean) => Promise<number>): void {
  useEffect(() => {
    let isCurrent = true
    let timer: ReturnType<typeof setTimeout> | undefined
    const again = async () => {
      let pauseMs = POLL_MS
      try {
        pauseMs = await ask(() => isCurrent)
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
      }
      if (isCurrent) timer = setTimeout(() => void again(), pauseMs)
    }
    void again()
    return () => {
      isCurrent = false
      clearTimeout(timer)
    }
  }, [key])
}
