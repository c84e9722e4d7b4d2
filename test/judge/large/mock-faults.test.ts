// Faults the mock can make, on the operations they hurt: the judge has one finding, about that fault, and never a wrong
// diagnosis of the whole agent. Streams that are cut, connections that break and answers that are cut short belong here.

import { expect, test } from 'vitest'
import type { BindingId } from '../../../src/dialects/dialect.ts'
import { certify } from '../../../src/judge/index.ts'
import type { FaultName } from '../../../src/mock/faults/catalogue.ts'
import { createMockAgent } from '../../../src/mock/index.ts'

const SCRIPT = `
agent: { name: Faulty, version: 1.0.0, description: Right but for one thing. }
rules:
  - match: { text: input }
    turns:
      - [{ status: working }, { input-required: which one? }]
      - [{ complete: ok }]
  - turns: [[{ status: working }, { artifact: { name: result, text: done } }, { complete: Done. }]]
`

/** The fault, the operation, and the check that tells it; none where the text has no rule against it. */
const TOLD: readonly [FaultName, string, string | undefined, BindingId?][] = [
  ['reset-before-headers', 'streamMessage', 'stream-content-type'],
  ['reset-before-headers', 'sendMessage', 'version-supported', 'rest'],
  ['reset-before-headers', 'getTask', 'version-supported'],
  ['reset-before-headers', 'listTasks', 'list-answers'],
  ['reset-before-headers', 'cancelTask', 'cancel-finished'],
  ['reset-mid-frame', 'streamMessage', 'stream-ends-terminal'],
  ['truncated-body', 'getTask', 'version-supported'],
  ['truncated-body', 'getTask', 'rest-no-version-prefix', 'rest'],
  ['sse-multiline-data', 'streamMessage', undefined],
  ['no-terminal-event', 'streamMessage', 'stream-ends-terminal'],
  ['event-after-terminal', 'streamMessage', 'stream-terminal-last'],
  ['jsonrpc-invalid-json', 'getTask', 'get-task-current'],
  ['jsonrpc-wrong-id', 'streamMessage', 'jsonrpc-id-echo'],
  ['wrong-task-id', 'sendMessage', 'send-task-ids'],
  ['wrong-task-id', 'streamMessage', 'stream-ids'],
  ['wrong-context-id', 'sendMessage', 'task-context-constant'],
  ['wrong-context-id', 'streamMessage', 'stream-ids'],
  ['wrong-context-id', 'getTask', 'task-context-constant'],
  ['wrong-context-id', 'listTasks', 'task-context-constant'],
  ['illegal-transition', 'listTasks', 'task-final'],
  ['unknown-state', 'listTasks', 'json-enums'],
  ['unknown-part', 'sendMessage', 'part-one-content'],
  ['unknown-part', 'listTasks', 'part-one-content'],
  ['bad-base64', 'sendMessage', 'part-raw-base64'],
]

test.concurrent.for(TOLD)(
  '%s at %s is told once',
  { timeout: 60_000 },
  async ([fault, operation, told, binding = 'jsonrpc']) => {
    const scriptText = `${SCRIPT}faults: [{ do: ${fault}, at: { operation: ${operation} } }]\n`
    await using mock = await createMockAgent({ scriptText }).start()
    const report = await certify(mock.url, { transports: [binding], versions: ['1.0'], timeoutMs: 10_000 })
    expect(report.diagnosis).toBeUndefined()
    const checks = report.findings.map(({ tests }) => [...new Set(tests.map((key) => key.split('@', 1)[0]))])
    if (told === undefined) expect(checks).toEqual([])
    else {
      expect(checks).toHaveLength(1)
      expect(checks[0]).toContain(told)
    }
  },
)
