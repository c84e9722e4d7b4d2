// What the aliases of a YAML document stand for, found in one walk in the order of the text, and a bound on what they add
// up to: ten lines of aliases to aliases are a billion values, and one that contains itself is endless.

import { type Alias, isAlias, isCollection, isPair, isScalar, type Node } from 'yaml'

/** So many values may come from aliases, besides what is written out. */
const MAX_VALUES = 100_000
/** The parser's own limit is the stack; no file of a person comes near this. */
const MAX_DEPTH = 1_000

export interface Aliases {
  readonly targets: ReadonlyMap<Alias, Node>
  /** Where it goes wrong, and how. */
  readonly problem: { node: Node; message: string } | undefined
}

export function readAliases(root: Node | null): Aliases {
  const walk = new Walk()
  if (root !== null) walk.count(root, 0)
  return walk
}

class Walk implements Aliases {
  readonly targets = new Map<Alias, Node>()
  problem: { node: Node; message: string } | undefined
  readonly #anchors = new Map<string, Node>()
  readonly #sizes = new Map<Node, number>()
  readonly #open = new Set<Node>()
  #fromAliases = 0

  /** How many values the node stands for. */
  count(node: unknown, depth: number): number {
    if (this.problem !== undefined) return 0
    if (isPair(node)) return this.count(node.key, depth) + this.count(node.value, depth)
    if (isAlias(node)) return this.#follow(node)
    if (!isScalar(node) && !isCollection(node)) return 0
    if (depth > MAX_DEPTH) return this.#fail(node, `nested deeper than ${MAX_DEPTH} levels`)
    if (node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    this.#open.add(node)
    let size = 1
    if (isCollection(node)) for (const item of node.items) size += this.count(item, depth + 1)
    this.#open.delete(node)
    if (node.anchor !== undefined) this.#sizes.set(node, size)
    return size
  }

  #follow(alias: Alias): number {
    const target = this.#anchors.get(alias.source)
    if (target === undefined) return this.#fail(alias, `there is no anchor &${alias.source} before its alias`)
    if (this.#open.has(target)) return this.#fail(alias, `the alias *${alias.source} contains itself`)
    this.targets.set(alias, target)
    const size = this.#sizes.get(target) ?? 1
    this.#fromAliases += size
    if (this.#fromAliases > MAX_VALUES)
      return this.#fail(alias, `aliases expand to more than ${MAX_VALUES} values; use fewer, or write them out`)
    return size
  }

  #fail(node: Node, message: string): number {
    this.problem = { node, message }
    return 0
  }
}
