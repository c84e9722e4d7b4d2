// What fails in continuous integration must be listed in the document, pair by pair and place by place.

import { expect, test } from 'vitest'
import type { RunResult } from '../../src/run/run.ts'
import { unlisted } from './matrix-document.ts'

const DOCUMENT = '| js → go | send (1.0/jsonrpc, 1.0/grpc) | server | (oh) |\n'

function failing(client: string, test: string, binding: string, verdict: 'fail' | 'pass' = 'fail'): RunResult {
  const pair = { client, server: 'go' }
  return {
    ...{ test, key: `${client}→go ${test}@1.0/${binding}`, group: '', title: '', level: 'MUST', sections: [] },
    ...{ verdict, status: verdict, version: '1.0', binding: binding as 'grpc', requirements: [], pair },
  }
}

test('a failure is listed by pair, conversation, version and binding', () => {
  const results = [
    failing('js', 'send', 'grpc'),
    failing('js', 'send', 'rest'),
    failing('js', 'stream', 'grpc'),
    failing('python', 'send', 'grpc'),
    failing('python', 'card', 'grpc', 'pass'),
  ]
  expect(unlisted(results, DOCUMENT).map(({ key }) => key)).toEqual([
    ...['js→go send@1.0/rest', 'js→go stream@1.0/grpc', 'python→go send@1.0/grpc'],
  ])
})
