// Which constants the source uses where an option is not given: `{ port = 0 }`, `options.port ?? PORT`, `timeoutMs = 5_000` of a
// parameter, a comparison with `true` or `false`, and the members of objects called DEFAULT…. Read from the syntax trees.

import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

interface Node {
  type: string
  [member: string]: unknown
}

/** What a text says if it is a constant expression; undefined for anything else, such as a sentence. */
export function constantIn(text: string): string | undefined {
  try {
    const { body } = parseAst(`(${text})`, { lang: 'ts' }) as unknown as { body: Node[] }
    return body.length === 1 ? asText(constantOf(body[0]?.expression as Node, new Map())) : undefined
  } catch {
    return undefined
  }
}

/** Name of an option to the constants that stand for it somewhere below the folder. */
export function defaultsIn(folder: string): Map<string, Set<string>> {
  const files = globSync('**/*.ts', { cwd: folder }).filter((path) => !path.endsWith('.test.ts'))
  const trees = new Map(
    files.map((path) => {
      const file = join(folder, path)
      return [file, parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }, path) as unknown as Node]
    }),
  )
  const own = new Map([...trees].map(([file, tree]) => [file, constantsOf(tree)]))
  const found = new Map<string, Set<string>>()
  for (const [file, tree] of trees) {
    const constants = new Map([...importedTo(file, tree, own), ...(own.get(file) ?? [])])
    const add = (name: string, node: Node): void => {
      const text = asText(constantOf(node, constants))
      if (name !== '' && text !== undefined) found.set(name, (found.get(name) ?? new Set()).add(text))
    }
    visit(tree, (node) => {
      if (node.type === 'AssignmentPattern') add(nameOf(node.left), node.right as Node)
      if (node.type === 'LogicalExpression' && node.operator === '??') add(nameOf(node.left), node.right as Node)
      if (node.type === 'BinaryExpression' && /^[!=]==$/.test(String(node.operator))) {
        const flag = (node.right as Node).value
        if (typeof flag === 'boolean')
          found.set(nameOf(node.left), (found.get(nameOf(node.left)) ?? new Set()).add(`${!flag}`))
      }
      // `{ port: given = 80 }` names the option by its key.
      if (node.type === 'Property' && (node.value as Node).type === 'AssignmentPattern')
        add(nameOf(node.key), (node.value as Node).right as Node)
      if (node.type === 'VariableDeclarator' && /^DEFAULT/.test(nameOf(node.id)))
        for (const [name, value] of membersOf(node.init)) add(name, value)
    })
  }
  return found
}

function visit(value: unknown, look: (node: Node) => void): void {
  if (Array.isArray(value)) for (const each of value) visit(each, look)
  else if (typeof value === 'object' && value !== null && 'type' in value) {
    look(value as Node)
    for (const member of Object.values(value)) visit(member, look)
  }
}

type Constants = ReadonlyMap<string, Node>

function importedTo(file: string, tree: Node, own: ReadonlyMap<string, Constants>): Map<string, Node> {
  const found = new Map<string, Node>()
  for (const statement of tree.body as Node[]) {
    if (statement.type !== 'ImportDeclaration') continue
    const offered = own.get(join(dirname(file), nameOf(statement.source))) ?? []
    const names = new Set((statement.specifiers as Node[]).map(({ local }) => nameOf(local)))
    for (const [name, value] of offered) if (names.has(name.split('.')[0] ?? '')) found.set(name, value)
  }
  return found
}

function constantsOf(tree: Node): Map<string, Node> {
  const found = new Map<string, Node>()
  for (const statement of tree.body as Node[]) {
    const declared = (statement.declaration ?? statement) as Node
    if (declared.type !== 'VariableDeclaration') continue
    for (const { id, init } of declared.declarations as { id: Node; init: Node | null }[]) {
      if (init === null) continue
      found.set(nameOf(id), init)
      for (const [name, value] of membersOf(init)) found.set(`${nameOf(id)}.${name}`, value)
    }
  }
  return found
}

function membersOf(node: unknown): [string, Node][] {
  const { type: outer, expression } = (node ?? {}) as Node
  if (outer === 'TSAsExpression') return membersOf(expression)
  const { type, properties } = (node ?? {}) as { type?: string; properties?: Node[] }
  if (type !== 'ObjectExpression' || properties === undefined) return []
  return properties.flatMap((each) => (each.type === 'Property' ? [[nameOf(each.key), each.value as Node]] : []))
}

/** Of `limits.bodyBytes` as of `bodyBytes`: the last name. */
function nameOf(node: unknown): string {
  const { type, name, value, property } = (node ?? {}) as Node
  if (type === 'MemberExpression') return nameOf(property)
  const text = name ?? value
  return typeof text === 'string' ? text : ''
}

/** Undefined for what is no constant. */
function constantOf(node: Node, constants: Constants): unknown {
  const inner = (each: unknown) => constantOf(each as Node, constants)
  if (node.type === 'ParenthesizedExpression' || node.type === 'TSAsExpression') return inner(node.expression)
  if (node.type === 'Literal') return node.value
  if (node.type === 'ArrayExpression') {
    const elements = (node.elements as Node[]).map(inner)
    return elements.includes(undefined) ? undefined : elements
  }
  if (node.type === 'BinaryExpression' && node.operator === '*') {
    const [left, right] = [inner(node.left), inner(node.right)]
    return typeof left === 'number' && typeof right === 'number' ? left * right : undefined
  }
  const isName = node.type === 'Identifier' || node.type === 'MemberExpression'
  const path = node.type === 'MemberExpression' ? `${nameOf(node.object)}.${nameOf(node)}` : nameOf(node)
  const known = isName ? constants.get(path) : undefined
  return known === undefined || known === node ? undefined : inner(known)
}

function asText(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value)
}
