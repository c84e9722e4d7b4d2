// A YAML file being read: its nodes, and the list of everything wrong with it, each with line and column.
// Reading never stops at the first problem, so that a person fixes a file once and not ten times.

import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  YAMLParseError,
} from 'yaml'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { JsonObject, JsonValue } from '../model/json.ts'
import { readAliases } from './aliases.ts'

export interface Position {
  readonly file: string
  readonly line: number
  readonly column: number
}

export interface Problem extends Position {
  readonly message: string
}

export type NodeKind = 'text' | 'number' | 'boolean' | 'null' | 'map' | 'list'
/** What the `yaml` package calls a node, or nothing where a value was left out. */
export type YamlNode = Node | null | undefined

const MAX_DEPTH = 100

export class YamlSource {
  readonly file: string
  readonly root: YamlNode
  readonly problems: Problem[] = []
  readonly #targets: ReadonlyMap<Alias, Node>
  readonly #lines = new LineCounter()

  constructor(file: string, text: string) {
    this.file = file
    // Merge keys and custom tags stay off: what is written is what is meant, and nothing is constructed.
    const document = parsed(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      customTags: [],
      schema: 'core',
    })
    for (const error of [...document.errors, ...document.warnings])
      this.problems.push({ ...this.#locate(error.pos[0]), message: lowerFirst(error.message) })
    this.root = document.contents as YamlNode
    const { targets, problem } = readAliases(document.contents as Node | null)
    this.#targets = targets
    if (problem !== undefined) this.report(problem.node as YamlNode, problem.message)
  }

  positionOf(node: YamlNode): Position {
    return this.#locate(node?.range?.[0] ?? 0)
  }

  report(node: YamlNode | Position, message: string): undefined {
    const position = node != null && 'line' in node ? node : this.positionOf(node)
    this.problems.push({ ...position, message })
    return undefined
  }

  /** The node an alias stands for; other nodes are themselves. */
  resolve(node: YamlNode): YamlNode {
    return isAlias(node) ? this.#targets.get(node) : node
  }

  kindOf(node: YamlNode): NodeKind {
    const target = this.resolve(node)
    if (isMap(target)) return 'map'
    if (isSeq(target)) return 'list'
    const value = isScalar(target) ? target.value : null
    if (value === null || value === undefined) return 'null'
    if (typeof value === 'string') return 'text'
    return typeof value === 'boolean' ? 'boolean' : 'number'
  }

  /** The members of a map in order; keys that are not plain text or numbers are reported. */
  members(node: YamlNode): { key: string; keyNode: YamlNode; value: YamlNode }[] {
    const target = this.resolve(node)
    const members: { key: string; keyNode: YamlNode; value: YamlNode }[] = []
    if (!isMap(target)) return members
    for (const pair of target.items) {
      const keyNode = pair.key as YamlNode
      const key = isScalar(keyNode) ? keyNode.value : undefined
      if (typeof key !== 'string' && typeof key !== 'number') this.report(keyNode, 'a key must be plain text')
      // A prototype set by a script would reach every object made from it.
      else if (key === '__proto__') this.report(keyNode, "the key '__proto__' is not allowed")
      else members.push({ key: String(key), keyNode, value: pair.value as YamlNode })
    }
    return members
  }

  items(node: YamlNode): YamlNode[] {
    const target = this.resolve(node)
    return isSeq(target) ? target.items.map((item) => item as YamlNode) : []
  }

  scalar(node: YamlNode): string | number | boolean | null {
    const target = this.resolve(node)
    const value = isScalar(target) ? target.value : null
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null
  }

  toJson(node: YamlNode, depth = 0): JsonValue {
    if (depth > MAX_DEPTH) {
      this.report(node, `nested deeper than ${MAX_DEPTH} levels`)
      return null
    }
    const kind = this.kindOf(node)
    if (kind === 'list') return this.items(node).map((item) => this.toJson(item, depth + 1))
    if (kind !== 'map') return this.scalar(node)
    const object: JsonObject = {}
    for (const { key, value } of this.members(node)) object[key] = this.toJson(value, depth + 1)
    return object
  }

  #locate(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset)
    return { file: this.file, line, column: col }
  }
}

export function describeProblem(problem: Problem): string {
  return `${problem.file}:${problem.line}:${problem.column}: ${problem.message}`
}

/** More than anybody repairs before trying again. */
const MOST_SHOWN = 20

/** The error a command shows for a file it cannot use: every problem on its own line, up to a number. */
export function invalidFile(code: string, problems: readonly Problem[]): ParleyError {
  const lines = problems.slice(0, MOST_SHOWN).map(describeProblem)
  if (problems.length > MOST_SHOWN) lines.push(`… and ${problems.length - MOST_SHOWN} more problems`)
  return new ParleyError(code, lines.join('\n'), { exitCode: EXIT.usage })
}

/** Text nested so deeply that the parser gives up is told as any other mistake. */
function parsed(text: string, options: NonNullable<Parameters<typeof parseDocument>[1]>): Document {
  try {
    return parseDocument(text, options)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const empty = parseDocument('', options)
    empty.errors.push(new YAMLParseError([0, 0], 'IMPOSSIBLE', 'This is nested too deeply.'))
    return empty
  }
}

function lowerFirst(sentence: string): string {
  return sentence.charAt(0).toLowerCase() + sentence.slice(1)
}
