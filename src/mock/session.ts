// One isolated mock: its script, what was played, its journal, its faults, and an A2A server of its own. Tests that run
// side by side each take a session and see nothing of one another.

import { IncomingMessage, type ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { readBody } from '../net/body.ts'
import { MAX_BODY_BYTES } from '../net/limits.ts'
import { createServer } from '../server/index.ts'
import type { A2AServer } from '../server/server.ts'
import { CredentialCheck } from './credentials.ts'
import { FaultBox } from './faults/fault-box.ts'
import type { Fault } from './faults/fault-shape.ts'
import { Conversation } from './interpreter/conversation.ts'
import { Journal, type JournalEntry } from './journal.ts'
import { belowGeneration, mountsOf } from './mounts.ts'
import { ProducedArtifacts } from './produced-artifacts.ts'
import { Replay } from './recording/replay.ts'
import type { Script } from './script/script.ts'
import { currentRequest } from './scripted-agent.ts'
import { FaultLayer, strikeWhole } from './wire/fault-layer.ts'
import { intercept, observe, observeEnd, type Wire } from './wire/intercept.ts'
import { RequestRecord } from './wire/request-record.ts'

export interface SessionPlace {
  /** '' for the default session. */
  readonly name: string
  /** Without a trailing slash. */
  readonly url: string
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
  serve(req: IncomingMessage, res: ServerResponse, path: string): void | Promise<void> {
    const record = new RequestRecord(this.journal, req, belowGeneration(path))
    this.journal.add(record)
    if (!this.#faults.isEmpty) return this.#serveWithFaults(req, res, path, record)
    observe(res, record)
    return this.#pass(req, res, path, record)
  }

  async #serveWithFaults(
    req: IncomingMessage,
    res: ServerResponse,
    path: string,
    record: RequestRecord,
  ): Promise<void> {
    observeEnd(res, record)
    const faults = this.#faults
    let fault: Fault | undefined
    let wire: Wire | undefined
    intercept(res, (bare) => {
      wire = record.tap(bare)
      return new FaultLayer(wire, () => {
        fault ??= record.rule === undefined ? undefined : faults.onRule(record.rule, record.turn ?? 0)
        record.fault = fault?.action.name
        return fault
      })
    })
    let request = req
    if (faults.needsOperation) {
      request = await reread(req)
      fault = faults.onArrival(record.operation)
      record.fault = fault?.action.name
      if (wire !== undefined && fault !== undefined && strikeWhole(wire, fault, true)) return
    }
    await this.#pass(request, res, path, record)
  }

  #pass(req: IncomingMessage, res: ServerResponse, path: string, record: RequestRecord): void | Promise<void> {
    if (this.#opening !== undefined) return this.#opening.then(() => this.#pass(req, res, path, record))
    req.url = path + queryOf(req.url ?? '')
    return currentRequest.run(record, this.#server.requestListener, req, res)
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
    return createServer({ agents, publicUrl: this.#place.url })
  }
}

function queryOf(url: string): string {
  const mark = url.indexOf('?')
  return mark < 0 ? '' : url.slice(mark)
}

/** The same request with its body read and ready to be read again. */
async function reread(req: IncomingMessage): Promise<IncomingMessage> {
  const body = await readRaw(req)
  const copy = new IncomingMessage(req.socket)
  copy.method = req.method
  copy.url = req.url
  copy.headers = req.headers
  copy.rawHeaders = req.rawHeaders
  copy.httpVersion = req.httpVersion
  copy.complete = true
  if (body.byteLength > 0) copy.push(body)
  copy.push(null)
  return copy
}

/** Without undoing a content encoding: the real reader does that. */
async function readRaw(req: IncomingMessage): Promise<Buffer> {
  if (req.headers['content-encoding'] === undefined) return readBody(req, MAX_BODY_BYTES)
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
