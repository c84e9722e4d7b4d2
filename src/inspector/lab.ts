// Everything the inspector has open, and the changes it tells its pages. What a request of the page does is in the routes;
// what it is done to is here.

import { packageVersion } from '../base/package-version.ts'
import type { ClientOptions } from '../client/a2a-client.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { Reach } from '../net/guard/reach.ts'
import { ChangeFeed } from './change-feed.ts'
import { Conversations } from './conversations.ts'
import { LoginCallbacks } from './login-callbacks.ts'
import { type AgentRequest, OpenAgent } from './open-agent.ts'
import type { AuthForm, StateView } from './views.ts'
import { WireLog } from './wire-log.ts'

export interface LabOptions {
  readonly env?: NodeJS.ProcessEnv
  readonly reach?: Reach
}

export class Lab {
  readonly callbacks = new LoginCallbacks()
  readonly feed = new ChangeFeed(() => this.state())
  readonly wire = new WireLog((row) => this.feed.publish({ kind: 'wire', row }))
  readonly conversations = new Conversations((change) => this.feed.publish(change))
  readonly #agents = new Map<string, OpenAgent>()
  readonly #options: LabOptions
  #count = 0
  /** Where browsers come back to from a login; known once the inspector listens. */
  callbackUrl = ''

  constructor(options: LabOptions = {}) {
    this.#options = options
  }

  state(): StateView {
    return {
      version: packageVersion(),
      agents: [...this.#agents.values()].map(({ view }) => view),
      wire: this.wire.rows(),
      turns: this.conversations.views(),
      deliveries: [],
      runs: [],
      mocks: [],
      recordings: [],
      saved: [],
    }
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
    throw new ParleyError('no-such-agent', 'This agent is not open any more; connect again.', { exitCode: EXIT.usage })
  }

  closeAgent(id: string): void {
    this.agent(id).close()
    this.conversations.clear(id)
    this.#agents.delete(id)
    this.feed.publish({ kind: 'agent-closed', id })
  }

  close(): void {
    this.conversations.clear()
    for (const agent of this.#agents.values()) agent.close()
    this.wire.close()
    this.feed.close()
  }
}
