// The run inside the page: gzipped and in base64, in script elements that are never run. The index is unpacked at the start,
// the evidence of a result when somebody opens it.

import type { RunAgent, RunFooter, RunHeader, RunResult } from '../../src/run/run.ts'

/** A result without what proves it. */
export type Row = Omit<RunResult, 'transcript' | 'reproduction'>

export interface RunIndex {
  header: RunHeader
  footer: RunFooter
  agents: RunAgent[]
  results: Row[]
  /** How many results share one block of evidence. */
  blockSize: number
}

export type Evidence = Pick<RunResult, 'transcript' | 'reproduction'>

export async function readIndex(): Promise<RunIndex> {
  return (await unpacked('run-index')) as RunIndex
}

const blocks = new Map<number, Promise<Evidence[]>>()

export async function evidenceOf(at: number, blockSize: number): Promise<Evidence> {
  const block = Math.floor(at / blockSize)
  const known = blocks.get(block) ?? (unpacked(`evidence-${block}`) as Promise<Evidence[]>)
  blocks.set(block, known)
  return (await known)[at % blockSize] ?? {}
}

async function unpacked(id: string): Promise<unknown> {
  const text = document.getElementById(id)?.textContent ?? ''
  const bytes = Uint8Array.from(atob(text.trim()), (char) => char.charCodeAt(0))
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))
  return new Response(stream).json()
}
