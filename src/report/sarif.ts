// SARIF 2.1.0 for code scanning: a rule for each check or test, a result for each that fails, warns or is known. Known
// failures are suppressed, with their reason.

import type { Run, RunResult, RunSubject } from '../run/run.ts'
import { subjectsOf } from '../run/run.ts'
import { jsonText } from '../trace/json-text.ts'
import { documentFormat } from './reporter.ts'

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json'
const HOME = 'https://www.npmjs.com/package/a2a-parley'
/** Scanners want a file of the repository; what an agent does wrong has none, so its card stands for it. */
const AGENT_FILE = 'agent-card.json'

export const sarif = documentFormat('sarif', 'SARIF 2.1.0 for code scanning', (run) => {
  const subjects = subjectsOf(run)
  return `${jsonText({ $schema: SCHEMA, version: '2.1.0', runs: subjects.map((one) => sarifRun(run, one.subject, one.results)) }, 2)}\n`
})

function sarifRun({ header }: Run, subject: RunSubject, results: readonly RunResult[]): object {
  const open = results.filter(({ verdict, status }) => status === 'fail' || verdict === 'warn' || verdict === 'known')
  const rules = [...new Map(open.map((result) => [result.test, result])).values()]
  const index = new Map(rules.map(({ test }, at) => [test, at]))
  return {
    tool: {
      driver: { name: 'Parley', version: header.parleyVersion, informationUri: HOME, rules: rules.map(ruleOf) },
    },
    automationDetails: { id: `parley/${header.kind}/${subject.agentName ?? ''}` },
    invocations: [
      {
        executionSuccessful: subject.complete && subject.diagnosis === undefined,
        exitCode: subject.exitCode,
        startTimeUtc: subject.startedAt,
        ...(subject.diagnosis === undefined
          ? {}
          : {
              toolExecutionNotifications: [
                { level: 'error', message: { text: `${subject.diagnosis.message} ${subject.diagnosis.fix}` } },
              ],
            }),
      },
    ],
    results: open.map((result) => sarifResult(result, index.get(result.test) ?? 0)),
  }
}

function ruleOf(result: RunResult): object {
  const { test, title, requirement, recommendation, level, sections, group } = result
  const help = [
    recommendation,
    sections.length === 0 ? undefined : `A2A §${sections.join(', §')}`,
    `parley explain ${test}`,
  ]
  return {
    id: test,
    shortDescription: { text: title },
    fullDescription: { text: requirement ?? title },
    help: { text: help.filter((line) => line !== undefined).join('\n') },
    defaultConfiguration: { level: level === 'MUST' ? 'error' : 'warning' },
    properties: { tags: ['a2a', group, level] },
  }
}

function sarifResult(result: RunResult, ruleIndex: number): object {
  const { test, key, message, title, expected, actual, status, verdict, notes = [], agent } = result
  const said = [message ?? title]
  if (expected !== undefined) said.push(`Expected: ${expected}`)
  if (actual !== undefined) said.push(`Actual: ${actual}`)
  if (result.reproduction !== undefined) said.push(`Reproduce: ${result.reproduction.parley}`)
  return {
    ruleId: test,
    ruleIndex,
    kind: 'fail',
    level: status === 'fail' || (verdict === 'known' && result.level === 'MUST') ? 'error' : 'warning',
    message: { text: said.join('\n') },
    locations: [{ physicalLocation: placeOf(result), logicalLocations: [{ fullyQualifiedName: key }] }],
    partialFingerprints: { 'parleyKey/v1': agent === undefined ? key : `${agent}/${key}` },
    ...(verdict === 'known'
      ? { suppressions: [{ kind: 'external', justification: notes.join(' ') || 'known in the baseline' }] }
      : {}),
  }
}

function placeOf({ source }: RunResult): object {
  const [, file, line] = /^(.*):(\d+)$/.exec(source ?? '') ?? []
  if (file === undefined) return { artifactLocation: { uri: AGENT_FILE }, region: { startLine: 1 } }
  return { artifactLocation: { uri: encodeURI(file) }, region: { startLine: Math.max(1, Number(line)) } }
}
