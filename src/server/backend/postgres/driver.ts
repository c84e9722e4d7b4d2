// The PostgreSQL driver is an optional peer: loaded when a PostgreSQL address is given, and only then.

import type pg from 'pg'
import { ParleyError } from '../../../model/errors.ts'

export async function loadPg(): Promise<typeof pg> {
  try {
    return (await import('pg')).default
  } catch (cause) {
    throw new ParleyError('missing-driver', 'PostgreSQL needs the package pg; run: npm install pg', { cause })
  }
}
