// The tasks of an agent: listed with filters and paging, or by id; each to be looked at, followed or canceled.

import { useState } from 'preact/hooks'
import type { AgentView } from '../../src/inspector/views.ts'
import type { ListTasksResult } from '../../src/model/operation.ts'
import type { Task } from '../../src/model/task.ts'
import { Json } from '../shared/json.tsx'
import { Scrolls } from '../shared/scrolls.tsx'
import { post } from './api.ts'
import { Parts } from './parts.tsx'
import { attempt, goTo } from './state.ts'
import { goOnWith, StateBadge, short, stateWord } from './talk.tsx'
import { joined } from './turns.ts'

const STATES = [
  'SUBMITTED',
  'WORKING',
  'COMPLETED',
  'FAILED',
  'CANCELED',
  'INPUT_REQUIRED',
  'REJECTED',
  'AUTH_REQUIRED',
]

export function Tasks({ agent }: { agent: AgentView }) {
  const [filter, setFilter] = useState({ status: '', contextId: '', pageSize: '20' })
  const [page, setPage] = useState<ListTasksResult | undefined>(undefined)
  const [task, setTask] = useState<Task | undefined>(undefined)
  const list = (pageToken = '') =>
    void attempt(async () => {
      const { status, contextId, pageSize } = filter
      const asked = { agent: agent.id, status, contextId, pageToken, pageSize: Number(pageSize) || 20 }
      const next = await post<ListTasksResult>('list-tasks', asked)
      setPage(pageToken === '' || page === undefined ? next : { ...next, tasks: [...page.tasks, ...next.tasks] })
    })
  const ask = (path: string, taskId: string) =>
    void attempt(async () => setTask(await post<Task>(path, { agent: agent.id, task: taskId })))
  const follow = (taskId: string) =>
    void attempt(async () => {
      await post('subscribe', { agent: agent.id, task: taskId })
      goTo('talk')
    })
  return (
    <div class="page-column">
      <FindTasks
        filter={filter}
        onFilter={setFilter}
        onList={() => list()}
        onGet={(taskId) => ask('get-task', taskId)}
      />
      {page !== undefined && <TaskTable page={page} onOpen={(taskId) => ask('get-task', taskId)} onMore={list} />}
      {task !== undefined && (
        <TaskPanel
          task={task}
          onRefresh={() => ask('get-task', task.id)}
          onCancel={() => ask('cancel-task', task.id)}
          onFollow={() => follow(task.id)}
        />
      )}
    </div>
  )
}

interface Filter {
  status: string
  contextId: string
  pageSize: string
}

interface FindProps {
  filter: Filter
  onFilter(filter: Filter): void
  onList(): void
  onGet(id: string): void
}

function FindTasks({ filter, onFilter, onList, onGet }: FindProps) {
  const [id, setId] = useState('')
  return (
    <section class="panel" aria-label="Find tasks">
      <div class="toolbar">
        <label>
          <span class="label">State</span>
          <select
            value={filter.status}
            onChange={(event) => onFilter({ ...filter, status: event.currentTarget.value })}
          >
            <option value="">any</option>
            {STATES.map((state) => (
              <option key={state} value={`TASK_STATE_${state}`}>
                {stateWord(state)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <span class="label">Context</span>
          <input
            type="text"
            value={filter.contextId}
            onInput={(event) => onFilter({ ...filter, contextId: event.currentTarget.value })}
          />
        </label>
        <label>
          <span class="label">A page</span>
          <input
            type="number"
            min="1"
            max="100"
            value={filter.pageSize}
            onInput={(event) => onFilter({ ...filter, pageSize: event.currentTarget.value })}
          />
        </label>
        <button type="button" class="primary" onClick={onList}>
          List tasks
        </button>
        <label>
          <span class="label">Task id</span>
          <input type="text" value={id} onInput={(event) => setId(event.currentTarget.value)} />
        </label>
        <button type="button" disabled={id === ''} onClick={() => onGet(id)}>
          Get
        </button>
      </div>
    </section>
  )
}

interface TableProps {
  page: ListTasksResult
  onOpen(id: string): void
  onMore(token: string): void
}

function TaskTable({ page: { tasks, totalSize, nextPageToken }, onOpen, onMore }: TableProps) {
  return (
    <section class="panel" aria-label="Tasks">
      <h3>
        {tasks.length} of {totalSize} tasks
      </h3>
      {tasks.length === 0 && <p class="muted">No task fits.</p>}
      <Scrolls label="Table of tasks">
        <table>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">State</th>
              <th scope="col">Context</th>
              <th scope="col">Changed</th>
            </tr>
          </thead>
          <tbody>
            {tasks.map(({ id, status, contextId = '' }) => (
              <tr key={id}>
                <td>
                  <button type="button" class="plain link" title={id} onClick={() => onOpen(id)}>
                    {short(id)}
                  </button>
                </td>
                <td>
                  <StateBadge state={status.state} />
                </td>
                <td title={contextId}>{short(contextId)}</td>
                <td class="time">{status.timestamp?.replace('T', ' ').slice(0, 19)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
      {nextPageToken !== '' && nextPageToken !== undefined && (
        <button type="button" onClick={() => onMore(nextPageToken)}>
          More
        </button>
      )}
    </section>
  )
}

interface TaskProps {
  task: Task
  onRefresh(): void
  onCancel(): void
  onFollow(): void
}

function TaskPanel({ task, onRefresh, onCancel, onFollow }: TaskProps) {
  const { id, contextId, status, artifacts = [], history = [] } = task
  const goOn = () => {
    goOnWith({ taskId: id, ...(contextId === undefined ? {} : { contextId }) })
    goTo('talk')
  }
  return (
    <section class="panel" aria-label={`Task ${id}`}>
      <h2>
        Task {id} <StateBadge state={status.state} />
      </h2>
      {status.message !== undefined && <Parts parts={status.message.parts} />}
      <p class="actions">
        <button type="button" onClick={onRefresh}>
          Get again
        </button>
        <button type="button" onClick={onFollow}>
          Follow
        </button>
        <button type="button" onClick={goOn}>
          Go on with it
        </button>
        <button type="button" onClick={onCancel}>
          Cancel task
        </button>
      </p>
      {artifacts.map((artifact) => (
        <section
          class="artifact"
          key={artifact.artifactId}
          aria-label={`Artifact ${artifact.name ?? artifact.artifactId}`}
        >
          <p class="meta">
            <b>{artifact.name ?? artifact.artifactId}</b>
          </p>
          <Parts parts={joined(artifact.parts)} />
        </section>
      ))}
      {history.length > 0 && (
        <details>
          <summary>History, {history.length} messages</summary>
          {history.map((message) => (
            <div key={message.messageId} class="status">
              <span class="badge">{message.role === 'ROLE_USER' ? 'you' : 'agent'}</span>
              <Parts parts={message.parts} />
            </div>
          ))}
        </details>
      )}
      <details>
        <summary>Raw</summary>
        <Json value={task} />
      </details>
    </section>
  )
}
