// The run record, as a format: JSON lines that grow with the run. See src/run/record-writer.ts.

import { RecordWriter } from '../run/record-writer.ts'
import type { ReportFormat } from './reporter.ts'

export const runRecord: ReportFormat = {
  name: 'run',
  summary: 'the run record: JSON lines written while the run goes on',
  open({ append }) {
    const writer = new RecordWriter(append)
    return {
      begin: (header) => writer.header(header),
      agent: (agent) => writer.agent(agent),
      plan: (plan) => writer.plan(plan),
      result: (result) => writer.result(result),
      end(run) {
        writer.end(run)
        return undefined
      },
    }
  },
}
