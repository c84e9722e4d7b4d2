// CRASH-7 at full size: two hundred kills a store.

process.env.PARLEY_ROUNDS ??= '200'
await import('../crash-observers.test.ts')
