// Two agents: each judged by itself, then the pair. An unreachable second agent does not spare the first.

import { type CertifyOptions, certify } from './certify.ts'
import { type ConformanceReport, type ConformanceResult, resultsOf } from './result.ts'

/** `certifyPair(B)` certifies an agent together with B; the report of B hangs under `second`. */
export function certifyPair(second: string) {
  return async (first: string, options: CertifyOptions = {}): Promise<ConformanceReport> => {
    const report = await certify(first, options)
    report.second = await certify(second, options)
    mark(resultsOf(report), 'first')
    mark(resultsOf(report.second), 'second')
    report.exitCode = report.exitCode === 0 ? report.second.exitCode : report.exitCode
    return report
  }
}

function mark(results: readonly ConformanceResult[], agent: 'first' | 'second'): void {
  for (const result of results) result.agent = agent
}
