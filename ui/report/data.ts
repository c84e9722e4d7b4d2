// The run inside the page: gzipped and in base64, in script elements that are never run. The index is unpacked at the start,
// the evidence of a result when somebody opens it.

import type { RunAgent, RunFooter, RunHeader, RunResult } from '../../src/run/run.ts'
import { unpackedText } from '../shared/unpacked.ts'

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

/** The older run that was put into the page when it was written. */
export async function readBefore(): Promise<RunIndex | undefined> {
  return document.getElementById('run-before') === null ? undefined : ((await unpacked('run-before')) as RunIndex)
}

type EvidenceSource = (at: number, blockSize: number) => Promise<Evidence>

let source: EvidenceSource = fromPage

/** For whoever has the evidence elsewhere than in the page. */
export function setEvidenceSource(other: EvidenceSource): void {
  source = other
}

export function evidenceOf(at: number, blockSize: number): Promise<Evidence> {
  return source(at, blockSize)
}

const blocks = new Map<number, Promise<Evidence[]>>()

async function fromPage(at: number, blockSize: number): Promise<Evidence> {
  const block = Math.floor(at / blockSize)
  const known = blocks.get(block) ?? (unpacked(`evidence-${block}`) as Promise<Evidence[]>)
  blocks.set(block, known)
  return (await known)[at % blockSize] ?? {}
}

function unpacked(id: string): Promise<unknown> {
  return unpackedText(document.getElementById(id)?.textContent ?? '')
}
