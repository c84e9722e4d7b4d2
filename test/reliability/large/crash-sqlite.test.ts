// CRASH-1 at full size: two hundred kills.

process.env.PARLEY_ROUNDS ??= '200'
await import('../crash-sqlite.test.ts')
