// The list of a fleet, from a file, a URL or standard input, entry by entry: a list of a million lines is never in memory
// as a whole. YAML and JSON documents are, so they have a limit.

import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import { isJsonObject, type JsonValue } from '../model/json.ts'
import { HttpClient } from '../net/http-client.ts'
import { record } from '../yaml/shape.ts'
import { YamlSource } from '../yaml/source.ts'
import { type AgentEntry, entryOf, everyOf, type ListTrust, type Profile } from './agent-entry.ts'
import { listHeadFields } from './list-shape.ts'
import { type Line, linesOf, MOST_DOCUMENT_BYTES } from './text-lines.ts'

const MOST_YAML_AGENTS = 10_000
const MOST_LINE_LENGTH = 64 * 1024

/** What a list says before its agents. */
export interface ListHead {
  readonly name?: string
  readonly profile?: Profile
  readonly everyMs?: number
  readonly optOut?: readonly string[]
  readonly contact?: string
}

export type Listed = { readonly line: number } & ({ readonly entry: AgentEntry } | { readonly problem: string })

export interface AgentList {
  /** Where it came from, as it is told from another list of the same name. */
  readonly source: string
  /** Another party may have written it, so what it names is not called unless it is public. */
  readonly isForeign: boolean
  readonly head: ListHead
  readonly name: string
  readonly entries: AsyncIterable<Listed>
}

export async function openList(given: string, stdin: () => AsyncIterable<Uint8Array>): Promise<AgentList> {
  const isUrl = /^https?:\/\//i.test(given)
  const isForeign = isUrl || given === '-'
  const source = given === '-' ? 'standard input' : isUrl ? given : resolve(given)
  const bytes = given === '-' ? stdin() : isUrl ? download(given) : file(given)
  const trust = { mayNameCredentials: !isUrl }
  const [first, lines] = await peeked(linesOf(bytes))
  const read = await parserOf(given, first, lines, trust)
  const own = basename(isUrl ? new URL(given).hostname : given).replace(/\.(ya?ml|jsonl|ndjson|json|txt)$/i, '')
  const name = read.head.name ?? (given === '-' ? 'stdin' : own)
  return { source, isForeign, name, ...read }
}

type Parsed = Pick<AgentList, 'head' | 'entries'>

/** Told by its name, else by how it begins. */
async function parserOf(given: string, first: string, lines: AsyncIterable<Line>, trust: ListTrust): Promise<Parsed> {
  if (/\.(jsonl|ndjson)$/i.test(given)) return { head: {}, entries: jsonLines(lines, trust) }
  if (/\.ya?ml$/i.test(given)) return yaml(given, await wholeText(lines, given), trust)
  if (/^["{]/.test(first) && isEntryLine(first)) return { head: {}, entries: jsonLines(lines, trust) }
  if (/^[[{"]/.test(first)) return jsonDocument(given, await wholeText(lines, given), trust)
  if (/^[^\s:]+(:\/\/|:\d|$)\S*$/.test(first) && !first.startsWith('-'))
    return { head: {}, entries: plainLines(lines, trust) }
  return yaml(given, await wholeText(lines, given), trust)
}

/** One address to a line. */
async function* plainLines(lines: AsyncIterable<Line>, trust: ListTrust): AsyncGenerator<Listed> {
  for await (const { line, text } of lines) {
    if (text.trim() !== '' && !text.startsWith('#')) yield listed(line, text.trim(), trust)
  }
}

async function* jsonLines(lines: AsyncIterable<Line>, trust: ListTrust): AsyncGenerator<Listed> {
  for await (const { line, text } of lines) {
    if (text.length > MOST_LINE_LENGTH) yield { line, problem: 'the line is longer than 64 KiB' }
    else if (text.trim() !== '') {
      const value = parsed(text)
      yield value === undefined ? { line, problem: 'it is not JSON' } : listed(line, value, trust)
    }
  }
}

function jsonDocument(given: string, text: string, trust: ListTrust): Parsed {
  const value = parsed(text)
  if (value === undefined) throw unreadable(given, 'it is not JSON')
  const found = arrayIn(value)
  if (found === undefined) throw unreadable(given, 'it is neither an array nor an object with an array "agents"')
  const entries = async function* () {
    // A document has no lines worth naming, so entries are counted.
    for (const [at, item] of found.entries()) yield listed(at + 1, item, trust)
  }
  return { head: {}, entries: entries() }
}

function yaml(given: string, text: string, trust: ListTrust): Parsed {
  const source = new YamlSource(given === '-' ? 'standard input' : given, text)
  const broken = source.problems[0]
  if (broken !== undefined) throw unreadable(given, `line ${broken.line}: ${broken.message}`)
  const isList = source.kindOf(source.root) === 'list'
  const members = isList ? [] : source.members(source.root)
  const agents = isList ? source.root : members.find(({ key }) => key === 'agents')?.value
  if (source.kindOf(agents) !== 'list') throw unreadable(given, "it needs the key 'agents' with a list of addresses")
  const items = source.items(agents)
  if (items.length > MOST_YAML_AGENTS)
    throw unreadable(given, `it lists ${items.length} agents, and YAML may list ${MOST_YAML_AGENTS}`, LINES_HINT)
  const head = isList ? {} : headOf(source, members, given)
  const entries = async function* () {
    for (const item of items) {
      const { line } = source.positionOf(item)
      yield listed(line, source.toJson(item), trust)
    }
  }
  return { head, entries: entries() }
}

const LINES_HINT = 'Write one JSON object to a line, {"agent": "https://…"}, in a file that ends in .jsonl.'

function headOf(source: YamlSource, members: ReturnType<YamlSource['members']>, given: string): ListHead {
  const known = record({ ...listHeadFields })
  const before = source.problems.length
  const fields: Record<string, unknown> = {}
  for (const { key, keyNode, value } of members) {
    if (key === 'agents') continue
    const field = listHeadFields[key as keyof typeof listHeadFields]
    if (field === undefined)
      source.report(
        keyNode,
        `unknown key '${key}'; known are ${Object.keys(known.schema.properties ?? {}).join(', ')}, agents`,
      )
    else fields[key] = field.read(value, source, key)
  }
  const problem = source.problems[before]
  if (problem !== undefined) throw unreadable(given, `line ${problem.line}: ${problem.message}`)
  const { every, ...head } = fields as ListHead & { every?: string }
  if (every === undefined) return head
  const everyMs = everyOf(every)
  if (typeof everyMs === 'string') throw unreadable(given, everyMs)
  return { ...head, everyMs }
}

function listed(line: number, value: JsonValue, trust: ListTrust): Listed {
  const entry = entryOf(value, trust)
  return typeof entry === 'string' ? { line, problem: entry } : { line, entry }
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}

/** A line that is whole by itself is one of many, unless it is a document with an array of agents. */
function isEntryLine(text: string): boolean {
  const value = parsed(text)
  return value !== undefined && arrayIn(value) === undefined
}

function arrayIn(value: JsonValue): JsonValue[] | undefined {
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? [value.agents, value.items, value.data].find(Array.isArray) : undefined
}

async function wholeText(lines: AsyncIterable<Line>, given: string): Promise<string> {
  const texts: string[] = []
  let size = 0
  for await (const { text } of lines) {
    size += text.length + 1
    if (size > MOST_DOCUMENT_BYTES) throw unreadable(given, 'it is larger than 64 MiB', LINES_HINT)
    texts.push(text)
  }
  return texts.join('\n')
}

/** The first line that says something, and all lines again. */
async function peeked(lines: AsyncGenerator<Line>): Promise<[string, AsyncIterable<Line>]> {
  const seen: Line[] = []
  for (;;) {
    const { done, value } = await lines.next()
    if (done === true) return ['', fromArray(seen)]
    seen.push(value)
    const text = value.text.trim()
    if (text !== '' && !text.startsWith('#')) return [text, chained(seen, lines)]
  }
}

async function* fromArray<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items
}

async function* chained<T>(first: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* first
  yield* rest
}

async function* file(path: string): AsyncGenerator<Uint8Array> {
  if (!existsSync(path)) throw unreadable(path, 'there is no such file')
  if (statSync(path).isDirectory()) throw unreadable(path, 'it is a directory')
  try {
    for await (const chunk of createReadStream(path)) yield chunk as Uint8Array
  } catch (cause) {
    throw unreadable(path, whyUnreadable(cause))
  }
}

const DOWNLOAD_MS = 60_000

async function* download(url: string): AsyncGenerator<Uint8Array> {
  const http = new HttpClient({ timeoutMs: DOWNLOAD_MS, maxBodyBytes: MOST_DOCUMENT_BYTES })
  try {
    const response = await http.request({
      url,
      headers: { Accept: 'application/json, application/x-ndjson, application/yaml' },
    })
    const bytes = await response.bytes()
    if (response.status !== 200) throw unreadable(url, `it answers HTTP ${response.status}`)
    yield bytes
  } catch (cause) {
    if (cause instanceof ParleyError) throw cause
    throw unreadable(url, cause instanceof Error ? cause.message.replace(/\.$/, '') : String(cause))
  } finally {
    http.close()
  }
}

function unreadable(given: string, why: string, hint?: string): ParleyError {
  const what = given === '-' ? 'standard input' : given
  return new ParleyError('list-unreadable', `The list of agents ${what} cannot be read: ${why}.`, {
    exitCode: EXIT.usage,
    ...(hint === undefined ? {} : { hint }),
  })
}
