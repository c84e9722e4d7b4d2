// What most scenarios have the client do.

export const greet = () => ({ do: 'send' as const, text: 'hello' })
export const ask = () => ({ do: 'stream' as const, text: 'count' })
