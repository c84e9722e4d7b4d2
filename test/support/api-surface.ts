// What the published declarations say: which names an entry exports, where they are declared, what their signatures name,
// and which comment stands above them. Read from the files of dist/, as a user's compiler reads them.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { parseAst } from 'rolldown/parseAst'

export interface Declaration {
  readonly name: string
  /** Below dist/. */
  readonly file: string
  /** As published, without comments. */
  readonly text: string
  readonly doc: string | undefined
  /** Members of it, with the comment above each. */
  readonly members: readonly { name: string; doc: string | undefined }[]
  /** Names in its signatures that are no type parameters of it; `./file.js#Name` for what is imported in place. */
  readonly names: ReadonlySet<string>
}

interface Node {
  type: string
  start: number
  end: number
  [member: string]: unknown
}

interface DeclarationFile {
  readonly declared: ReadonlyMap<string, Declaration[]>
  /** Local name to where it comes from; `file` is undefined for other packages. */
  readonly imported: ReadonlyMap<string, { file: string | undefined; name: string }>
  readonly exported: ReadonlyMap<string, { file: string | undefined; name: string }>
}

const METHODS = new Set(['TSMethodSignature', 'MethodDefinition', 'TSAbstractMethodDefinition'])
const MEMBERS = new Set(['TSPropertySignature', 'PropertyDefinition', ...METHODS])

export class ApiSurface {
  readonly #dist: string
  readonly #files = new Map<string, DeclarationFile>()

  constructor(dist: string) {
    this.#dist = dist
  }

  /** The exports of an entry (`server/index.d.ts`): public name to its declarations. */
  exportsOf(entry: string): Map<string, Declaration[]> {
    const found = new Map<string, Declaration[]>()
    for (const [name, at] of this.#file(entry).exported) found.set(name, this.#resolve(at.file ?? entry, at.name))
    return found
  }

  /** Declarations of this package that a signature names, wherever they are. */
  namedBy(declaration: Declaration): Declaration[] {
    return [...declaration.names].flatMap((name) => this.#resolve(declaration.file, name))
  }

  /** None for globals and for what another package declares. */
  #resolve(file: string, name: string): Declaration[] {
    const [specifier = '', inner] = name.split('#')
    if (inner !== undefined) {
      const target = targetOf(this.#dist, file, specifier)
      return target === undefined ? [] : this.#resolve(target, inner)
    }
    const { declared, imported, exported } = this.#file(file)
    const own = declared.get(name)
    if (own !== undefined) return own
    const from = imported.get(name) ?? exported.get(name)
    return from?.file === undefined || from.file === file ? [] : this.#resolve(from.file, from.name)
  }

  #file(file: string): DeclarationFile {
    const known = this.#files.get(file)
    if (known !== undefined) return known
    const read = readDeclarations(this.#dist, file)
    this.#files.set(file, read)
    return read
  }
}

function readDeclarations(dist: string, file: string): DeclarationFile {
  const source = readFileSync(join(dist, file), 'utf8')
  const { body } = parseAst(source, { lang: 'dts' }, file) as unknown as { body: Node[] }
  const declared = new Map<string, Declaration[]>()
  const imported = new Map<string, { file: string | undefined; name: string }>()
  const exported = new Map<string, { file: string | undefined; name: string }>()
  const target = (node: Node) => targetOf(dist, file, (node.source as { value: string }).value)
  for (const node of body) {
    if (node.type === 'ImportDeclaration') {
      for (const each of node.specifiers as Node[])
        imported.set(nameOf(each.local), { file: target(node), name: nameOf(each.imported) })
    } else if (node.type === 'ExportNamedDeclaration' && node.declaration === null) {
      for (const each of node.specifiers as Node[])
        exported.set(nameOf(each.exported), {
          file: node.source === null ? file : target(node),
          name: nameOf(each.local),
        })
    } else {
      const inner = (node.type === 'ExportNamedDeclaration' ? node.declaration : node) as Node
      for (const one of declarationsIn(inner, source, file, node.start)) {
        declared.set(one.name, [...(declared.get(one.name) ?? []), one])
        if (node.type === 'ExportNamedDeclaration') exported.set(one.name, { file, name: one.name })
      }
    }
  }
  return { declared, imported, exported }
}

function declarationsIn(node: Node, source: string, file: string, start: number): Declaration[] {
  const nodes = node.type === 'VariableDeclaration' ? (node.declarations as Node[]) : [node]
  return nodes.flatMap((each) => {
    if (each.id === undefined || each.id === null) return []
    return {
      name: nameOf(each.id),
      file,
      text: withoutComments(source.slice(start, node.end)),
      doc: commentBefore(source, start),
      members: membersOf(node, source),
      names: namesIn(each),
    }
  })
}

/** Members of interfaces and classes, and those of object types written in place, whose names are paths: `resume.attempts`. */
function membersOf(node: Node, source: string): Declaration['members'] {
  const found: { name: string; doc: string | undefined }[] = []
  const visit = (value: unknown, path: string): void => {
    if (Array.isArray(value)) for (const each of value) visit(each, path)
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const each = value as Node
    const key = MEMBERS.has(each.type) ? (each.key as Node) : undefined
    if (key?.type === 'PrivateIdentifier' || each.accessibility === 'private') return
    if (each.computed === true || each.kind === 'constructor') return
    const name = key === undefined ? path : `${path}${source.slice(key.start, key.end)}`
    if (key !== undefined) found.push({ name, doc: commentBefore(source, each.start) })
    if (METHODS.has(each.type)) return
    // What a function takes is told in its own comment.
    for (const member in each)
      if (member !== 'key' && member !== 'params') visit(each[member], key === undefined ? path : `${name}.`)
  }
  visit(node, '')
  return found
}

/** Every type a signature names. What `typeof` and `keyof` name is shown by the compiler as what it is. */
function namesIn(node: Node): Set<string> {
  const names = new Set<string>()
  const hidden = new Set<string>()
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      for (const each of value) visit(each)
      return
    }
    if (typeof value !== 'object' || value === null || !('type' in value)) return
    const each = value as Node
    if (each.accessibility === 'private' || (each.type === 'TSTypeOperator' && each.operator === 'keyof')) return
    if (each.type === 'TSTypeParameter') hidden.add(nameOf(each.name))
    if (each.type === 'TSTypeReference') names.add(firstName(each.typeName as Node))
    if (each.type === 'TSInterfaceHeritage' || each.type === 'TSClassImplements')
      names.add(firstName(each.expression as Node))
    if (each.type === 'TSImportType') names.add(`${nameOf(each.source ?? each.argument)}#${nameOf(each.qualifier)}`)
    if (each.type === 'ClassDeclaration' && each.superClass !== null) names.add(firstName(each.superClass as Node))
    for (const member of Object.values(each)) visit(member)
  }
  visit(node)
  return new Set([...names].filter((name) => !hidden.has(name)))
}

function firstName(node: Node): string {
  return node.type === 'TSQualifiedName' ? firstName(node.left as Node) : nameOf(node)
}

function nameOf(node: unknown): string {
  if (typeof node === 'string') return node
  const { name, value } = (node ?? {}) as { name?: string; value?: string }
  return name ?? value ?? 'default'
}

function targetOf(dist: string, from: string, specifier: string): string | undefined {
  if (!specifier.startsWith('.')) return undefined
  const path = join(dist, dirname(from), specifier.replace(/\.[jt]s$/, '.d.ts'))
  if (!existsSync(path)) throw new Error(`${from} refers to ${specifier}, which is not there`)
  return relative(dist, path)
}

function commentBefore(source: string, at: number): string | undefined {
  return /\/\*\*((?:[^*]|\*(?!\/))*)\*\/\s*$/.exec(source.slice(0, at))?.[1]
}

function withoutComments(text: string): string {
  return text
    .replaceAll(/\/\*\*(?:[^*]|\*(?!\/))*\*\//g, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .join('\n')
}
