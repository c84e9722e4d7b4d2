// Writes docs/known-deviations.md anew from a run against both peers: node test/peers/write-known-deviations.ts
// What differs from run to run (ports, ids, times) is replaced, so that a change of the file is a change of verdict.

import { writeFileSync } from 'node:fs'
import type { ConformanceResult } from '../../src/judge/index.ts'
import { transcriptText } from '../../src/report/markdown.ts'
import { deviationsOf, PEERS } from './deviations.ts'

/** What a reader should know beyond the exchange. */
const REMARKS: Readonly<Record<string, string>> = {
  'send-invalid-role': 'The role it could not read is stored, and sent out again as "UNRECOGNIZED".',
  'schema-push-config':
    'A configuration without a url, or with an authentication without scheme, is accepted and returned.',
  'send-unsupported-media':
    'The SDK leaves media types to the agent; an agent that declares only text/plain gets everything.',
  'jsonrpc-params-omitted': 'JSON-RPC 2.0 §4 lets a caller omit params, and ListTasks has no mandatory input.',
  'jsonrpc-invalid-request': 'Valid JSON that is no request object is answered with another number.',
  'get-task-history-cap': 'Zero is read as "not given".',
  'push-deliver-auth': 'Only the token of the configuration is sent, never its authentication.',
}

const INTRODUCTION = `# Known deviations of the JavaScript SDK

Small agents built with \`@a2a-js/sdk\` (test/peers) are judged in every run of our tests. What is listed here is what
they do differently from the specification, with the clause and the bytes; everything else passes, warns, or could not
be measured. A test compares the ids with a fresh run, so a check that changes its mind shows up as a difference.

Written by \`node test/peers/write-known-deviations.ts\`; ids, ports and times are replaced by placeholders.
`

const sections = []
for (const { name, start } of PEERS) {
  const byCheck = Map.groupBy(await deviationsOf(start), ({ test }) => test)
  sections.push(`## ${name}\n`, ...[...byCheck.values()].map(sectionOf))
}
writeFileSync(new URL('../../docs/known-deviations.md', import.meta.url), `${[INTRODUCTION, ...sections].join('\n')}`)
process.exit(0)

function sectionOf(results: readonly ConformanceResult[]): string {
  const [first] = results
  if (first === undefined) return ''
  const where = results.map(({ version, binding }) => `${version}${binding === undefined ? '' : ` ${binding}`}`)
  const remark = REMARKS[first.test]
  const exchange = first.transcript?.at(-1)
  const lines = [
    `### ${first.test}`,
    '',
    `A2A ${first.version} §${first.sections.join(', §')}: ${first.requirement} (${where.join(', ')})`,
    '',
    `- does: ${steady(first.message ?? '')}`,
    `- expected: ${steady(first.expected ?? '')}`,
    ...(remark === undefined ? [] : [`- ${remark}`]),
    '',
    '```http',
    exchange === undefined ? '' : steady(transcriptText(exchange)).trim(),
    '```',
    '',
  ]
  return lines.join('\n')
}

function steady(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:<port>')
    .replaceAll(/^(ETag|Date|Content-Length|Connection|Keep-Alive|X-Powered-By|Host|Accept-Encoding): .*\n?/gim, '')
    .replaceAll(/("messageId":")[0-9a-f-]+/g, '$1<id>')
}
