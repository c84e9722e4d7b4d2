// No file over 400 lines, no function over 60: comments and blank lines included, functions counted on the syntax tree.
// A suite (what only holds tests) is a list, not a function; its tests count one by one.

import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'vite'
import { expect, test } from 'vitest'

const FILE_LINES = 400
const FUNCTION_LINES = 60

const ROOT = join(import.meta.dirname, '..')
const files = globSync('{src,test,ui,bench,examples,interop,scripts}/**/*.{ts,tsx,js}', {
  cwd: ROOT,
  exclude: (path) => /node_modules|\.build|\.venv/.test(path),
}).sort()

interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression'])

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).type === 'string'
}

function childrenOf(node: Node): Node[] {
  const found: Node[] = []
  for (const name in node) {
    const value = node[name]
    if (Array.isArray(value)) found.push(...value.filter(isNode))
    else if (isNode(value)) found.push(value)
  }
  return found
}

/** The name at the beginning of `describe.each(…)(…)`. */
function calledName(node: unknown): string {
  if (!isNode(node)) return ''
  if (node.type === 'Identifier') return String(node.name)
  return calledName(node.type === 'MemberExpression' ? node.object : node.callee)
}

/** Its own statements, or those of loops in it, begin tests. */
function isSuite(node: Node): boolean {
  return childrenOf(node).some((child) => {
    if (FUNCTIONS.has(child.type)) return false
    if (child.type === 'CallExpression' && /^(describe|test)/.test(calledName(child))) return true
    return isSuite(child)
  })
}

function longFunctions(path: string): string[] {
  const text = readFileSync(join(ROOT, path), 'utf8')
  const found: string[] = []
  if (text.split('\n').length <= FUNCTION_LINES) return found
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  const lineOf = (at: number) => {
    const line = ends.findIndex((end) => end >= at)
    return (line === -1 ? ends.length : line) + 1
  }
  const visit = (node: Node): void => {
    const lines = lineOf(node.end) - lineOf(node.start) + 1
    // Whatever is shorter holds no long function.
    if (lines <= FUNCTION_LINES) return
    if (FUNCTIONS.has(node.type) && !isSuite(node)) found.push(`${path}:${lineOf(node.start)} (${lines} lines)`)
    for (const child of childrenOf(node)) visit(child)
  }
  const { program, errors } = parseSync(path, text)
  expect(errors, path).toEqual([])
  visit(program as unknown as Node)
  return found
}

test('there are files to measure', () => {
  expect(files.length).toBeGreaterThan(900)
})

test(`no file over ${FILE_LINES} lines`, () => {
  const linesOf = (path: string) => readFileSync(join(ROOT, path), 'utf8').trimEnd().split('\n').length
  expect(files.filter((path) => linesOf(path) > FILE_LINES)).toEqual([])
})

// More than a thousand files are parsed, on a machine that may be busy.
test(`no function over ${FUNCTION_LINES} lines`, { timeout: 120_000 }, () => {
  expect(files.flatMap(longFunctions)).toEqual([])
})
