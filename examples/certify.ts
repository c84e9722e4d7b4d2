// Certifies an agent from a program: node examples/certify.ts http://127.0.0.1:9999/spec

import { certify, resultsOf } from 'a2a-parley/judge'

const target = process.argv[2] ?? 'http://127.0.0.1:9999/spec'
const report = await certify(target, {
  timeoutMs: 10_000,
  listener: {
    onTriage({ interfaces }) {
      for (const { version, binding, url } of interfaces)
        console.log(`judging A2A ${version} over ${binding} at ${url}`)
    },
  },
})

const { passed, failed, skipped } = report.summary
console.log(`${report.agentName} is ${report.conformanceLevel}: ${passed} passed, ${failed} failed, ${skipped} skipped`)
for (const { key, message, recommendation } of resultsOf(report).filter(({ status }) => status === 'fail')) {
  console.log(`${key}: ${message}\n  ${recommendation}`)
}
process.exitCode = report.exitCode
