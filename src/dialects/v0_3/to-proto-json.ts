// Turns the `kind` shapes of 0.3 into the ProtoJSON its REST peers read. Only members of the 0.3 proto are written:
// official servers parse strictly and refuse a request for one member too many.

import type { Losses } from '../losses.ts'
import type { WireRole } from '../older-shapes.ts'
import type {
  WireArtifact,
  WireEvent,
  WireMessage,
  WirePart,
  WireSendParams,
  WireState,
  WireStatus,
  WireTask,
  WireTaskPushConfig,
} from './wire.ts'

function protoState(state: WireState): string {
  if (state === 'canceled') return 'TASK_STATE_CANCELLED'
  if (state === 'unknown') return 'TASK_STATE_UNSPECIFIED'
  return `TASK_STATE_${state.toUpperCase().replaceAll('-', '_')}`
}

function protoRole(role: WireRole): string {
  return role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT'
}

/** The named members of a value that are there; each other one is a loss. */
function only<T extends object, K extends keyof T & string>(
  value: T,
  names: readonly K[],
  pointer: string,
  lost: Losses,
): Partial<Pick<T, K>> {
  const kept: Partial<Pick<T, K>> = {}
  const wanted: ReadonlySet<string> = new Set(names)
  for (const name of names) if (value[name] !== undefined) kept[name] = value[name]
  for (const name of Object.keys(value)) {
    if (name !== 'kind' && !wanted.has(name)) lost.check(value, name, pointer, 'the 0.3 proto has no such member')
  }
  return kept
}

function protoPart(part: WirePart, pointer: string, lost: Losses): object {
  lost.check(part, 'metadata', pointer, 'parts of the 0.3 proto carry no metadata')
  if (part.kind === 'text') return { text: part.text }
  if (part.kind === 'data') return { data: { data: part.data } }
  const { bytes, uri, mimeType } = part.file
  lost.check(part.file, 'name', `${pointer}/file`, 'files of the 0.3 proto have no name')
  return {
    file: {
      ...(bytes === undefined ? { fileWithUri: uri } : { fileWithBytes: bytes }),
      ...(mimeType === undefined ? {} : { mimeType }),
    },
  }
}

function protoParts(parts: readonly WirePart[], pointer: string, lost: Losses): object[] {
  return parts.map((part, i) => protoPart(part, `${pointer}/${i}`, lost))
}

function protoMessage(message: WireMessage, pointer: string, lost: Losses): object {
  const { parts, ...rest } = message
  return {
    ...only(rest, ['messageId', 'contextId', 'taskId', 'role', 'metadata', 'extensions'], pointer, lost),
    role: protoRole(message.role),
    content: protoParts(parts, `${pointer}/parts`, lost),
  }
}

function protoArtifact(artifact: WireArtifact, pointer: string, lost: Losses): object {
  return {
    ...only(artifact, ['artifactId', 'name', 'description', 'parts', 'metadata', 'extensions'], pointer, lost),
    parts: protoParts(artifact.parts, `${pointer}/parts`, lost),
  }
}

function protoStatus(status: WireStatus, pointer: string, lost: Losses): object {
  const { message } = status
  return {
    ...only(status, ['state', 'message', 'timestamp'], pointer, lost),
    state: protoState(status.state),
    ...(message === undefined ? {} : { message: protoMessage(message, `${pointer}/message`, lost) }),
  }
}

export function protoTask(task: WireTask, pointer: string, lost: Losses): object {
  const { artifacts, history } = task
  return {
    ...only(task, ['id', 'contextId', 'status', 'artifacts', 'history', 'metadata'], pointer, lost),
    status: protoStatus(task.status, `${pointer}/status`, lost),
    ...(artifacts && { artifacts: artifacts.map((a, i) => protoArtifact(a, `${pointer}/artifacts/${i}`, lost)) }),
    ...(history && { history: history.map((m, i) => protoMessage(m, `${pointer}/history/${i}`, lost)) }),
  }
}

/** StreamResponse, and with a task or a message also SendMessageResponse. */
export function protoEvent(event: WireEvent, lost: Losses): object {
  switch (event.kind) {
    case 'task':
      return { task: protoTask(event, '/task', lost) }
    case 'message':
      return { message: protoMessage(event, '/message', lost) }
    case 'status-update':
      return {
        statusUpdate: {
          ...only(event, ['taskId', 'contextId', 'status', 'final', 'metadata'], '/statusUpdate', lost),
          status: protoStatus(event.status, '/statusUpdate/status', lost),
        },
      }
    case 'artifact-update': {
      const names = ['taskId', 'contextId', 'artifact', 'append', 'lastChunk', 'metadata'] as const
      return {
        artifactUpdate: {
          ...only(event, names, '/artifactUpdate', lost),
          artifact: protoArtifact(event.artifact, '/artifactUpdate/artifact', lost),
        },
      }
    }
  }
}

export function protoSendRequest(params: WireSendParams, lost: Losses): object {
  const { message, configuration, metadata } = params
  const wire: Record<string, unknown> = { message: protoMessage(message, '/message', lost) }
  if (configuration !== undefined) {
    const { pushNotificationConfig, ...rest } = configuration
    wire.configuration = {
      ...only(rest, ['acceptedOutputModes', 'historyLength', 'blocking'], '/configuration', lost),
      ...(pushNotificationConfig && { pushNotification: pushNotificationConfig }),
    }
  }
  if (metadata !== undefined) wire.metadata = metadata
  return wire
}

export function protoTaskPushConfig(config: WireTaskPushConfig): object {
  const { taskId, pushNotificationConfig } = config
  const name = `tasks/${taskId}/pushNotificationConfigs/${pushNotificationConfig.id ?? ''}`
  return { name, pushNotificationConfig }
}

/** The request message of the proto: the only body both official 0.3 servers take. */
export function protoCreatePushConfig(config: WireTaskPushConfig): object {
  const { id } = config.pushNotificationConfig
  return {
    parent: `tasks/${config.taskId}`,
    ...(id === undefined ? {} : { configId: id }),
    config: protoTaskPushConfig(config),
  }
}
