// What the books of a fleet need of a database, in the SQL that SQLite and PostgreSQL share. Parameters are written $1, $2;
// times are milliseconds by the database's own clock, because the clocks of workers differ.

export type SqlValue = string | number | null | Uint8Array

export interface Sql {
  rows<R extends object>(sql: string, values?: readonly SqlValue[]): Promise<R[]>
}

export interface FleetDatabase extends Sql {
  /** The SQL expression of the current time in milliseconds. */
  readonly now: string
  /** The type of a column that holds bytes. */
  readonly blob: string
  /** Everything `work` asks through its argument, or nothing of it. */
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>
  /** Whether an error means that the database is away and may come back. */
  isAway(error: unknown): boolean
  close(): Promise<void>
}
