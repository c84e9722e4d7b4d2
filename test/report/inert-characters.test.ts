// PATH-4: no report carries a character that a terminal would obey or that reorders text, whatever the agent says.

import { expect, test } from 'vitest'
import { FORMATS } from '../../src/report/formats.ts'
import { rendered } from './rendered.ts'
import { sampleReport } from './sample-report.ts'

const HOSTILE = 'x\u009b31m\u0085\u007fy\u202ez\u2066w\u2069'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not be there
const OBEYED = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/

test.each(FORMATS.map(({ name }) => name))('%s', (format) => {
  // In every text of the report, wherever a peer's words may end up.
  const report = JSON.parse(JSON.stringify(sampleReport()), (_, value: unknown) =>
    typeof value === 'string' && !/^\d{4}-/.test(value) && !KEYWORDS.has(value) ? `${value}${HOSTILE}` : value,
  ) as ReturnType<typeof sampleReport>
  expect(rendered(format, report)).not.toMatch(OBEYED)
})

/** Texts that decide how a report is put together. */
const KEYWORDS = new Set(
  'agent-card lifecycle streaming error-handling interop pass fail skip warn harness-error not-measured MUST SHOULD MAY 1.0 0.3 0.1 jsonrpc rest http'.split(
    ' ',
  ),
)
