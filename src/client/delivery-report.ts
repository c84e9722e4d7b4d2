// What a push notification says and what is wrong with it, read from its raw bytes: the generation from its shape, the
// shape against the schema of that generation.

import type { IncomingHttpHeaders } from 'node:http'
import type { DialectId } from '../dialects/dialect.ts'
import { DIALECTS } from '../dialects/index.ts'
import type { Issue } from '../model/issue.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts'
import { parseJson } from '../net/json.ts'
import { DEFAULT_LIMITS } from '../net/limits.ts'

export interface DeliveryReport {
  /** Undefined when the body has the shape of none. */
  generation: DialectId | undefined
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
  if (parsed.ok) readBody(parsed.value, one(headers['a2a-version']), report)
  else report.issues.push({ pointer: '', message: `is not JSON: ${parsed.message}` })
  const type = headers['content-type'] ?? 'missing'
  if (!/^application\/(a2a\+)?json\b/i.test(type))
    report.issues.push({ pointer: 'Content-Type', message: `is ${type}, not application/json or application/a2a+json` })
  return report
}

function readBody(body: JsonValue, version: string | undefined, report: DeliveryReport): void {
  if (!isJsonObject(body)) {
    report.issues.push({ pointer: '', message: 'is not a JSON object' })
    return
  }
  // Where generations tell their webhooks in the same shape, the header says which it is.
  const readings = DIALECTS.flatMap((dialect) => {
    const delivery = dialect.push.readBody(body)
    return delivery === undefined ? [] : [{ dialect, delivery }]
  })
  const found = readings.find(({ dialect }) => dialect.versionHeader === version) ?? readings[0]
  if (found === undefined) {
    report.issues.push({ pointer: '', message: 'does not match any protocol version of A2A' })
    return
  }
  report.generation = found.dialect.id
  report.kind = found.delivery.kind
  describe(found.delivery.subject, report)
  report.issues.push(...found.delivery.issues)
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
