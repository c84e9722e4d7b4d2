// Wakes readers of a topic (a task id). A hint only: it may be lost or come twice, and it carries no data;
// whoever wakes reads the store.

/** Ends a subscription. */
export type Unsubscribe = () => void

/** Wakes whoever follows a task; carries no data. */
export interface WakeBus {
  wake(topic: string): void
  onWake(topic: string, listener: () => void): Unsubscribe
  close(): Promise<void>
}
