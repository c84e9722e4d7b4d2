// The SDK's own task stores: in memory, or in a SQL database over Kysely, with the tables of its migrations.

import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { InMemoryTaskStore, type TaskStore } from '@a2a-js/sdk/server'
import { DatabaseTaskStore, TASK_TABLE } from '@a2a-js/sdk/server/database'
import { Kysely, PostgresDialect, SqliteDialect } from 'kysely'
import pg from 'pg'

export async function sdkStore(spec: string): Promise<TaskStore> {
  if (spec === 'memory') return new InMemoryTaskStore()
  const db = new Kysely<unknown>({ dialect: spec.startsWith('sqlite:') ? sqlite(spec.slice(7)) : postgres(spec) })
  await db.schema
    .createTable(TASK_TABLE)
    .ifNotExists()
    .addColumn('tenant', 'varchar(255)', (column) => column.notNull())
    .addColumn('owner', 'varchar(255)', (column) => column.notNull())
    .addColumn('id', 'varchar(36)', (column) => column.notNull())
    .addColumn('context_id', 'varchar(36)', (column) => column.notNull())
    .addColumn('status_last_updated', 'bigint', (column) => column.notNull())
    .addColumn('status_state', 'varchar(255)')
    .addColumn('status', 'text')
    .addColumn('artifacts', 'text')
    .addColumn('history', 'text')
    .addColumn('metadata', 'text')
    .addColumn('protocol_version', 'varchar(255)')
    .addPrimaryKeyConstraint(`${TASK_TABLE}_pkey`, ['tenant', 'owner', 'id'])
    .execute()
  return new DatabaseTaskStore(db)
}

function postgres(url: string): PostgresDialect {
  return new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 10 }) })
}

/** With the settings of our own store, over the SQLite that Node brings. */
function sqlite(path: string): SqliteDialect {
  const db = new DatabaseSync(path)
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  return new SqliteDialect({
    database: {
      close: () => db.close(),
      prepare: (sql) => {
        const statement = db.prepare(sql)
        const values = (given: readonly unknown[]) => given as SQLInputValue[]
        return {
          reader: /^\s*(select|with)|\breturning\b/i.test(sql),
          all: (given) => statement.all(...values(given)),
          run: (given) => {
            const { changes, lastInsertRowid } = statement.run(...values(given))
            return { changes: Number(changes), lastInsertRowid }
          },
          iterate: (given) => statement.iterate(...values(given)),
        }
      },
    },
  })
}
