// From script files to a Script, or to one error that lists everything wrong with them. Files a script names are read
// now and only from its own folder: the real path counts, so a link does not lead out.

import { readFileSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, relative, resolve, sep } from 'node:path'
import { defined } from '../../base/defined.ts'
import { whyUnreadable } from '../../base/why-unreadable.ts'
import { didYouMean } from '../../yaml/did-you-mean.ts'
import { textOfFile } from '../../yaml/file.ts'
import { invalidFile, type Position, type Problem, YamlSource } from '../../yaml/source.ts'
import type { Fault } from '../faults/fault-shape.ts'
import { compileRule } from './compile-rule.ts'
import { DEFAULT_AGENT, type MockAgentDescription, type RequiredCredential, type Rule, type Script } from './script.ts'
import { scriptShape, type WrittenAgent } from './script-shape.ts'

const CODE = 'script-invalid'
const MAX_INCLUDED_BYTES = 16 * 1024 * 1024

/**
 * Reads a script and what it includes. Problems name files relative to the working directory; `onFile` is told of every
 * file the script consists of, also of one that is not there.
 */
export function loadScript(path: string, onFile: (path: string) => void = () => {}): Script {
  onFile(path)
  const text = textOfFile(path, 'script', 'script-unreadable')
  return new Loader(dirname(realpathSync(path)), onFile).load(text, path, realpathSync(path))
}

/** A script from memory; it may not name files, because it has no folder. */
export function parseScript(text: string, file = 'script'): Script {
  return new Loader(undefined).load(text, file, undefined)
}

class Loader {
  readonly #folder: string | undefined
  readonly #problems: Problem[] = []
  readonly #rules: Rule[] = []
  readonly #ids = new Map<string, Position | undefined>()
  readonly #faults: { value: Fault; position: Position }[] = []
  readonly #open: string[] = []
  readonly #onFile: (path: string) => void
  #agent: MockAgentDescription = DEFAULT_AGENT

  constructor(folder: string | undefined, onFile: (path: string) => void = () => {}) {
    this.#folder = folder
    this.#onFile = onFile
  }

  load(text: string, shownAs: string, realPath: string | undefined): Script {
    this.#read(text, shownAs, realPath)
    for (const { value, position } of this.#faults) this.#checkPlace(value, position)
    if (this.#problems.length > 0) throw invalidFile(CODE, this.#problems)
    return { agent: this.#agent, rules: this.#rules, faults: this.#faults.map(({ value }) => value) }
  }

  #report(position: Position, message: string): void {
    this.#problems.push({ ...position, message })
  }

  #read(text: string, shownAs: string, realPath: string | undefined): void {
    const source = new YamlSource(shownAs, text)
    const isEmpty = source.kindOf(source.root) === 'null'
    const written = source.problems.length > 0 ? undefined : isEmpty ? {} : scriptShape.read(source.root, source, '')
    this.#problems.push(...source.problems)
    if (written === undefined) return
    if (realPath !== undefined) this.#open.push(realPath)
    if (written.agent !== undefined) {
      if (this.#open.length > 1)
        this.#report(source.positionOf(source.root), "only the main file may have the key 'agent'")
      else this.#agent = describeAgent(written.agent)
    }
    const context = {
      report: (position: Position, message: string) => this.#report(position, message),
      readFile: (path: string, position: Position) =>
        this.#readInside(path, position, realPath)?.bytes.toString('base64'),
    }
    for (const rule of written.rules ?? []) {
      const compiled = compileRule(rule, `rule-${this.#rules.length + 1}`, context)
      this.#claimId(compiled.id, rule.id?.position ?? source.positionOf(source.root))
      this.#rules.push(compiled)
    }
    this.#faults.push(...(written.faults ?? []))
    for (const include of written.include ?? []) this.#include(include.value, include.position, realPath)
    if (realPath !== undefined) this.#open.pop()
  }

  #include(path: string, position: Position, from: string | undefined): void {
    const found = this.#readInside(path, position, from)
    if (found === undefined) return
    if (this.#open.includes(found.realPath)) {
      this.#report(position, `'${path}' includes itself, directly or through another file`)
      return
    }
    const shownAs = relative(process.cwd(), found.realPath)
    this.#read(found.bytes.toString('utf8'), shownAs, found.realPath)
  }

  #readInside(
    path: string,
    position: Position,
    from: string | undefined,
  ): { realPath: string; bytes: Buffer } | undefined {
    const refuse = (why: string): undefined => {
      this.#report(position, `'${path}' ${why}`)
      return undefined
    }
    if (this.#folder === undefined || from === undefined)
      return refuse('cannot be read: a script given as text has no folder to read from')
    if (isAbsolute(path)) return refuse('must be a path relative to the script')
    let realPath: string
    try {
      const named = resolve(dirname(from), path)
      this.#onFile(named)
      realPath = realpathSync(named)
    } catch (error) {
      return refuse(`cannot be read: ${whyUnreadable(error)}`)
    }
    if (!realPath.startsWith(this.#folder + sep)) return refuse("lies outside the script's folder")
    try {
      const bytes = readFileSync(realPath)
      return bytes.byteLength > MAX_INCLUDED_BYTES
        ? refuse(`is larger than ${MAX_INCLUDED_BYTES} bytes`)
        : { realPath, bytes }
    } catch (error) {
      return refuse(`cannot be read: ${whyUnreadable(error)}`)
    }
  }

  #claimId(id: string, position: Position): void {
    const first = this.#ids.get(id)
    if (first !== undefined)
      this.#report(position, `the id '${id}' is already used at ${first.file}:${first.line}; ids must differ`)
    else this.#ids.set(id, position)
  }

  #checkPlace(fault: Fault, position: Position): void {
    const { rule: id, turn } = fault.at
    if (id === undefined) {
      if (turn !== undefined) this.#report(position, "'at.turn' needs 'at.rule'")
      return
    }
    const rule = this.#rules.find((candidate) => candidate.id === id)
    if (rule === undefined) {
      const known = [...this.#ids.keys()]
      this.#report(position, `'at.rule': there is no rule '${id}'${didYouMean(id, known)}`)
    } else if (turn !== undefined && turn >= rule.turns.length) {
      this.#report(position, `'at.turn' is ${turn}, but the turns of '${id}' go from 0 to ${rule.turns.length - 1}`)
    }
  }
}

function describeAgent(written: WrittenAgent): MockAgentDescription {
  const { security, skills, ...rest } = written
  return {
    ...DEFAULT_AGENT,
    ...rest,
    ...(security === undefined ? {} : { security: security.flatMap(credentialsOf) }),
    ...(skills === undefined
      ? {}
      : {
          skills: skills.map(({ id, name = id, description = name, tags = ['mock'] }) => ({
            id,
            name,
            description,
            tags,
          })),
        }),
  }
}

const DEFAULT_KEY_HEADER = 'X-API-Key'

function credentialsOf(written: NonNullable<WrittenAgent['security']>[number]): RequiredCredential[] {
  if (written === 'bearer') return [{ is: 'bearer' }]
  if (written === 'api-key') return [{ is: 'api-key', header: DEFAULT_KEY_HEADER }]
  const credentials: RequiredCredential[] = []
  if (written.bearer !== undefined) credentials.push({ is: 'bearer', token: written.bearer })
  if (written.apiKey !== undefined) {
    const { header = DEFAULT_KEY_HEADER, value } = written.apiKey
    credentials.push({ is: 'api-key', header, ...defined({ value }) })
  }
  return credentials
}
