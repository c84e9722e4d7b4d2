// Addresses below an interface, whatever its own address looks like.

import { expect, test } from 'vitest'
import { joinUrl } from './probe.ts'

test.each([
  ['http://h:1', 'http://h:1/tasks/x'],
  ['http://h:1/', 'http://h:1/tasks/x'],
  ['http://h:1/a', 'http://h:1/a/tasks/x'],
  ['http://h:1/a/', 'http://h:1/a/tasks/x'],
  ['http://h:1/a?k=v', 'http://h:1/a/tasks/x?k=v'],
])('below %s', (root, url) => {
  expect(joinUrl(root, '/tasks/x')).toBe(url)
  expect(joinUrl(root, 'tasks/x')).toBe(url)
})
