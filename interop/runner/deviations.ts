// docs/known-deviations.md from the rulings: what agents on foreign SDKs do differently from the specification.

import type { Folder, Ruling } from './corpus.ts'

const INTRODUCTION = `# Known deviations of foreign SDKs

Small agents of our own on other people's SDKs and frameworks stand in \`interop/\` and are judged by \`npm run interop\`
([how](interop.md)). Listed here is what fails: each was read against the specification by a person, with the clause and the bytes
that prove it; ids, ports and times are placeholders. Everything else passes, warns, or could not be measured.

"SDK" means that an author cannot do better with this SDK as it is; "agent" that the SDK leaves it to the author, and our
small agent does not do it.

Rendered from \`interop/*/rulings.yaml\` by \`npm run interop:document\`.
`

export function renderDeviations(corpus: readonly Folder[]): string {
  const table = [
    '| folder | SDK | language | deviations |',
    '|---|---|---|---|',
    ...corpus.map(
      ({ name, manifest, rulings }) =>
        `| \`${name}\` | ${manifest.sdk} | ${manifest.language} | ${rulings.length === 0 ? 'none' : rulings.length} |`,
    ),
  ]
  return [INTRODUCTION, `${table.join('\n')}\n`, ...corpus.map(sectionOf)].join('\n')
}

function sectionOf({ manifest, rulings }: Folder): string {
  const agents = manifest.agents.map(({ name, does }) => `- ${name}: ${does}`)
  const head = [
    `## ${manifest.sdk}`,
    '',
    ...(manifest.note === undefined ? [] : [manifest.note.trim(), '']),
    ...agents,
    '',
  ]
  const sorted = rulings.toSorted((a, b) => a.check.localeCompare(b.check))
  return [head.join('\n'), ...sorted.map(rulingOf)].join('\n')
}

function rulingOf({ check, on, agents, deviates, clause, why, bytes }: Ruling): string {
  const where = `${on.join(', ')}${agents === undefined ? '' : `; ${agents.join(', ')}`}`
  return [
    `### ${check}`,
    '',
    `A2A ${clause} (${where}). ${deviates === 'sdk' ? 'SDK' : 'Agent'}: ${why.trim()}`,
    '',
    '```http',
    bytes.trim(),
    '```',
    '',
  ].join('\n')
}
