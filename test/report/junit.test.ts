// JUnit XML against the rules CI systems share (the schema of the Jenkins plugin): elements, their order, attributes.

import { describe, expect, test } from 'vitest'
import { rendered } from './rendered.ts'
import { NASTY, sampleReport } from './sample-report.ts'
import { parseXml, type XmlElement } from './xml-document.ts'

const ALLOWED: Readonly<
  Record<string, { attributes: RegExp; required: readonly string[]; children: readonly string[] }>
> = {
  testsuites: { attributes: /^(name|time|tests|failures|disabled|errors)$/, required: [], children: ['testsuite'] },
  testsuite: {
    attributes: /^(name|tests|failures|errors|group|time|disabled|skipped|timestamp|hostname|id|package|file)$/,
    required: ['name'],
    children: ['properties', 'testcase', 'system-out', 'system-err'],
  },
  testcase: {
    attributes: /^(name|assertions|time|classname|status|class|file|line|group)$/,
    required: ['name'],
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
  },
  properties: { attributes: /^$/, required: [], children: ['property'] },
  property: { attributes: /^(name|value)$/, required: ['name', 'value'], children: [] },
  skipped: { attributes: /^(type|message)$/, required: [], children: [] },
  error: { attributes: /^(type|message)$/, required: [], children: [] },
  failure: { attributes: /^(type|message)$/, required: [], children: [] },
  'system-out': { attributes: /^$/, required: [], children: [] },
}

function problemsOf(element: XmlElement): string[] {
  const rule = ALLOWED[element.name]
  if (rule === undefined) return [`unknown element ${element.name}`]
  const names = Object.keys(element.attributes)
  return [
    ...names.filter((name) => !rule.attributes.test(name)).map((name) => `${element.name} has ${name}`),
    ...rule.required.filter((name) => !names.includes(name)).map((name) => `${element.name} lacks ${name}`),
    ...element.children
      .filter(({ name }) => !rule.children.includes(name))
      .map(({ name }) => `${name} in ${element.name}`),
    ...Object.entries(element.attributes)
      .filter(([name]) => /^(tests|failures|errors|skipped)$/.test(name))
      .flatMap(([name, value]) => (/^\d+$/.test(value) ? [] : [`${name}="${value}"`])),
    ...element.children.flatMap(problemsOf),
  ]
}

const root = parseXml(rendered('junit', sampleReport()))
const [suite] = root.children
const cases = suite?.children ?? []

describe('junit', () => {
  test('keeps to the schema', () => {
    expect(problemsOf(root)).toEqual([])
  })

  test('counts what it lists', () => {
    expect(root.attributes).toMatchObject({ tests: '5', failures: '1', errors: '1' })
    expect(suite?.attributes).toMatchObject({ tests: '5', failures: '1', errors: '1', skipped: '1' })
    expect(suite?.attributes.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/)
  })

  test('what was not measured is skipped, our own errors are errors', () => {
    expect(cases.map(({ children }) => children[0]?.name)).toEqual([
      undefined,
      'failure',
      'system-out',
      'skipped',
      'error',
    ])
  })

  test('a failure brings all its evidence, and what cannot be written is visibly replaced', () => {
    const [failure] = cases[1]?.children ?? []
    expect(failure?.attributes.message).toBe(NASTY.replaceAll(/[^\P{Cc}\n]/gu, '\ufffd'))
    for (const line of [
      'Requirement:',
      'Expected:',
      'Actual:',
      'At: /error/code',
      'Not measured because of it: s@',
      'Recommendation:',
      'curl -sS',
    ])
      expect(failure?.text).toContain(line)
  })

  test('two agents make two sets of suites', () => {
    const both = parseXml(rendered('junit', sampleReport({ second: sampleReport() })))
    expect(both.children.filter(({ attributes }) => attributes.tests !== '0').length).toBe(2)
    expect(both.attributes.tests).toBe('10')
  })
})
