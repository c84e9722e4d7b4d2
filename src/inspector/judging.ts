// Runs of the judge, started from the page or opened from a file. A run is its record: lines that the page reads as they
// are written, without the evidence, which it asks for when a result is opened.

import { randomUUID } from 'node:crypto'
import { NEWEST_REVISION } from '../dialects/dialect.ts'
import { WaitingScenarios } from '../grade/by-hand.ts'
import { runOfGrade } from '../grade/grade-run.ts'
import { planOf, type Selection } from '../grade/plan.ts'
import { certify } from '../judge/runner/certify.ts'
import type { RunListener } from '../judge/runner/result.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { JsonObject } from '../model/json.ts'
import { FORMATS } from '../report/formats.ts'
import { styleFor } from '../report/style.ts'
import { beginRun } from '../run/begin-run.ts'
import { runOfReport, runResultOf } from '../run/conformance-run.ts'
import { parseRun } from '../run/load-run.ts'
import { parseRecord } from '../run/record-reader.ts'
import { RecordWriter } from '../run/record-writer.ts'
import type { Run } from '../run/run.ts'
import { errorView } from './error-view.ts'
import type { OpenAgent } from './open-agent.ts'
import { gradeTitle, scenarioView } from './scenario-view.ts'
import type { Change, RunView, ScenarioView } from './views.ts'

const MAX_RUNS = 20

export interface JudgeOptions {
  quick: boolean
  only: readonly string[]
}

interface KeptRun {
  view: RunView
  lines: string[]
  stop: AbortController
  /** Where a client is judged: the scenarios that wait for it. */
  waiting?: WaitingScenarios
}

export class Judging {
  readonly #runs = new Map<string, KeptRun>()
  readonly #publish: (change: Change) => void

  constructor(publish: (change: Change) => void) {
    this.#publish = publish
  }

  views(): RunView[] {
    return [...this.#runs.values()].map(({ view }) => view)
  }

  start(agent: OpenAgent, options: JudgeOptions): string {
    const title =
      options.only.length > 0 ? `${options.only.length} chosen` : options.quick ? 'the basics' : 'all checks'
    const run = this.#keep(agent.id, `${agent.view.name}: ${title}`, true)
    void this.#judge(run, agent, options)
    return run.view.id
  }

  /** Agents of our own wait for a client; the verdict is given when the run is stopped. */
  async startGrade(selection: Selection): Promise<string> {
    const waiting = await WaitingScenarios.open(planOf(selection), 0)
    const kept = this.#keep('', `a client: ${gradeTitle(selection)}`, true)
    kept.waiting = waiting
    this.#change(kept, { total: waiting.scenarios.length, isClient: true })
    return kept.view.id
  }

  /** The scenarios of a client's run with what came so far. */
  scenarios(id: string): ScenarioView[] {
    return this.#find(id).waiting?.scenarios.map(scenarioView) ?? []
  }

  /** A run record or a JSON report, as the page read it from a file. */
  open(text: string, name: string): string {
    const { run } = parseRun(text, name)
    const kept = this.#keep('', name, false)
    this.#write(this.#writer(kept), run)
    this.#change(kept, { done: run.results.length, failed: run.footer.summary.failed })
    return kept.view.id
  }

  /** What is known by then is the verdict. */
  async stop(id: string): Promise<void> {
    const kept = this.#find(id)
    kept.stop.abort()
    if (kept.waiting !== undefined && kept.view.isRunning) await this.#grade(kept, kept.waiting)
  }

  /** What the record holds so far, without evidence. */
  lines(id: string): JsonObject[] {
    return this.#find(id).lines.map(withoutEvidence)
  }

  evidence(id: string, number: number): JsonObject {
    const { lines } = this.#find(id)
    const found = lines.findLast((line) => line.startsWith(`{"type":"result","n":${number},`))
    const { transcript, reproduction } = found === undefined ? {} : (JSON.parse(found) as JsonObject)
    return { transcript, reproduction }
  }

  /** The run in one of the formats of --format. */
  document(id: string, format: string): string {
    const { lines } = this.#find(id)
    if (format === 'run') return lines.join('')
    const found = FORMATS.find(({ name }) => name === format)
    if (found === undefined) throw new ParleyError('no-such-format', `There is no format ${format}.`)
    const { run } = parseRecord(lines.join(''), 'this run')
    return rendered(found, run)
  }

  async close(): Promise<void> {
    for (const { stop } of this.#runs.values()) stop.abort()
    for (const { waiting } of this.#runs.values()) await waiting?.close()
  }

  async #grade(kept: KeptRun, waiting: WaitingScenarios): Promise<void> {
    const header = beginRun({ kind: 'clients', flags: [], target: 'a client driven by hand' })
    const run = runOfGrade(waiting.grade(), header, { strict: false, isWhole: false })
    this.#write(this.#writer(kept), run)
    delete kept.waiting
    this.#change(kept, { isRunning: false, done: run.results.length, failed: run.footer.summary.failed })
    await waiting.close()
  }

  async #judge(kept: KeptRun, agent: OpenAgent, { quick, only }: JudgeOptions): Promise<void> {
    const { target } = agent.request
    const header = beginRun({
      ...{ kind: 'checks', flags: [], target: agent.redactor.url(target), specRevision: NEWEST_REVISION },
    })
    const writer = this.#writer(kept)
    writer.header(header)
    try {
      const { bearer, apiKey, headers, tls, reach } = await agent.heldOptions()
      const report = await certify(target, {
        ...(bearer === undefined ? {} : { bearer }),
        ...(apiKey === undefined ? {} : { apiKey }),
        ...(headers === undefined ? {} : { headers }),
        ...(tls === undefined ? {} : { tls }),
        ...(reach === undefined ? {} : { reach }),
        ...(only.length === 0 ? {} : { only }),
        ...{ isQuick: quick, signal: kept.stop.signal, listener: this.#listener(kept, writer) },
      })
      writer.end(runOfReport(report, header))
      this.#change(kept, { isRunning: false, failed: report.summary.failed })
    } catch (error) {
      this.#change(kept, { isRunning: false, error: errorView(error, agent.redactor) })
    }
  }

  #listener(kept: KeptRun, writer: RecordWriter): RunListener {
    return {
      onTriage: ({ agent, interfaces }) => writer.agent({ ...agent, interfaces: [...interfaces] }),
      onPlan: ({ total }) => {
        writer.plan({ total })
        this.#change(kept, { total })
      },
      onResult: (result) => {
        writer.result(runResultOf(result))
        const { done, failed } = kept.view
        this.#change(kept, { done: done + 1, failed: failed + (result.status === 'fail' ? 1 : 0) })
      },
    }
  }

  #write(writer: RecordWriter, run: Run): void {
    writer.header(run.header)
    for (const agent of run.agents) writer.agent(agent)
    for (const result of run.results) writer.result(result)
    writer.end(run)
  }

  #writer(kept: KeptRun): RecordWriter {
    return new RecordWriter((line) => {
      kept.lines.push(line)
      this.#publish({ kind: 'run-lines', run: kept.view.id, lines: [withoutEvidence(line)] })
    })
  }

  #keep(agent: string, title: string, isRunning: boolean): KeptRun {
    const id = randomUUID()
    const kept: KeptRun = {
      view: { id, agent, title, isRunning, done: 0, failed: 0 },
      lines: [],
      stop: new AbortController(),
    }
    this.#runs.set(id, kept)
    for (const [oldest, { view }] of this.#runs)
      if (this.#runs.size > MAX_RUNS && !view.isRunning) this.#runs.delete(oldest)
    this.#publish({ kind: 'run', run: kept.view })
    return kept
  }

  #change(kept: KeptRun, change: Partial<RunView>): void {
    kept.view = { ...kept.view, ...change }
    this.#publish({ kind: 'run', run: kept.view })
  }

  #find(id: string): KeptRun {
    const found = this.#runs.get(id)
    if (found !== undefined) return found
    throw new ParleyError('no-such-run', 'This run is no longer kept; run the checks again.', { exitCode: EXIT.usage })
  }
}

function withoutEvidence(line: string): JsonObject {
  const { transcript: _, reproduction: __, ...rest } = JSON.parse(line) as JsonObject
  return rest
}

function rendered(format: (typeof FORMATS)[number], run: Run): string {
  let text = ''
  const reporter = format.open({
    ...{ file: undefined, style: styleFor(false), verbose: true, quiet: false, files: [], command: 'parley' },
    append: (more) => {
      text += more
    },
  })
  reporter.begin?.(run.header)
  for (const agent of run.agents) reporter.agent?.(agent)
  for (const result of run.results) reporter.result?.(result)
  const end = reporter.end?.(run) ?? ''
  return text + (typeof end === 'string' ? end : end.map((document) => document.text).join(''))
}
