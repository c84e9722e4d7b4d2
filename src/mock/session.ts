// One isolated mock: its script, what was played, its journal, its faults, and an A2A server of its own. Tests that run
// side by side each take a session and see nothing of one another.

import { isDeepStrictEqual } from 'node:util'
import { type MaybePromise, mapMaybePromise } from '../base/maybe-promise.ts'
import type { NoReply, Reply } from '../net/serve/reply.ts'
import { derivedRequest, type ServerRequest } from '../net/serve/request.ts'
import { createServer } from '../server/index.ts'
import type { A2AServer } from '../server/server.ts'
import { CredentialCheck } from './credentials.ts'
import { FaultBox } from './faults/fault-box.ts'
import { Conversation } from './interpreter/conversation.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { belowGeneration, mountsOf } from './mounts.ts'
import { ProducedArtifacts } from './produced-artifacts.ts'
import { Replay } from './recording/replay.ts'
import type { Script } from './script/script.ts'
import { currentRequest } from './scripted-agent.ts'
import { faultyAnswer, faultyStart } from './wire/faulty-answer.ts'
import { RequestRecord } from './wire/request-record.ts'

export interface SessionPlace {
  /** '' for the default session. */
  readonly name: string
  /** Without a trailing slash. */
  readonly url: string
  /** `host:port` where the mock takes calls of gRPC, if it does. */
  readonly grpcAddress: string | undefined
}

export class MockSession {
  readonly journal: Journal
  #script: Script
  #conversation: Conversation
  #artifacts = new ProducedArtifacts()
  #faults: FaultBox
  #credentials: CredentialCheck
  #replay: Replay
  #server: A2AServer
  /** Until the server may be asked. */
  #opening: Promise<void> | undefined
  readonly #place: SessionPlace

  constructor(script: Script, place: SessionPlace, onFinished?: (entry: JournalEntry) => void) {
    this.#place = place
    this.journal = new Journal(onFinished)
    this.#script = script
    this.#conversation = new Conversation(script)
    this.#faults = new FaultBox(script.faults)
    this.#credentials = new CredentialCheck(script.agent.security)
    this.#replay = new Replay(script.recording?.calls ?? [])
    this.#server = this.#openServer()
  }

  get script(): Script {
    return this.#script
  }

  get conversation(): Conversation {
    return this.#conversation
  }

  get artifacts(): ProducedArtifacts {
    return this.#artifacts
  }

  get faults(): FaultBox {
    return this.#faults
  }

  get credentials(): CredentialCheck {
    return this.#credentials
  }

  async ready(): Promise<void> {
    await this.#opening
  }

  /** A new script from here on: nothing played, nothing journalled, no task known. */
  async load(script: Script): Promise<void> {
    this.#script = script
    this.reset()
    await this.ready()
  }

  /**
   * A changed script: tasks, the journal and what was counted stay. Only another description of the agent starts anew,
   * because the card is another one; the answer says whether it did.
   */
  async adopt(script: Script): Promise<{ isAnew: boolean }> {
    const isAnew = !isDeepStrictEqual(script.agent, this.#script.agent) || this.#script.recording !== script.recording
    if (isAnew) await this.load(script)
    else {
      this.#script = script
      this.#conversation.adopt(script)
      this.#faults.adopt(script.faults)
    }
    return { isAnew }
  }

  /** Back to the beginning of the same script: tasks are forgotten, what they still do is stopped. */
  reset(): void {
    void this.#server.close({ graceMs: 0 })
    this.#server = this.#openServer()
    this.#conversation = new Conversation(this.#script)
    this.#artifacts = new ProducedArtifacts()
    this.#faults = new FaultBox(this.#script.faults)
    this.#credentials = new CredentialCheck(this.#script.agent.security)
    this.#replay = new Replay(this.#script.recording?.calls ?? [])
    this.journal.clear()
  }

  /** Everything that should fail a test: what had no answer, and what was required and did not come. */
  problems(): string[] {
    const unmatched = this.journal
      .unmatched()
      .map(({ number, unmatched }) => `request #${number}: ${unmatched?.message}`)
    return [...unmatched, ...this.#conversation.unmet(), ...this.#replay.unmet()]
  }

  async close(): Promise<void> {
    await this.#server.close({ graceMs: 0 })
  }

  /** `path` is the request's path within the session. */
  answer(request: ServerRequest, path: string): MaybePromise<Reply | NoReply> {
    const record = new RequestRecord(this.journal, request, belowGeneration(path))
    this.journal.add(record)
    if (request.body.isEmpty) return this.#answer(derivedRequest(request, { path }), record)
    return record.receive(request, (body) => this.#answer(derivedRequest(request, { path, body }), record))
  }

  #answer(request: ServerRequest, record: RequestRecord): MaybePromise<Reply | NoReply> {
    if (this.#opening !== undefined) return this.#opening.then(() => this.#answer(request, record))
    if (!this.#faults.isEmpty) return this.#answerWithFaults(request, record)
    return mapMaybePromise(this.#ask(request, record), (reply) => record.observe(reply))
  }

  async #answerWithFaults(request: ServerRequest, record: RequestRecord): Promise<Reply | NoReply> {
    const faults = this.#faults
    let fault = faults.needsOperation ? faults.onArrival(record.operation) : undefined
    record.fault = fault?.action.name
    const replacement = fault === undefined ? undefined : await faultyStart(request, fault)
    if (replacement !== undefined) return record.observe(replacement)
    const reply = await begun(await this.#ask(request, record))
    // The first words of a stream tell which rule it plays.
    if (fault === undefined && record.rule !== undefined) fault = faults.onRule(record.rule, record.turn ?? 0)
    record.fault = fault?.action.name
    return record.observe(fault === undefined ? reply : await faultyAnswer(request, reply, fault, record.path))
  }

  #ask(request: ServerRequest, record: RequestRecord): MaybePromise<Reply | NoReply> {
    const reply = currentRequest.run(record, () => this.#server.answer(request))
    return this.#script.recording === undefined ? reply : record.orCut(reply)
  }

  #openServer(): A2AServer {
    const server = this.#buildServer()
    this.#opening = server.ready().then(() => {
      if (this.#server === server) this.#opening = undefined
    })
    return server
  }

  #buildServer(): A2AServer {
    const agents = mountsOf(this.#script, {
      conversation: () => this.#conversation,
      artifacts: () => this.#artifacts,
      replay: () => this.#replay,
      authenticate: (req) => this.#credentials.authenticate(req),
      sessionName: this.#place.name,
    })
    const { url: publicUrl, grpcAddress: servedAt } = this.#place
    return createServer({ agents, publicUrl, ...(servedAt === undefined ? {} : { grpc: { servedAt } }) })
  }
}

/** A stream, once it has said something. */
async function begun(reply: Reply | NoReply): Promise<Reply | NoReply> {
  if ('ending' in reply || typeof reply.body !== 'object' || reply.body instanceof Uint8Array) return reply
  const { feed } = reply.body
  const first = await feed.next()
  let isFirst = true
  const next = () => {
    if (!isFirst) return feed.next()
    isFirst = false
    return first
  }
  return { ...reply, body: { ...reply.body, feed: { next, close: () => feed.close() } } }
}
