// What a push notification says and what is wrong with it, read from its raw bytes: the generation from its shape, the
// shape against the schema of that generation.

import type { IncomingHttpHeaders } from 'node:http'
import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { parseJson } from '../net/json.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'
import { validate } from '../schema/validate.ts'

export interface DeliveryReport {
  /** Undefined when the body has the shape of none. */
  generation: '0.1' | '0.3' | '1.0' | undefined
  /** task, message, status or artifact. */
  kind: string | undefined
  taskId: string | undefined
  state: string | undefined
  token: 'right' | 'wrong' | 'present' | 'absent'
  /** The scheme only; the credentials are a secret. */
  authorization: string | undefined
  deliveryId: string | undefined
  attempt: string | undefined
  issues: Issue[]
}

export function reportDelivery(
  headers: IncomingHttpHeaders,
  body: Buffer,
  isToken: ((given: string) => boolean) | undefined,
): DeliveryReport {
  const parsed = parseJson(body, DEFAULT_LIMITS)
  const report: DeliveryReport = {
    ...{ generation: undefined, kind: undefined, taskId: undefined, state: undefined },
    token: tokenOf(headers, isToken),
    authorization: headers.authorization?.split(' ', 1)[0],
    deliveryId: one(headers['x-parley-delivery-id']),
    attempt: one(headers['x-parley-attempt']),
    issues: [],
  }
  if (parsed.ok) readBody(parsed.value, report)
  else report.issues.push({ pointer: '', message: `is not JSON: ${parsed.message}` })
  const type = headers['content-type'] ?? 'missing'
  if (!/^application\/(a2a\+)?json\b/i.test(type))
    report.issues.push({ pointer: 'Content-Type', message: `is ${type}, not application/json or application/a2a+json` })
  return report
}

const MEMBERS_1_0 = { task: 'task', message: 'message', statusUpdate: 'status', artifactUpdate: 'artifact' } as const
const KINDS_0_3: Readonly<Record<string, string>> = { 'status-update': 'status', 'artifact-update': 'artifact' }

function readBody(body: JsonValue, report: DeliveryReport): void {
  if (!isJsonObject(body)) {
    report.issues.push({ pointer: '', message: 'is not a JSON object' })
    return
  }
  const member = (Object.keys(MEMBERS_1_0) as (keyof typeof MEMBERS_1_0)[]).find((name) => isJsonObject(body[name]))
  if (member !== undefined) {
    report.generation = '1.0'
    report.kind = MEMBERS_1_0[member]
    describe(body[member] as JsonObject, report)
    report.issues.push(...validate('1.0', 'StreamResponse', body))
  } else if (typeof body.kind === 'string') {
    report.generation = '0.3'
    report.kind = KINDS_0_3[body.kind] ?? body.kind
    describe(body, report)
    report.issues.push(...validate('0.3', 'StreamEvent', body))
  } else if (typeof body.taskId === 'string' && typeof body.eventType === 'string') {
    report.generation = '0.1'
    report.kind = body.eventType
    describe(body, report)
    for (const { pointer, message } of validate('0.1', 'TaskStatus', body.status))
      report.issues.push({ pointer: `/status${pointer}`, message })
  } else {
    report.issues.push({ pointer: '', message: 'has the shape of no generation of A2A' })
  }
}

function describe(update: JsonObject, report: DeliveryReport): void {
  const id = update.taskId ?? update.id
  if (typeof id === 'string') report.taskId = id
  if (isJsonObject(update.status) && typeof update.status.state === 'string') report.state = update.status.state
}

function tokenOf(headers: IncomingHttpHeaders, isToken: ((given: string) => boolean) | undefined) {
  // The first generation sends its token as bearer.
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  const given = one(headers['x-a2a-notification-token']) ?? one(headers['a2a-notification-token'])
  if (isToken === undefined) return given === undefined ? 'absent' : 'present'
  const known = given ?? bearer
  if (known === undefined) return 'absent'
  return isToken(known) ? 'right' : 'wrong'
}

function one(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}
