// `a2a-parley/mock`: a scripted agent inside a test. What is public about the mock is exported here.

import type { StoredArtifact, VersionChoice } from '../artifacts/artifact-store.ts'
import { defined } from '../base/defined.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { JsonValue } from '../model/json.ts'
import { invalidFile, YamlSource } from '../yaml/source.ts'
import { faultShape } from './faults/fault-shape.ts'
import type { EntryFilter, Expectation, JournalEntry } from './journal.ts'
import type { ProducedArtifact } from './produced-artifacts.ts'
import { loadRecording } from './recording/load-recording.ts'
import { MockScriptBuilder } from './script/builder.ts'
import { loadScript, parseScript } from './script/load-script.ts'
import { EMPTY_SCRIPT, type Script } from './script/script.ts'
import type { FaultInput, MockScript } from './script/script-input.ts'
import { type MockPlace, MockServer } from './server.ts'
import type { MockSession } from './session.ts'

export type { ArtifactMetadata, StoredArtifact, VersionChoice } from '../artifacts/artifact-store.ts'
export type { DialectId } from '../dialects/dialect.ts'
export type { JsonObject, JsonValue } from '../model/json.ts'
export type { Operation } from '../model/operation.ts'
export type { ServerTls } from '../net/serve/tls-server.ts'
export type { RecordedFrame } from '../trace/exchange.ts'
export type { FaultName } from './faults/catalogue.ts'
export type { NearestRule } from './interpreter/match-rule.ts'
export type { EntryFilter, Expectation, JournalEntry } from './journal.ts'
export type { ProducedArtifact } from './produced-artifacts.ts'
export { MockScriptBuilder, mockScript, steps } from './script/builder.ts'
export type {
  FaultInput,
  MockAgentInput,
  MockArtifact,
  MockContent,
  MockMatch,
  MockRule,
  MockScript,
  MockState,
  MockStep,
  MockTextMatch,
} from './script/script-input.ts'
export type { MockPlace } from './server.ts'

/** What a mock plays: a script, its text, or a recording. */
export interface MockAgentOptions {
  /** A script file, or a script written in TypeScript. */
  script?: string | MockScript | MockScriptBuilder
  /** A script as YAML text; it cannot include files. */
  scriptText?: string
  /** A recording, as `parley proxy --record` writes it, to be answered with instead of a script. */
  recording?: string
  /**
   * What the admin API asks for, as a bearer token.
   * @default 32 random bytes in hexadecimal
   */
  adminToken?: string
}

/** What a test does with a mock, or with one isolated session of it. */
export interface MockControl {
  /** The agent's base URL; its card is below. */
  readonly url: string
  /** Answers every task, or the test case of that id, with these turns of events. */
  prime(responses: JsonValue, testCaseId?: string): void
  /** Everything received, or what fits the filter, in order. */
  requests(filter?: EntryFilter): readonly JournalEntry[]
  /** The requests to cancel a task, in order. */
  cancels(): readonly JournalEntry[]
  /** The first entry that fits, already received or to come; rejects after `timeoutMs`, 5,000 unless given. */
  waitFor(predicate: (entry: JournalEntry) => boolean, timeoutMs?: number): Promise<JournalEntry>
  /** Every version of every artifact the script has produced, in order. */
  artifacts(): readonly ProducedArtifact[]
  /** The bytes of one of them, the latest unless told otherwise. */
  artifact(name: string, version?: VersionChoice): Promise<StoredArtifact | undefined>
  /** Throws unless the rule was played as expected; without a rule, unless everything received had an answer and all that was required came. */
  verify(rule?: string, expectation?: Expectation): void
  /** Arms a fault, beside those of the script. */
  inject(fault: FaultInput): void
  /** Answers the next request with this HTTP status and nothing else. */
  failOnce(status: number, options?: { body?: string; contentType?: string; retryAfter?: number }): void
  /** Refuses the next request as unauthenticated, whatever it carries. */
  refuseOnce(): void
  /** Forgets what was received. */
  clear(): void
  /** Forgets everything but the script. */
  reset(): void
}

/** A mock that can be started, stopped and asked what it received. */
export interface MockAgent extends MockControl, AsyncDisposable {
  /** With `grpcPort` it takes calls of gRPC, too. */
  start(where?: MockPlace): Promise<MockAgent>
  /** Closes all connections; until the next start nothing can be asked of it. */
  stop(): Promise<void>
  /** What the admin API asks for, as a bearer token. */
  readonly adminToken: string
  /** `host:port` where it takes calls of gRPC; undefined when it does not. Sessions are told apart by X-Parley-Session. */
  readonly grpcAddress: string | undefined
  /** An isolated mock with the same script, its own URL, tasks and journal. */
  session(name: string): Promise<MockControl>
  /** Replaces the script. */
  load(script: Pick<MockAgentOptions, 'script' | 'scriptText'>): Promise<void>
}

/**
 * A scripted agent for a test; `start()` lets it listen.
 *
 * @example
 * ```ts
 * import { createMockAgent, mockScript, steps } from 'a2a-parley/mock'
 *
 * await using mock = await createMockAgent({ script: mockScript().on('hello', [steps.message('Hi.')]) }).start()
 * // … call mock.url with the client under test …
 * console.log(mock.requests().length)
 * ```
 */
export function createMockAgent(options: MockAgentOptions = {}): MockAgent {
  const script = scriptOf(options)
  const server = new MockServer({
    ...defined({ script, adminToken: options.adminToken }),
  })
  let main: MockSession | undefined
  const running = (): MockSession => {
    if (main === undefined)
      throw new ParleyError('mock-not-started', 'The mock is not running; call start() first.', {
        exitCode: EXIT.usage,
      })
    return main
  }
  const mock: MockAgent = Object.assign(Object.create(controlOf(running, () => server.url)) as MockControl, {
    adminToken: server.adminToken,
    grpcAddress: undefined,
    async start(where: MockPlace = {}): Promise<MockAgent> {
      if (options.recording !== undefined) server.use(await recordedScript(options.recording))
      await server.start(where)
      main = await server.session()
      return mock
    },
    async stop(): Promise<void> {
      main = undefined
      await server.stop()
    },
    async session(name: string): Promise<MockControl> {
      const session = await server.session(name)
      return controlOf(
        () => session,
        () => server.sessionUrl(name),
      )
    },
    async load(next: Pick<MockAgentOptions, 'script' | 'scriptText'>): Promise<void> {
      const loaded = scriptOf(next)
      if (loaded !== undefined) await server.load(loaded)
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await mock.stop()
    },
  })
  Object.defineProperty(mock, 'grpcAddress', { get: () => server.grpcAddress, enumerable: true })
  return mock
}

async function recordedScript(path: string): Promise<Script> {
  const recording = await loadRecording(path)
  if (recording.unfinished !== undefined)
    throw new ParleyError('recording-unfinished', `${recording.unfinished} Record it again.`)
  return { ...EMPTY_SCRIPT, recording }
}

function scriptOf({ script, scriptText }: Pick<MockAgentOptions, 'script' | 'scriptText'>): Script | undefined {
  if (typeof script === 'string') return loadScript(script)
  if (script !== undefined)
    return (script instanceof MockScriptBuilder ? script : new MockScriptBuilder(script)).build()
  return scriptText === undefined ? undefined : parseScript(scriptText)
}

function controlOf(session: () => MockSession, url: () => string): MockControl {
  const inject = (fault: FaultInput): void => {
    const source = new YamlSource('fault', JSON.stringify(fault))
    const read = faultShape.read(source.root, source, 'fault')
    if (read === undefined) throw invalidFile('fault-invalid', source.problems)
    session().faults.arm(read)
  }
  return {
    get url() {
      return url()
    },
    prime(responses, testCaseId) {
      const primed = session().conversation.prime(responses, testCaseId)
      if (!primed.ok) throw new ParleyError('responses-invalid', primed.message, { exitCode: EXIT.usage })
    },
    requests: (filter = {}) => session().journal.find(filter),
    cancels: () => session().journal.cancels(),
    waitFor: (predicate, timeoutMs) => session().journal.waitFor(predicate, timeoutMs),
    artifacts: () => session().artifacts.list(),
    artifact: (name, version) => session().artifacts.load(name, version),
    verify(rule, expectation) {
      const problems = rule === undefined ? session().problems() : session().journal.verify(rule, expectation)
      if (problems.length > 0) throw new ParleyError('mock-verify-failed', problems.join('\n'))
    },
    inject,
    failOnce: (status, options = {}) => inject({ do: 'http-status', with: { status, ...options }, count: 1 }),
    refuseOnce: () => session().credentials.refuseNext(1),
    clear: () => session().journal.clear(),
    reset: () => session().reset(),
  }
}
