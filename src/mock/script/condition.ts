// What a rule asks of a request: one condition per line of `match`, each of which can say why it did not hold.

import { type JsonObject, type JsonValue, sameJson } from '../../model/json.ts'
import { type Message, textOf } from '../../model/task.ts'
import { compilePattern } from '../../yaml/pattern.ts'
import { parseJsonPath, select } from '../../yaml/value-path.ts'

/** What rules can see of a request. */
export interface RequestFacts {
  readonly message: Message
  /** Names in lower case. */
  readonly headers: { readonly [name: string]: string }
  readonly requestMetadata: JsonObject | undefined
  readonly contextId: string
}

export type Verdict =
  | { ok: true; captures?: { readonly [name: string]: string } }
  | { ok: false /** Put into words only on request. */; why(): string }

export interface Condition {
  readonly captures: readonly string[]
  /** What its author should know although it is no mistake. */
  readonly note?: string
  check(facts: RequestFacts): Verdict
}

export interface TextMatch {
  readonly regex?: string
  readonly contains?: string
  readonly equals?: string
}

function failed(why: () => string): Verdict {
  return { ok: false, why }
}

const HELD: Verdict = { ok: true }

type Build = Condition | { problem: string }

export function textCondition(match: TextMatch): Build {
  return onText('the text', match, (facts) => textOf(facts.message))
}

export function headerCondition(name: string, match: TextMatch): Build {
  const lower = name.toLowerCase()
  return onText(`the header ${name}`, match, (facts) => facts.headers[lower])
}

export function contextCondition(match: TextMatch): Build {
  return onText('the context id', match, (facts) => facts.contextId)
}

/** A2A has no member for the skill asked for; clients put `skillId` or `skill` into the metadata. */
export function skillCondition(skill: string): Condition {
  return {
    captures: [],
    check({ message, requestMetadata }) {
      const asked = [message.metadata, requestMetadata].flatMap((bag) => [bag?.skillId, bag?.skill])
      if (asked.includes(skill)) return { ok: true }
      const found = asked.find((value) => value !== undefined)
      return failed(() =>
        found === undefined
          ? `the metadata names no skill, wanted '${skill}'`
          : `the skill is ${show(found)}, not '${skill}'`,
      )
    },
  }
}

export interface DataMatch extends TextMatch {
  readonly exists?: boolean
}

export function dataCondition(path: string, expected: { value: JsonValue } | DataMatch): Build {
  const compiled = parseJsonPath(path)
  if ('problem' in compiled) return compiled
  const find = (facts: RequestFacts): JsonValue[] =>
    facts.message.parts.flatMap((part) =>
      'data' in part ? select(part.data, compiled).found.map(({ value }) => value) : [],
    )
  if ('value' in expected) {
    return {
      captures: [],
      check(facts) {
        const found = find(facts)
        if (found.some((value) => sameJson(value, expected.value))) return { ok: true }
        return failed(() =>
          found.length === 0 ? `no data part has ${path}` : `${path} is ${show(found[0])}, not ${show(expected.value)}`,
        )
      },
    }
  }
  const { exists, ...match } = expected
  if (exists !== undefined && Object.keys(match).length === 0) {
    return {
      captures: [],
      check: (facts) =>
        find(facts).length > 0 === exists
          ? { ok: true }
          : failed(() => (exists ? `no data part has ${path}` : `a data part has ${path}`)),
    }
  }
  return onText(path, match, (facts) => {
    const [first] = find(facts)
    return first === undefined || typeof first === 'string' ? first : JSON.stringify(first)
  })
}

function onText(noun: string, match: TextMatch, read: (facts: RequestFacts) => string | undefined): Build {
  const regex = match.regex === undefined ? undefined : compilePattern(match.regex)
  if (regex !== undefined && 'problem' in regex) return regex
  return {
    captures: regex?.groups ?? [],
    ...(regex?.note === undefined ? {} : { note: `/${regex.source}/ ${regex.note}` }),
    check(facts) {
      const text = read(facts)
      if (text === undefined) return failed(() => `${noun} is absent`)
      if (match.equals !== undefined && text !== match.equals)
        return failed(() => `${noun} is ${show(text)}, not ${show(match.equals)}`)
      if (match.contains !== undefined && !text.includes(match.contains))
        return failed(() => `${noun} ${show(text)} does not contain ${show(match.contains)}`)
      if (regex === undefined) return HELD
      const found = regex.exec(text)
      if (found === 'too-slow') return failed(() => `/${regex.source}/ took too long on ${noun}`)
      if (found === null) return failed(() => `${noun} ${show(text)} does not match /${regex.source}/`)
      return regex.groups.length === 0 ? HELD : { ok: true, captures: found.groups }
    },
  }
}

function show(value: JsonValue | undefined): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
