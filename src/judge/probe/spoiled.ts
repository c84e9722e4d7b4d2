// What we sent wrong on purpose. A lenient agent keeps such a message and shows it in histories, lists, events and
// notifications; it is our fault there, and no observer may hold it against the agent a second time. Nor what another caller
// said before this run, which may have been a run of ours.

import { isJsonObject, type JsonObject, type JsonValue } from '../../model/json.ts'

export class Spoiled {
  readonly #messages = new Set<string>()
  readonly #tasks = new Set<string>()
  readonly #made: ReadonlySet<string> | undefined

  /** `made` are the tasks of this run, growing; without it, all tasks are taken for ours. */
  constructor(made?: ReadonlySet<string>) {
    this.#made = made
  }

  /** A request that was broken on purpose is about to go out. */
  sent(request: JsonValue | undefined): void {
    each(request, (object) => {
      if (typeof object.messageId === 'string' && object.messageId !== '') this.#messages.add(object.messageId)
    })
  }

  /** What came back for it: the task, if it was accepted, bare or inside of a result or an event. */
  answered(result: JsonValue | undefined): void {
    if (!isJsonObject(result)) return
    for (const object of [result, ...Object.values(result)]) {
      const id = isJsonObject(object) ? taskIdOf(object) : undefined
      if (id !== undefined) this.#tasks.add(id)
    }
  }

  /** A task that was changed by a request that had to be refused: what it is now shows nothing more. */
  spoil(taskId: string): void {
    this.#tasks.add(taskId)
  }

  isSpoiled(taskId: string): boolean {
    return this.#tasks.has(taskId)
  }

  /** Does what lies at the pointer belong to something we spoiled? */
  covers(value: JsonValue, pointer: string): boolean {
    let found: JsonValue | undefined = value
    for (const name of ['', ...pointer.split('/').slice(1)]) {
      if (name !== '') found = memberOf(found, name)
      if (isJsonObject(found) && this.#isSpoiled(found)) return true
    }
    return false
  }

  /** The same, and what clients said in tasks of others: known only when all tasks of the run are. */
  excuses(value: JsonValue, pointer: string): boolean {
    if (this.covers(value, pointer)) return true
    const names = pointer.split('/').slice(1)
    const at = names.indexOf('history')
    if (at === -1 || at + 1 >= names.length) return false
    const task = names.slice(0, at).reduce<JsonValue | undefined>(memberOf, value)
    const message = names.slice(at, at + 2).reduce<JsonValue | undefined>(memberOf, task)
    const id = isJsonObject(task) ? taskIdOf(task) : undefined
    if (this.#made === undefined || id === undefined || this.#made.has(id)) return false
    return !isJsonObject(message) || !AGENTS.has(message.role)
  }

  #isSpoiled(object: JsonObject): boolean {
    if (typeof object.messageId === 'string' && this.#messages.has(object.messageId)) return true
    const id = taskIdOf(object)
    return id !== undefined && this.#tasks.has(id)
  }
}

const AGENTS: ReadonlySet<JsonValue | undefined> = new Set(['ROLE_AGENT', 'agent'])

/** Of a task, an event or a message about one. */
function taskIdOf({ id, taskId, status }: JsonObject): string | undefined {
  if (typeof id === 'string' && isJsonObject(status)) return id
  return typeof taskId === 'string' ? taskId : undefined
}

function memberOf(value: JsonValue | undefined, name: string): JsonValue | undefined {
  if (Array.isArray(value)) return value[Number(name)]
  return isJsonObject(value) ? value[name] : undefined
}

function each(value: JsonValue | undefined, visit: (object: JsonObject) => void): void {
  if (Array.isArray(value)) for (const item of value) each(item, visit)
  else if (isJsonObject(value)) {
    visit(value)
    for (const item of Object.values(value)) each(item, visit)
  }
}
