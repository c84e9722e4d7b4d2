// Everything the inspector has open, and the changes it tells its pages. What a request of the page does is in the routes;
// what it is done to is here.

import { packageVersion } from '../base/package-version.ts'
import type { ClientOptions } from '../client/a2a-client.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Reach } from '../net/guard/reach.ts'
import type { FleetView } from '../run/fleet-view.ts'
import { Redactor } from '../trace/redact.ts'
import { ChangeFeed } from './change-feed.ts'
import { Conversations } from './conversations.ts'
import { Judging } from './judging.ts'
import { LoginCallbacks } from './login-callbacks.ts'
import { Mocks } from './mocks.ts'
import { type AgentRequest, OpenAgent } from './open-agent.ts'
import { PushReceiver } from './push-receiver.ts'
import { Recordings } from './recordings.ts'
import { defaultSavedFile, SavedAgents } from './saved-agents.ts'
import type { AuthForm, SavedAgent, StateView } from './views.ts'
import { WireLog } from './wire-log.ts'

export interface LabOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly reach?: Reach
  /** Where agents are saved; the user's own file unless given. */
  readonly savedFile?: string
  /** The fleet to show, as it is now. */
  readonly fleet?: () => Promise<FleetView>
  /** Recordings to look into, also while they are written. */
  readonly recordings?: readonly string[]
}

export class Lab {
  readonly callbacks = new LoginCallbacks()
  readonly feed = new ChangeFeed(() => this.state())
  readonly wire = new WireLog((row) => this.feed.publish({ kind: 'wire', row }))
  readonly conversations = new Conversations((change) => this.feed.publish(change))
  readonly judging = new Judging((change) => this.feed.publish(change))
  readonly mocks = new Mocks((change) => this.feed.publish(change))
  readonly push = new PushReceiver(
    (id) => this.#agents.get(id)?.redactor ?? new Redactor(),
    (delivery) => this.feed.publish({ kind: 'delivery', delivery }),
  )
  readonly #saved: SavedAgents
  readonly recordings: Recordings
  readonly #agents = new Map<string, OpenAgent>()
  readonly #options: LabOptions
  #count = 0
  /** Where browsers come back to from a login; known once the inspector listens. */
  callbackUrl = ''

  constructor(options: LabOptions = {}) {
    this.#options = options
    this.#saved = new SavedAgents(options.savedFile ?? defaultSavedFile(options.env))
    this.recordings = new Recordings(options.recordings ?? [], (recordings) =>
      this.feed.publish({ kind: 'recordings', recordings }),
    )
  }

  state(): StateView {
    return {
      version: packageVersion(),
      agents: [...this.#agents.values()].map(({ view }) => view),
      wire: this.wire.rows(),
      turns: this.conversations.views(),
      deliveries: [...this.push.deliveries],
      runs: this.judging.views(),
      mocks: this.mocks.views(),
      recordings: this.recordings.views(),
      saved: this.#saved.list(),
      hasFleet: this.#options.fleet !== undefined,
    }
  }

  /** What parley ui --fleet named. */
  fleet(): Promise<FleetView> {
    const { fleet } = this.#options
    if (fleet !== undefined) return fleet()
    throw new ParleyError('no-fleet', 'There is no fleet to show; start parley ui with --fleet STORE.', {
      exitCode: EXIT.usage,
    })
  }

  /** Opens an agent; how far it got is told as it goes. */
  open(target: string, auth: AuthForm, allowOrigins: readonly string[], standing?: ClientOptions): OpenAgent {
    const request: AgentRequest = { id: `a${++this.#count}`, target, auth, allowOrigins, standing }
    const { env = process.env, reach } = this.#options
    const agent = new OpenAgent(request, {
      ...{ wire: this.wire, callbacks: this.callbacks, callbackUrl: this.callbackUrl, env, reach },
      onChange: ({ view }) => {
        if (this.#agents.has(view.id)) this.feed.publish({ kind: 'agent', agent: view })
      },
    })
    this.#agents.set(agent.id, agent)
    this.feed.publish({ kind: 'agent', agent: agent.view })
    void agent.connect()
    return agent
  }

  agent(id: string): OpenAgent {
    const found = this.#agents.get(id)
    if (found !== undefined) return found
    throw new ParleyError('no-such-agent', 'This agent is no longer open; connect again.', { exitCode: EXIT.usage })
  }

  /** Without the credentials of any agent. */
  redacted(text: string): string {
    let clean = text
    for (const { redactor } of this.#agents.values()) clean = redactor.registered(clean)
    return clean
  }

  closeAgent(id: string): void {
    this.agent(id).close()
    this.conversations.clear(id)
    this.#agents.delete(id)
    this.feed.publish({ kind: 'agent-closed', id })
  }

  saveAgent(agent: SavedAgent): void {
    this.feed.publish({ kind: 'saved', saved: this.#saved.save(agent) })
  }

  forgetAgent(name: string): void {
    this.feed.publish({ kind: 'saved', saved: this.#saved.forget(name) })
  }

  async close(): Promise<void> {
    this.conversations.clear()
    for (const agent of this.#agents.values()) agent.close()
    this.wire.close()
    this.feed.close()
    this.recordings.close()
    await Promise.all([this.judging.close(), this.push.close(), this.mocks.close()])
  }
}
