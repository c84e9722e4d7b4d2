// What a run is made of, where that is not sections of the specification: the pairs of a matrix as a grid, the files of cases,
// the suites, the areas of a client.

import type { Row, RunIndex } from './data.ts'
import { fieldText, STATE_SIGNS, STATE_WORDS, type State, stateOf } from './filter.ts'
import { query } from './state.ts'

interface Tally {
  state: State
  passed: number
  all: number
  blame: string[]
}

/** The worst of what the results of a place are. */
function tallyOf(rows: readonly Row[]): Tally {
  const states = new Set(rows.map(stateOf))
  const worst = (['fail', 'harness-error', 'warn', 'not-measured', 'known'] as const).find((state) => states.has(state))
  const passed = rows.filter(({ status }) => status === 'pass').length
  const blame = [...new Set(rows.flatMap(({ pair }) => pair?.blame ?? []))]
  return { state: worst ?? (passed > 0 ? 'pass' : 'skip'), passed, all: rows.length, blame }
}

/** Clients down, servers across; a cell shows only its results. */
export function Grid({ run: { results } }: { run: RunIndex }) {
  const clients = [...new Set(results.flatMap(({ pair }) => pair?.client ?? []))]
  const servers = [...new Set(results.flatMap(({ pair }) => pair?.server ?? []))]
  return (
    <section class="grid-view" aria-label="Who works with whom">
      <table>
        <thead>
          <tr>
            <th scope="col">client ↓ · agent →</th>
            {servers.map((server) => (
              <th key={server} scope="col">
                {server}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {clients.map((client) => (
            <tr key={client}>
              <th scope="row">{client}</th>
              {servers.map((server) => (
                <td key={server}>
                  <Cell
                    client={client}
                    server={server}
                    rows={results.filter(({ pair }) => pair?.client === client && pair.server === server)}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Cell({ client, server, rows }: { client: string; server: string; rows: readonly Row[] }) {
  if (rows.length === 0) return <span class="muted">not tried</span>
  const text = `${fieldText('client', client)} ${fieldText('server', server)}`
  const isOn = query.value === text
  const { state, passed, all, blame } = tallyOf(rows)
  const [sum, blamed] = [`${STATE_SIGNS[state]} ${passed}/${all}`, blame.join(', ')]
  return (
    <button
      type="button"
      class={client === server ? `cell ${state} self` : `cell ${state}`}
      aria-pressed={isOn}
      aria-label={`${sum} ${blamed}, ${STATE_WORDS[state]}: ${client} with ${server}`}
      onClick={() => (query.value = isOn ? '' : text)}
    >
      {sum} {blamed !== '' && <span class="muted">{blamed}</span>}
    </button>
  )
}

/** Groups of results, for runs that are not about sections of the specification. */
export function Groups({ run: { header, results } }: { run: Pick<RunIndex, 'header' | 'results'> }) {
  // The pairs of a matrix are its grid.
  if (header.kind === 'checks' || header.kind === 'matrix') return null
  const isClient = header.kind === 'clients'
  const groups = Map.groupBy(results, (row) => (isClient ? (row.area ?? row.group) : row.group))
  return (
    <>
      <h2>{isClient ? 'What the client did' : 'Files and suites'}</h2>
      <ul class="groups">
        {[...groups].map(([name, rows]) => (
          <Group
            key={name}
            name={name}
            rows={rows}
            field={isClient && rows[0]?.area !== undefined ? 'area' : 'group'}
          />
        ))}
      </ul>
    </>
  )
}

function Group({ name, rows, field }: { name: string; rows: readonly Row[]; field: string }) {
  const { state, passed, all } = tallyOf(rows)
  const text = fieldText(field, name)
  const isOn = query.value === text
  return (
    <li>
      <button type="button" class="group-name" aria-pressed={isOn} onClick={() => (query.value = isOn ? '' : text)}>
        <span class={state} role="img" aria-label={STATE_WORDS[state]}>
          {STATE_SIGNS[state]}
        </span>{' '}
        {name}
      </button>
      <span class="muted">
        {passed}/{all}
      </span>
    </li>
  )
}
