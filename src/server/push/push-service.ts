// The operations on push configurations (1.0 §3.1.7 to §3.1.10). A task of another caller is answered like one that does
// not exist; what a webhook URL or a credential may not be is said without repeating the secret.

import type { DialectId, PushRules, SpecRevision } from '../../dialects/dialect.ts'
import { dialectById } from '../../dialects/index.ts'
import { A2AError } from '../../model/errors.ts'
import { MAX_ID_LENGTH } from '../../model/ids.ts'
import type { ListPushConfigsRequest, ListPushConfigsResult, PushConfig, PushConfigKey } from '../../model/operation.ts'
import type { Scope } from '../../model/scope.ts'
import { isSettled } from '../../model/state-machine.ts'
import { classifyAddress } from '../../net/guard/classify-address.ts'
import { guardUrl } from '../../net/guard/guarded-lookup.ts'
import { checkUrl, type GuardOptions, hostOf } from '../../net/guard/guarded-url.ts'
import type { TraceContext } from '../../telemetry/trace-context.ts'
import type { PushRow, PushStore, PutLimits } from '../store/push-store.ts'
import type { TaskRecord, TaskStore } from '../store/task-store.ts'
import type { PushSender } from './push-sender.ts'

export interface PushService {
  /** `registeredIn` decides the shape of the webhook bodies; `page` is the origin of the web page that asks, if one does. */
  create(scope: Scope, config: PushConfig, registeredIn: DialectId, page?: string): Promise<PushConfig>
  /** Refuses what `create` would refuse, before there is a task. */
  check(config: PushConfig, registeredIn: DialectId, page?: string): Promise<void>
  /** Stores what was checked: the configuration that came with the message of this task. */
  register(scope: Scope, record: TaskRecord, config: PushConfig, registeredIn: DialectId): Promise<PushConfig>
  /** This process writes to a task that may have been registered for by another one. */
  follow(scope: Scope, taskId: string): void
  /** What webhooks are told of the task from now on belongs to this trace. */
  trace(scope: Scope, taskId: string, trace: TraceContext | undefined): void
  get(scope: Scope, key: PushConfigKey): Promise<PushConfig>
  list(scope: Scope, request: ListPushConfigsRequest): Promise<ListPushConfigsResult>
  delete(scope: Scope, key: PushConfigKey): Promise<void>
}

export interface PushServiceDeps {
  readonly tasks: TaskStore
  readonly rows: PushStore
  readonly sender: PushSender
  readonly guard: GuardOptions
  readonly revision: SpecRevision
}

const MAX_CONFIGS_PER_TASK = 10
/** That wait for something: those whose task has ended do not count. */
const MAX_CONFIGS_PER_SCOPE = 1_000
const LIMITS: PutLimits = { maxPerTask: MAX_CONFIGS_PER_TASK, maxPerScope: MAX_CONFIGS_PER_SCOPE }
const FULL_RETRY_SECONDS = 60
/** Header fields of 8 KB are about what receivers accept. */
const MAX_SECRET_LENGTH = 8_000
const SCHEME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/
const PRINTABLE = /^[\x20-\x7e]*$/

export function createPushService(deps: PushServiceDeps): PushService {
  return new StoredPushService(deps)
}

class StoredPushService implements PushService {
  readonly #deps: PushServiceDeps

  constructor(deps: PushServiceDeps) {
    this.#deps = deps
  }

  async create(scope: Scope, config: PushConfig, registeredIn: DialectId, page?: string): Promise<PushConfig> {
    const record = await this.#require(scope, config.taskId ?? '')
    await this.check(config, registeredIn, page)
    return this.register(scope, record, config, registeredIn)
  }

  async check(config: PushConfig, registeredIn: DialectId, page?: string): Promise<void> {
    checkTexts(config)
    this.#checkPage(page)
    await this.#checkUrl(config.url, dialectById(registeredIn).push)
  }

  async register(scope: Scope, record: TaskRecord, config: PushConfig, registeredIn: DialectId): Promise<PushConfig> {
    const { task, seq } = record
    const dialect = dialectById(registeredIn)
    const id = config.id || dialect.push.configId(task.id)
    const stored: PushConfig = { ...config, id, taskId: task.id }
    const { state } = task.status
    // Whoever registers when the task already waits or has ended is told so: the client cannot know it was too late.
    const deliveredSeq = isSettled(state) ? Math.max(seq - 1, 0) : seq
    const registration = { scope, taskId: task.id, id, config: stored, registeredIn }
    const answer = await this.#deps.rows.put(
      { ...registration, mediaType: dialect.mediaType(this.#deps.revision) },
      { start: dialect.push.sendsWholeTask ? record : undefined, deliveredSeq, ...LIMITS },
    )
    if (answer === 'scope-full')
      throw new A2AError(
        'ResourceExhausted',
        `A caller has at most ${MAX_CONFIGS_PER_SCOPE} push notification configurations of tasks that have not ended; delete some first.`,
      )
    if (answer === 'store-full')
      throw new A2AError(
        'ResourceExhausted',
        'This server holds as many push notification configurations as it can; try again later.',
        { retryAfterSeconds: FULL_RETRY_SECONDS },
      )
    if (answer === 'task-full')
      throw new A2AError(
        'InvalidParams',
        `A task has at most ${MAX_CONFIGS_PER_TASK} push notification configurations; delete one first.`,
      )
    this.#deps.sender.watch(registration)
    return stored
  }

  follow(scope: Scope, taskId: string): void {
    this.#deps.sender.watch({ scope, taskId })
  }

  trace(scope: Scope, taskId: string, trace: TraceContext | undefined): void {
    if (trace !== undefined) this.#deps.sender.trace({ scope, taskId }, trace)
  }

  async get(scope: Scope, key: PushConfigKey): Promise<PushConfig> {
    await this.#require(scope, key.taskId)
    const row = pick(await this.#deps.rows.list({ scope, taskId: key.taskId }), key)
    // 1.0 §3.1.8: the error of an unknown configuration is the one of an unknown task.
    if (row === undefined) throw taskNotFound(key.taskId)
    return row.config
  }

  async list(scope: Scope, { taskId }: ListPushConfigsRequest): Promise<ListPushConfigsResult> {
    await this.#require(scope, taskId)
    const rows = await this.#deps.rows.list({ scope, taskId })
    return { configs: rows.map(({ config }) => config) }
  }

  async delete(scope: Scope, key: PushConfigKey): Promise<void> {
    const { taskId } = key
    await this.#require(scope, taskId)
    const id = key.id ?? pick(await this.#deps.rows.list({ scope, taskId }), key)?.id
    if (id !== undefined) await this.#deps.rows.remove({ scope, taskId, id })
  }

  async #require(scope: Scope, taskId: string): Promise<TaskRecord> {
    const record = await this.#deps.tasks.get(scope, taskId)
    if (record === undefined) throw taskNotFound(taskId)
    return record
  }

  /** A page from elsewhere must not make this server call into a network that the page itself cannot reach. */
  #checkPage(page: string | undefined): void {
    const { allowPrivateNetworks, selfOrigins } = this.#deps.guard
    if (page === undefined || allowPrivateNetworks !== true || isLoopbackOrigin(page)) return
    if (selfOrigins?.().includes(page)) return
    throw new A2AError(
      'PermissionDenied',
      'Web pages of other origins may not register webhooks here: this server also calls private addresses.',
    )
  }

  async #checkUrl(url: string, rules: PushRules): Promise<void> {
    const { guard } = this.#deps
    const isOpen = guard.allowPrivateNetworks === true
    if (rules.requiresHttps && !isOpen && URL.parse(url)?.protocol !== 'https:')
      throw new A2AError('InsecurePushUrl', 'The webhook URL must use https.')
    // What the text alone shows may be told; what only our network knows may not.
    const text = checkUrl(url, guard)
    if (!text.ok) throw badUrl(text.refusal)
    const verdict = await guardUrl(url, guard)
    if (verdict.ok) return
    throw badUrl(verdict.reason === 'unresolved' ? 'its host cannot be resolved' : 'it is not a public address')
  }
}

/** Without an id, which only generations with one configuration allow: the unnamed one, else the first. */
function pick(rows: readonly PushRow[], { taskId, id }: PushConfigKey): PushRow | undefined {
  if (id !== undefined) return rows.find((row) => row.id === id)
  return rows.find((row) => row.id === taskId) ?? rows[0]
}

function isLoopbackOrigin(origin: string): boolean {
  const url = URL.parse(origin)
  const host = url === null ? '' : hostOf(url)
  return host === 'localhost' || classifyAddress(host) === 'loopback'
}

function checkTexts({ id = '', token = '', authentication }: PushConfig): void {
  if (id.length > MAX_ID_LENGTH) throw invalid('/id', `must have at most ${MAX_ID_LENGTH} characters`)
  if (!isHeaderText(token)) throw invalid('/token', SECRET_RULE)
  if (authentication === undefined) return
  const { scheme, credentials = '' } = authentication
  if (credentials !== '' && !SCHEME.test(scheme))
    throw invalid('/authentication/scheme', 'must be the name of an HTTP authentication scheme')
  if (!isHeaderText(credentials)) throw invalid('/authentication/credentials', SECRET_RULE)
}

const SECRET_RULE = `must be printable ASCII on one line, at most ${MAX_SECRET_LENGTH} characters`

function isHeaderText(text: string): boolean {
  return text.length <= MAX_SECRET_LENGTH && PRINTABLE.test(text)
}

function badUrl(refusal: string): A2AError {
  return new A2AError('InvalidParams', `The webhook URL is refused: ${refusal}.`, {
    issues: [{ pointer: '/url', message: 'must be a URL this server may call' }],
  })
}

function invalid(pointer: string, message: string): A2AError {
  return new A2AError('InvalidParams', `The push notification configuration is refused: ${pointer} ${message}.`, {
    issues: [{ pointer, message }],
  })
}

function taskNotFound(taskId: string): A2AError {
  return new A2AError('TaskNotFound', 'Task not found', { metadata: { taskId } })
}
