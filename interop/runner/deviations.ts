// docs/known-deviations.md from the rulings: what agents and clients on foreign SDKs do differently from the specification.

import type { Folder, Ruling } from './corpus.ts'

const INTRODUCTION = `# Known deviations of foreign SDKs

Small agents and clients of our own on other people's SDKs and frameworks stand in \`interop/\` and are judged by \`npm run interop\`
([how](interop.md)). Listed here is what fails: each was read against the specification by a person, with the clause and the bytes
that prove it; ids, ports and times are placeholders. Everything else passes, warns, or could not be measured.

"SDK" means that an author cannot do better with this SDK as it is; "agent" and "client" that the SDK leaves it to the author, and
our small agent or client does not do it.

Rendered from \`rulings.yaml\` and \`client-rulings.yaml\` in \`interop/*/\` by \`npm run interop:document\`.
`

const WHO: Readonly<Record<Ruling['deviates'], string>> = { sdk: 'SDK', agent: 'Agent', client: 'Client' }

export function renderDeviations(corpus: readonly Folder[]): string {
  const table = [
    '| folder | SDK | language | of its agents | of its clients |',
    '|---|---|---|---|---|',
    ...corpus.map(({ name, manifest, rulings, clientRulings }) => {
      const { sdk, language, agents, clients } = manifest
      return `| \`${name}\` | ${sdk} | ${language} | ${count(agents, rulings)} | ${count(clients, clientRulings)} |`
    }),
  ]
  return [INTRODUCTION, `${table.join('\n')}\n`, ...corpus.map(sectionOf)].join('\n')
}

/** Nobody is there, or nothing deviates, or so many do. */
function count(peers: readonly unknown[] = [], rulings: readonly Ruling[]): string {
  return peers.length === 0 ? '' : rulings.length === 0 ? 'none' : `${rulings.length}`
}

function sectionOf({ manifest, rulings, clientRulings }: Folder): string {
  const { agents = [], clients = [] } = manifest
  const head = [
    `## ${manifest.sdk}`,
    '',
    ...(manifest.note === undefined ? [] : [manifest.note.trim(), '']),
    ...[...agents, ...clients].map(({ name, does }) => `- ${name}: ${does}`),
    '',
  ]
  const sorted = [rulings, clientRulings].flatMap((all) => all.toSorted((a, b) => a.test.localeCompare(b.test)))
  return [head.join('\n'), ...sorted.map(rulingOf)].join('\n')
}

function rulingOf({ test, on, peers, deviates, clause, why, bytes }: Ruling): string {
  const where = `${on.join(', ')}${peers === undefined ? '' : `; ${peers.join(', ')}`}`
  return [
    `### ${test}`,
    '',
    `A2A ${clause} (${where}). ${WHO[deviates]}: ${why.trim()}`,
    '',
    '```http',
    bytes.trim(),
    '```',
    '',
  ].join('\n')
}
