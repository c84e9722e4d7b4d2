// What should be in the artifact service once the conversation is over.

import type { ArtifactStore, StoredArtifact } from '../../artifacts/artifact-store.ts'
import type { CaseEnvironment } from './case-environment.ts'
import type { ExpectedArtifact } from './case-shape.ts'
import type { Expected } from './match-events.ts'

export interface Problem {
  readonly line: number
  readonly message: string
}

export async function checkArtifacts(
  expected: readonly Expected<ExpectedArtifact>[],
  { artifacts, owner }: Pick<CaseEnvironment, 'artifacts' | 'owner'>,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const { value, position } of expected) {
    const place = { ...owner, user: value.user_identity ?? owner.user, session: value.session ?? owner.session }
    const key = { ...place, name: value.filename }
    const versions = (await artifacts.versions(key)).map(({ version }) => version)
    const report = (message: string) =>
      problems.push({ line: position.line, message: `artifact ${value.filename}: ${message}` })
    if (value.version_count !== undefined && versions.length !== value.version_count)
      report(`expected ${value.version_count} versions, there are ${versions.length}`)
    // Only the number of versions may be claimed of a file that is not there.
    if (value.version_count === 0 && value.version === undefined) continue
    const version = value.version === 'first' ? versions[0] : (value.version ?? 'latest')
    const stored = version === undefined ? undefined : await artifacts.load(key, version)
    if (stored === undefined) {
      const names = await artifacts.list(place)
      report(`there is no version ${value.version ?? 'latest'}; ${await inventory(artifacts, place, names)}`)
    } else for (const message of differences(value, stored)) report(message)
  }
  return problems
}

function differences(expected: ExpectedArtifact, { bytes, metadata }: StoredArtifact): string[] {
  const found = Buffer.from(bytes)
  const text = found.toString('utf8')
  const shown = JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
  const { mime_type: type, text_exact: exact, text_contains: contains, bytes_base64: wanted } = expected
  return [
    ...(type === undefined || type === metadata.mimeType ? [] : [`its type is ${metadata.mimeType}, not ${type}`]),
    ...(exact === undefined || exact === text ? [] : [`its text is ${shown}, not ${JSON.stringify(exact)}`]),
    ...(contains === undefined || text.includes(contains)
      ? []
      : [`its text is ${shown} and does not contain ${JSON.stringify(contains)}`]),
    ...(wanted === undefined || found.equals(Buffer.from(wanted, 'base64'))
      ? []
      : [`its ${found.byteLength} bytes are not the expected ones`]),
  ]
}

async function inventory(
  artifacts: ArtifactStore,
  place: { app: string; user: string; session: string },
  names: readonly string[],
): Promise<string> {
  if (names.length === 0) return 'the artifact service is empty'
  const lines: string[] = []
  for (const name of names) {
    const versions = await artifacts.versions({ ...place, name })
    lines.push(`${name} (${versions.map(({ version }) => version).join(', ')})`)
  }
  return `there are ${lines.join(', ')}`
}
