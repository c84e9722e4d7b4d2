import { totalmem } from 'node:os'
import { getHeapStatistics } from 'node:v8'

/** So many bytes, but no more than this share of the memory the process may have: its heap, its container, its machine. */
export function memoryShare(most: number, share: number): number {
  const limits = [getHeapStatistics().heap_size_limit, process.constrainedMemory(), totalmem()]
  return Math.floor(Math.min(most, ...limits.filter((bytes) => bytes > 0).map((bytes) => bytes * share)))
}
