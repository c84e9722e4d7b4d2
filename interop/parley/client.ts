// Parley's own client, driven by `parley grade --harness ndjson` as those of other SDKs are.

import { createInterface } from 'node:readline'
import { ownClient } from '../../src/grade/clients/own-client.ts'
import type { HarnessRequest } from '../client-harness.ts'

const LONGEST_MS = 60_000

const client = ownClient()
const never = new AbortController().signal

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, scenario, url, cardUrl, intent } = JSON.parse(line) as HarnessRequest
  const surface = { version: '1.0', binding: 'jsonrpc' } as const
  void client.run({ scenario, surface, url, cardUrl, intent }, LONGEST_MS, never).then(({ code, outcome }) => {
    process.stdout.write(`${JSON.stringify({ id, ...outcome, fulfilled: code === 0 })}\n`)
  })
})
