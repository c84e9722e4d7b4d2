// The report as one JSON document: for registries, dashboards and the next run.

import type { ConformanceReport } from '../judge/runner/result.ts'
import { jsonText } from '../trace/json-text.ts'

export function renderJson(report: ConformanceReport): string {
  return `${jsonText(report, 2)}\n`
}
