// The second half of the demo: every agent it started is certified by the judge, which knows them only by URL.

import { defined } from '../base/defined.ts'
import type { DialectId } from '../dialects/dialect.ts'
import { certify } from '../judge/runner/certify.ts'

export interface DemoVerdict {
  agent: string
  level: string
  passed: number
  failed: number
  /** What the judge complains about, one line each. */
  complaints: string[]
}

interface Certified {
  agent: string
  versions: readonly DialectId[]
  bearer?: string
}

const CERTIFIED: readonly Certified[] = [
  { agent: '/echo', versions: ['1.0'] },
  { agent: '/spec', versions: ['1.0'] },
  { agent: '/spec03', versions: ['0.3'] },
  { agent: '/legacy', versions: ['0.1'] },
  { agent: '/secure', versions: ['1.0'], bearer: 'parley-test-token' },
  { agent: '/tck', versions: ['1.0'] },
]

export function certifyAgents(url: string): Promise<DemoVerdict[]> {
  return Promise.all(CERTIFIED.map((each) => certifyAgent(url, each)))
}

async function certifyAgent(url: string, { agent, versions, bearer }: Certified): Promise<DemoVerdict> {
  const report = await certify(url + agent, { versions, ...defined({ bearer }) })
  const failures = Object.values(report.categories)
    .flat()
    .filter(({ status }) => status === 'fail')
  const complaints = failures.map(({ test, message }) => `${test}: ${message ?? 'failed'}`)
  if (report.diagnosis !== undefined) complaints.unshift(report.diagnosis.message)
  const { passed, failed } = report.summary
  return { agent, level: report.conformanceLevel, passed, failed: Math.max(failed, complaints.length), complaints }
}
