// The body of a request to node:http, as it arrives.

import type { IncomingMessage } from 'node:http'
import type { MaybePromise } from '../../base/maybe-promise.ts'
import { type BodyLimits, bodyAborted, IncomingBody, NO_BYTES } from './incoming-body.ts'

/** Of bodies that are arriving, those that are still silent are cut when all of them together are too large. */
export function readNodeBody(req: IncomingMessage, limits: BodyLimits): MaybePromise<Buffer> {
  // The parser admits only digits here, and a message without either header has no body.
  const header = req.headers['content-length']
  const declared = header === undefined ? undefined : Number(header)
  if (declared === undefined && req.headers['transfer-encoding'] === undefined) return NO_BYTES
  const body = new IncomingBody(limits, declared, () => req.socket.destroy())
  return new Promise((resolve, reject) => {
    let isOver = false
    const end = () => {
      isOver = true
      body.end()
    }
    const onData = (chunk: Buffer) => {
      const fault = body.add(chunk)
      if (fault === undefined) return
      end()
      req.off('data', onData)
      // The rest is not wanted; node:http discards it once the answer is sent. For crumbs, that answer would have to wait
      // until all of them have been read.
      if (fault.reason === 'too-large') req.pause()
      else req.socket.destroy()
      reject(fault)
    }
    req.on('data', onData)
    req.on('end', () => {
      if (isOver) return
      end()
      resolve(body.whole())
    })
    // Whatever goes wrong with the connection closes the request: without a listener, no 'error' comes before that.
    req.on('close', () => {
      if (isOver) return
      end()
      reject(bodyAborted())
    })
  })
}
