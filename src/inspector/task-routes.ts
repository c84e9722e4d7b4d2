// Tasks and push configurations of an agent, asked for by the page. Also what only reads is POST: it calls the agent.

import type { ListTasksRequest } from '../model/operation.ts'
import { TASK_STATES } from '../model/task.ts'
import * as asked from './asked.ts'
import type { Route } from './routes.ts'

export const TASK_ROUTES: readonly (readonly [string, Route])[] = [
  [
    'POST list-tasks',
    ({ lab, body, signal }) => {
      const request: ListTasksRequest = {}
      const contextId = asked.optionalText(body, 'contextId')
      const pageToken = asked.optionalText(body, 'pageToken')
      const pageSize = asked.optionalNumber(body, 'pageSize')
      if (contextId !== undefined) request.contextId = contextId
      if (pageToken !== undefined) request.pageToken = pageToken
      if (pageSize !== undefined) request.pageSize = pageSize
      if (asked.optionalText(body, 'status') !== undefined)
        request.status = asked.choice(body.status, TASK_STATES, 'status')
      return lab.agent(asked.text(body, 'agent')).client().listTasks(request, { signal })
    },
  ],
  [
    'POST get-task',
    ({ lab, body, signal }) => {
      const historyLength = asked.optionalNumber(body, 'historyLength')
      const request = { id: asked.text(body, 'task'), ...(historyLength === undefined ? {} : { historyLength }) }
      return lab.agent(asked.text(body, 'agent')).client().getTask(request, { signal })
    },
  ],
  [
    'POST cancel-task',
    ({ lab, body, signal }) =>
      lab
        .agent(asked.text(body, 'agent'))
        .client()
        .cancelTask({ id: asked.text(body, 'task') }, { signal }),
  ],
  [
    'POST subscribe',
    ({ lab, body }) => ({
      turn: lab.conversations.subscribe(lab.agent(asked.text(body, 'agent')), asked.text(body, 'task')),
    }),
  ],
]
