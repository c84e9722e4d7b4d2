// Wakes readers of a topic (a task id). A hint only: it may be lost or come twice, and it carries no data;
// whoever wakes reads the store.

/** Ends a subscription. */
export type Unsubscribe = () => void

/** Wakes whoever follows a task; carries no data. */
export interface WakeBus {
  /** Wakes all listeners of the topic, in whatever process; returns at once. */
  wake(topic: string): void
  /** The same inside this process only, where no other can be waiting; `wake` where it is absent. */
  wakeHere?(topic: string): void
  /** Calls the listener at each wake-up, until unsubscribed; it may be called without a reason. */
  onWake(topic: string, listener: () => void): Unsubscribe
  /** Ends all subscriptions. */
  close(): Promise<void>
}

/** For what no other process can know of yet: publishing it to them would have no effect. */
export function wakeHere(bus: WakeBus, topic: string): void {
  if (bus.wakeHere === undefined) bus.wake(topic)
  else bus.wakeHere(topic)
}
