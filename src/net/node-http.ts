// node:http and node:https as Node has them inside. Importing them makes an ES module face that reads every export, the
// lazy ones included, and so loads all of fetch: 30 ms at each start for something we never use.

export const http = process.getBuiltinModule('node:http')

/** Only those who speak TLS pay for it. */
export function https(): typeof import('node:https') {
  return process.getBuiltinModule('node:https')
}

/** Only those who speak gRPC pay for it. */
export function http2(): typeof import('node:http2') {
  return process.getBuiltinModule('node:http2')
}
