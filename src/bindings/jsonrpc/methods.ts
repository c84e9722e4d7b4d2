// Finds the operation behind a JSON-RPC method name of a generation.

import type { Dialect } from '../../dialects/dialect.ts'
import type { Operation } from '../../model/operation.ts'

const tables = new WeakMap<Dialect, ReadonlyMap<string, Operation>>()

export function operationOf(dialect: Dialect, method: string): Operation | undefined {
  let table = tables.get(dialect)
  if (table === undefined) {
    table = new Map(Object.entries(dialect.methods).map(([op, name]) => [name, op as Operation]))
    tables.set(dialect, table)
  }
  return table.get(method)
}
