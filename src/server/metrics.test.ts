import { expect, test } from 'vitest'
import { Metrics } from './metrics.ts'

test('labels with quotes, backslashes and line breaks are escaped as the text format asks', () => {
  const metrics = new Metrics()
  const agent = '/a"b\\c\nd'
  metrics.countRequest(agent)
  metrics.countError(agent, 'Kind"x')
  const text = metrics.render({
    ...{ push: undefined, openStreams: 0, isStoreUp: true },
    runningTasks: [{ agent, count: 1 }],
  })
  const escaped = 'agent="/a\\"b\\\\c\\nd"'
  for (const line of [
    `parley_requests_total{${escaped}} 1`,
    `parley_errors_total{${escaped},kind="Kind\\"x"} 1`,
    `parley_running_tasks{${escaped}} 1`,
  ])
    expect(text.split('\n')).toContain(line)
})
