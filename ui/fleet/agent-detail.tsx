// One agent: where it stands, its badge, and every result it had.

import { agentBadge } from '../../src/report/badge.ts'
import type { FleetRow } from '../../src/run/fleet-view.ts'
import { Copy } from '../shared/copy.tsx'
import { Scrolls } from '../shared/scrolls.tsx'

export function AgentDetail({ row, onClose }: { row: FleetRow; onClose: () => void }) {
  const newest = row.history.at(-1)
  const badge = agentBadge(row.standing, newest)
  return (
    <aside class="detail" aria-label="One agent">
      <button type="button" class="close" onClick={onClose}>
        Close
      </button>
      <h2>{row.name || row.url}</h2>
      <p>{row.url}</p>
      {/* Made here, with every text escaped. */}
      <p class="badge-picture" dangerouslySetInnerHTML={{ __html: badge }} />
      <Copy text={() => badge} label="Copy badge" />
      {row.message !== '' && <p>{row.message}</p>}
      <p class="muted">
        profile {row.profile}
        {row.dueAt > 0 && `, asked again from ${moment(row.dueAt)}`}
      </p>
      <h3>History</h3>
      <Scrolls label="Table of results">
        <table>
          <thead>
            <tr>
              <th>when</th>
              <th>standing</th>
              <th>MUST met</th>
              <th>turns</th>
              <th>attempts</th>
            </tr>
          </thead>
          <tbody>
            {row.history.toReversed().map(({ at, standing, kept, measured, turns, attempts }) => (
              <tr key={at}>
                <td>{moment(at)}</td>
                <td>{standing}</td>
                <td>{measured === 0 ? '' : `${kept}/${measured}`}</td>
                <td>{turns}</td>
                <td>{attempts}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrolls>
    </aside>
  )
}

function moment(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}
