// The parts of a message from the words and flags of a command line.

import { basename, extname } from 'node:path'
import type { JsonObject, JsonValue } from '../model/json.ts'
import { isJsonObject } from '../model/json.ts'
import type { Part } from '../model/task.ts'
import { weightOf } from '../model/weight.ts'
import { usage } from './flag-values.ts'
import { readInput, textOrFile } from './target-options.ts'

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.gif': 'image/gif',
  '.htm': 'text/html',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.mp3': 'audio/mpeg',
  '.mp4': 'video/mp4',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.wav': 'audio/wav',
  '.webp': 'image/webp',
  '.xml': 'application/xml',
  '.yaml': 'application/yaml',
  '.yml': 'application/yaml',
  '.zip': 'application/zip',
}

export function filePart(path: string): Part {
  const mediaType = MEDIA_TYPES[extname(path).toLowerCase()] ?? 'application/octet-stream'
  return { raw: readInput('--file', path).toString('base64'), filename: basename(path), mediaType }
}

export function dataPart(value: string): Part {
  return { data: parseJsonFlag('--data', value), mediaType: 'application/json' }
}

export function metadataOf(value: string): JsonObject {
  const json = parseJsonFlag('--metadata', value)
  if (!isJsonObject(json)) throw usage('--metadata takes a JSON object.')
  return json
}

function parseJsonFlag(flag: string, value: string): JsonValue {
  const text = textOrFile(flag, value)
  try {
    const json = JSON.parse(text) as JsonValue
    if (Number.isNaN(weightOf(json))) throw new Error('it holds a number larger than 1.7976931348623157e308')
    return json
  } catch (cause) {
    const place = value.startsWith('@') ? `${value.slice(1)}, given with ${flag}` : flag
    const reason = cause instanceof Error ? cause.message : 'unreadable'
    throw usage(`Invalid JSON in ${place}: ${reason}.`)
  }
}
