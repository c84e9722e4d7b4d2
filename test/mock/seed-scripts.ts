// The two response scripts of the document the mock implements: its schema example (two turns) and its full example.

import type { JsonValue } from '../../src/model/json.ts'

const said = (text: string): JsonValue => ({ role: 'agent', parts: [{ kind: 'text', text }] })
const file = (name: string, mimeType: string, bytes: string): JsonValue => ({
  kind: 'file',
  file: { name, mimeType, bytes },
})

/** Turn 0 makes a file and completes; turn 1 would answer a second message. */
export const TWO_TURNS: JsonValue = [
  [
    { kind: 'status-update', final: false, status: { state: 'working', message: said('Starting work...') } },
    {
      kind: 'artifact-update',
      artifact: {
        artifactId: 'generated-file-1',
        name: 'report.csv',
        parts: [file('report.csv', 'text/csv', 'bmFtZSx2YWx1ZQphbHBoYSwxMApiZXRhLDIw')],
      },
    },
    { kind: 'task', status: { state: 'completed', message: said('Task complete.') } },
  ],
  [
    { kind: 'status-update', final: false, status: { state: 'working', message: said('Processing follow-up.') } },
    { kind: 'task', status: { state: 'completed', message: said('Follow-up complete.') } },
  ],
]

export const ONE_TURN: JsonValue = [
  [
    { kind: 'status-update', final: false, status: { state: 'working', message: said('Work in progress...') } },
    {
      kind: 'artifact-update',
      artifact: {
        artifactId: 'abc-123',
        name: 'result.txt',
        parts: [file('result.txt', 'text/plain', 'UHJveHkgdGVzdCBzdWNjZXNzZnVsIQ==')],
      },
    },
    { kind: 'task', status: { state: 'completed', message: said('Done.') } },
  ],
]

export function withDirectives(testId: string, responses: JsonValue): string {
  const encoded = Buffer.from(JSON.stringify(responses)).toString('base64')
  return `Please process this request.\n[test_case_id=${testId}] [responses_json=${encoded}]`
}
