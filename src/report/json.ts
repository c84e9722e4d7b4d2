// The report as one JSON document: for registries, dashboards and the next run.

import type { ConformanceReport } from '../judge/runner/result.ts'

export function renderJson(report: ConformanceReport): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
