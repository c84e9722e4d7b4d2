// Plays one case in one way, as a real caller over HTTP, and says what did not hold.

import { setTimeout as wait } from 'node:timers/promises'
import { defined } from '../../base/defined.ts'
import type { A2AClient } from '../../client/a2a-client.ts'
import type { SendMessageRequest } from '../../model/operation.ts'
import { isTerminal } from '../../model/state-machine.ts'
import type { Part, Task } from '../../model/task.ts'
import { type CaseEnvironment, openEnvironment } from './case-environment.ts'
import type { ExpectedOutput, WrittenFollowUp, WrittenPart } from './case-shape.ts'
import { checkArtifacts, type Problem } from './check-artifacts.ts'
import { checkRequests } from './check-requests.ts'
import { eventOfError, eventsOfResult, eventsOfStream, type GatewayEvent } from './gateway-event.ts'
import type { Case, Variant } from './load-case.ts'
import { compareEvents, type DiffLine, type Expected } from './match-events.ts'

export interface CaseResult {
  readonly id: string
  readonly file: string
  readonly description?: string
  readonly variant: Variant
  readonly outcome: 'passed' | 'failed' | 'skipped'
  /** Why it was skipped. */
  readonly reason?: string
  readonly problems: readonly Problem[]
  /** Expected and actual events of each turn that did not go as expected. */
  readonly diffs: readonly { readonly turn: string; readonly lines: readonly DiffLine[] }[]
  readonly durationMs: number
}

const DEFAULT_TIMEOUT_MS = 10_000

export async function runCase(written: Case, variant: Variant): Promise<CaseResult> {
  const { test_case_id: id, file, description, skip } = written
  const named = { id, file, description, variant }
  if (skip !== undefined)
    return { ...named, outcome: 'skipped', reason: skip.reason, problems: [], diffs: [], durationMs: 0 }
  const startedMs = performance.now()
  const play = new Play(written, variant)
  const deadline = new AbortController()
  const timeoutMs = written.timeout ?? DEFAULT_TIMEOUT_MS
  try {
    await Promise.race([
      play.run(deadline.signal),
      wait(timeoutMs, undefined, { signal: deadline.signal }).then(
        () => play.timedOut(timeoutMs),
        () => {},
      ),
    ])
  } finally {
    deadline.abort()
    await play.close()
  }
  const { problems, diffs } = play
  const durationMs = Math.round(performance.now() - startedMs)
  return { ...named, outcome: problems.length === 0 ? 'passed' : 'failed', problems, diffs, durationMs }
}

class Play {
  readonly problems: Problem[] = []
  readonly diffs: { turn: string; lines: readonly DiffLine[] }[] = []
  readonly #case: Case
  readonly #variant: Variant
  #environment: CaseEnvironment | undefined
  #task: Task | undefined
  /** Set when the time is up: what still arrives no longer counts. */
  #isOver = false

  constructor(written: Case, variant: Variant) {
    this.#case = written
    this.#variant = variant
  }

  async run(signal: AbortSignal): Promise<void> {
    const environment = await openEnvironment(this.#case, this.#variant)
    this.#environment = environment
    // The case is over; its late outcome is ignored.
    if (signal.aborted) return environment.close()
    const { gateway_input: input, expected_gateway_output: first = [], follow_ups: followUps = [] } = this.#case
    this.#compare('gateway_input', first, await this.#act(environment, { ...input, action: 'send' }, signal))
    for (const [index, { value }] of followUps.entries()) {
      const turn = `follow_ups[${index}]`
      this.#compare(turn, value.expected_gateway_output ?? [], await this.#act(environment, value, signal))
    }
    await this.#checkTraces(environment)
  }

  timedOut(timeoutMs: number): void {
    this.#isOver = true
    this.problems.push({ line: 1, message: `the case did not finish within ${timeoutMs} ms` })
  }

  async close(): Promise<void> {
    await this.#environment?.close()
  }

  async #act(environment: CaseEnvironment, step: WrittenFollowUp, signal: AbortSignal): Promise<GatewayEvent[]> {
    const client = await environment.clientFor(step.user_identity ?? environment.owner.user)
    const events: GatewayEvent[] = []
    try {
      switch (step.action ?? 'send') {
        case 'send':
          await this.#send(client, step, events, signal)
          break
        case 'cancel':
          events.push(...this.#seen(await client.cancelTask({ id: this.#taskId() }, { signal })))
          break
        case 'get':
          events.push(...this.#seen(await client.getTask({ id: this.#taskId() }, { signal })))
          break
        case 'subscribe':
          for await (const { event } of client.subscribeTask({ id: this.#taskId() }, { signal }))
            events.push(...eventsOfStream(event))
          break
      }
    } catch (error) {
      if (signal.aborted) return events
      const failure = eventOfError(error)
      if (failure === undefined) throw error
      events.push(failure)
    }
    return events
  }

  async #send(client: A2AClient, step: WrittenFollowUp, events: GatewayEvent[], signal: AbortSignal): Promise<void> {
    const request = this.#request(step)
    if (!this.#variant.streaming || step.return_immediately === true) {
      const result = await client.sendMessage(request, { signal })
      if ('task' in result) this.#task = result.task
      events.push(...eventsOfResult(result))
      return
    }
    const waiting = this.#task
    for await (const { event } of client.streamMessage(request, { signal })) {
      // A stream that continues a task begins with the task as it was, which is no news.
      if (
        'task' in event &&
        event.task.id === waiting?.id &&
        events.length === 0 &&
        !isTerminal(event.task.status.state)
      )
        continue
      if ('task' in event) this.#task = event.task
      else if ('statusUpdate' in event) {
        const { taskId: id, contextId, status } = event.statusUpdate
        this.#task = { id, contextId, status }
      }
      events.push(...eventsOfStream(event))
    }
  }

  #request(step: WrittenFollowUp): SendMessageRequest {
    const parts = (step.parts ?? step.prompt?.parts ?? []).map(partOf)
    const { external_context: context } = this.#case.gateway_input
    const isFirst = this.#task === undefined
    const continuesTask = !isFirst && step.continues !== 'context'
    return {
      message: {
        messageId: crypto.randomUUID(),
        role: 'ROLE_USER',
        parts,
        contextId: this.#environment?.owner.session ?? '',
        ...(continuesTask && this.#task !== undefined ? { taskId: this.#task.id } : {}),
        ...(isFirst && context !== undefined ? { metadata: context } : {}),
      },
      configuration: { returnImmediately: step.return_immediately ?? false },
    }
  }

  #seen(task: Task): GatewayEvent[] {
    this.#task = task
    return eventsOfResult({ task })
  }

  #taskId(): string {
    return this.#task?.id ?? 'no-task'
  }

  #compare(turn: string, expected: readonly Expected<ExpectedOutput>[], actual: readonly GatewayEvent[]): void {
    if (this.#isOver) return
    const { problems, diff } = compareEvents(expected, actual)
    if (problems.length === 0) return
    this.problems.push(...problems.map(({ position, message }) => ({ line: position.line, message })))
    this.diffs.push({ turn, lines: diff })
  }

  async #checkTraces(environment: CaseEnvironment): Promise<void> {
    if (this.#isOver) return
    const { expected_artifacts: artifacts, expected_downstream_requests: requests, downstream_auth: auth } = this.#case
    if (artifacts !== undefined) this.problems.push(...(await checkArtifacts(artifacts, environment)))
    if (requests !== undefined)
      this.problems.push(...checkRequests(requests, environment.mock.requests(), environment.spoken))
    const wanted = auth?.oauth2?.expected_token_requests
    if (wanted !== undefined && environment.tokens?.issued !== wanted)
      this.problems.push({
        line: 1,
        message: `the proxy fetched ${environment.tokens?.issued ?? 0} tokens, expected ${wanted}`,
      })
  }
}

function partOf(written: WrittenPart): Part {
  const { text, url, bytes_base64: raw, data, filename, mime_type: mediaType } = written
  const described = {
    ...defined({ filename, mediaType }),
  }
  if (text !== undefined) return { text, ...described }
  if (url !== undefined) return { url, ...described }
  if (raw !== undefined) return { raw, ...described }
  return { data: data ?? null, ...described }
}
