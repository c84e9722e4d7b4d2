// Agents to open again: a name, an address and how to authenticate, in a file of the user. A secret stands there only as
// the name of an environment variable; one that was typed is left out.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { isJsonObject } from '../model/json.ts'
import { authForm } from './asked.ts'
import { referenceIn } from './credentials.ts'
import type { AuthForm, SavedAgent } from './views.ts'

const MAX_SAVED = 200

export function defaultSavedFile(env: NodeJS.ProcessEnv = process.env): string {
  const base = env.XDG_CONFIG_HOME
  return join(base === undefined || base === '' ? join(homedir(), '.config') : base, 'a2a-parley', 'agents.json')
}

export class SavedAgents {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  list(): SavedAgent[] {
    try {
      const json: unknown = JSON.parse(readFileSync(this.#file, 'utf8'))
      const agents = isJsonObject(json) && Array.isArray(json.agents) ? json.agents : []
      return agents.flatMap((each) => {
        if (!isJsonObject(each) || typeof each.name !== 'string' || typeof each.target !== 'string') return []
        return [{ name: each.name, target: each.target, auth: withoutSecrets(authForm(each)) }]
      })
    } catch {
      // There is none yet, or it is not ours; it is written anew with the next agent.
      return []
    }
  }

  save(agent: SavedAgent): SavedAgent[] {
    const others = this.list().filter(({ name }) => name !== agent.name)
    return this.#write([...others, { ...agent, auth: withoutSecrets(agent.auth) }].slice(-MAX_SAVED))
  }

  forget(name: string): SavedAgent[] {
    return this.#write(this.list().filter((agent) => agent.name !== name))
  }

  #write(agents: SavedAgent[]): SavedAgent[] {
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
    const temporary = `${this.#file}.${process.pid}.tmp`
    writeFileSync(temporary, `${JSON.stringify({ agents }, null, 2)}\n`, { mode: 0o600 })
    renameSync(temporary, this.#file)
    return agents
  }
}

function withoutSecrets(form: AuthForm): AuthForm {
  const { secret, clientSecret, cert: _, key: __, ca: ___, ...rest } = form
  return {
    ...rest,
    ...(referenceIn(secret) === undefined ? {} : { secret }),
    ...(referenceIn(clientSecret) === undefined ? {} : { clientSecret }),
  } as AuthForm
}
