// Why a module could not be imported, in one sentence with the place: Node tells it in a stack, in several forms.

import { spawnSync } from 'node:child_process'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { EXIT, ParleyError } from '../model/errors.ts'

/** `files` are those that were loaded for it, in that order. */
export function importFailure(error: unknown, path: string, files: readonly string[]): ParleyError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const said = firstLine(error instanceof Error ? error.message : String(error))
  const wrong = (message: string) => new ParleyError('agent-module', message, { exitCode: EXIT.usage, cause: error })
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') return wrong(notFound(said, path))
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
    return wrong(`${placeIn(error) ?? path}: ${said}; Node removes types and translates nothing.`)
  if (error instanceof SyntaxError) return wrong(`${placeIn(error) ?? syntaxPlace(files) ?? path}: ${said}.`)
  // It is valid and failed by itself.
  return thrown(`${path} failed while it was loaded`, error)
}

/** What the code of a module threw: the first line of it, and where. */
export function thrown(what: string, error: unknown): ParleyError {
  const said = firstLine(error instanceof Error ? error.message : String(error))
  const at = placeOfThrow(error)
  const message = `${what}: ${said}${at === undefined ? '' : ` (${at})`}.`
  return new ParleyError('agent-module-failed', message, { cause: error })
}

function notFound(said: string, path: string): string {
  const [, wanted = said, importer] =
    /^Cannot find (?:module|package) '([^']+)'(?: imported from (.+))?/.exec(said) ?? []
  const where = importer === undefined ? path : shown(importer)
  const isFile = wanted.startsWith('/') || wanted.startsWith('.') || wanted.startsWith('file:')
  return isFile
    ? `${where} imports ${shown(wanted)}, and there is no such file.`
    : `${where} imports '${wanted}', which is not installed; run: npm install ${wanted}`
}

/** Node writes `file:line` above the message, where it knows it. */
function placeIn(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [, file, line] = /^((?:file:\/\/)?\/.+|(?:file:\/\/\/)?[A-Z]:.+):(\d+)$/m.exec(stack) ?? []
  return file === undefined ? undefined : `${shown(file)}:${line}`
}

/** Of JavaScript, V8 tells the place only to whoever checks the file by itself. */
function syntaxPlace(files: readonly string[]): string | undefined {
  for (const file of files.toReversed()) {
    if (!/\.[cm]?js$/.test(file)) continue
    const { stderr } = spawnSync(process.execPath, ['--check', file], { encoding: 'utf8' })
    const [, line] = /:(\d+)$/m.exec(stripVTControlCharacters(stderr)) ?? []
    if (line !== undefined) return `${shown(file)}:${line}`
  }
  return undefined
}

function placeOfThrow(error: unknown): string | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  const [, file, line] = /^ +at .*?\(?(file:\/\/[^\n]+?):(\d+):\d+\)?$/m.exec(stack) ?? []
  return file === undefined ? undefined : `${shown(file)}:${line}`
}

function shown(file: string): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file
  const near = relative(process.cwd(), path)
  return near.startsWith('..') ? path : near
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').replace(/\.$/, '')
}
