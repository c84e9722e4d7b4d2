// Answers of an agent as people read them: text as text, everything else in one line that says what it is. All of it
// was written by a stranger and passes terminalText.

import type { StreamEvent } from '../model/event.ts'
import type { SendMessageResult } from '../model/operation.ts'
import type { Message, Part, Task, TaskState, TaskStatus } from '../model/task.ts'
import { terminalLine, terminalText } from './terminal-text.ts'

export function renderResult(result: SendMessageResult): string {
  return 'message' in result ? renderMessage(result.message) : renderTask(result.task)
}

export function renderTask(task: Task): string {
  const lines = [headOf(task.id, task.contextId, task.status.state)]
  const said = renderStatusMessage(task.status)
  if (said !== '') lines.push(said)
  for (const artifact of task.artifacts ?? []) {
    lines.push('', `${terminalLine(artifact.name ?? artifact.artifactId)}:`, renderParts(artifact.parts))
  }
  return `${lines.join('\n')}\n`
}

/** One event of a stream as it arrives; chunks of an artifact follow each other without decoration. */
export class StreamRenderer {
  #artifactId: string | undefined

  render(event: StreamEvent): string {
    if ('artifactUpdate' in event) {
      const { artifact, append } = event.artifactUpdate
      const text = renderParts(artifact.parts)
      const continues = append === true && this.#artifactId === artifact.artifactId
      this.#artifactId = artifact.artifactId
      return continues ? text : `${terminalLine(artifact.name ?? artifact.artifactId)}:\n${text}`
    }
    const before = this.#artifactId === undefined ? '' : '\n'
    this.#artifactId = undefined
    if ('message' in event) return before + renderMessage(event.message)
    if ('task' in event) return before + renderTask(event.task)
    const { status } = event.statusUpdate
    const said = renderStatusMessage(status)
    return `${before}${stateWord(status.state)}${said === '' ? '' : `: ${said}`}\n`
  }
}

function renderMessage(message: Message): string {
  return `${renderParts(message.parts)}\n`
}

function renderStatusMessage(status: TaskStatus): string {
  return status.message === undefined ? '' : renderParts(status.message.parts)
}

function renderParts(parts: readonly Part[]): string {
  return parts.map(renderPart).join('\n')
}

function renderPart(part: Part): string {
  if ('text' in part) return terminalText(part.text)
  if ('data' in part) return terminalText(JSON.stringify(part.data, null, 2))
  const name = terminalLine([part.filename, part.mediaType].filter((word) => word !== undefined).join(', '))
  if ('url' in part) return `[file${name === '' ? '' : ` ${name}`} at ${terminalLine(part.url)}]`
  return `[file${name === '' ? '' : ` ${name}`}, ${Buffer.byteLength(part.raw, 'base64')} bytes]`
}

/** `TASK_STATE_INPUT_REQUIRED` reads "input required". */
export function stateWord(state: TaskState): string {
  return state.replace('TASK_STATE_', '').toLowerCase().replaceAll('_', ' ')
}

function headOf(id: string, contextId: string | undefined, state: TaskState): string {
  const context = contextId === undefined ? '' : ` · context ${terminalLine(contextId)}`
  return `${stateWord(state)} · task ${terminalLine(id)}${context}`
}
