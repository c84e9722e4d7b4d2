// Which endpoint to talk to, in which dialect: what the card declares, in its order (1.0 §5.2), narrowed by what the
// user asked for; after that, the other dialects at the same places, for agents that are not what their card says.

import { BINDINGS, bindingNamed } from '../bindings/registry.ts'
import type { BindingId, Dialect, DialectId } from '../dialects/dialect.ts'
import { DIALECTS, dialectById, dialectOfVersion } from '../dialects/index.ts'
import { majorMinor } from '../dialects/version.ts'
import { EXIT, ParleyError } from '../model/errors.ts'
import type { DeclaredInterface } from './recognise.ts'

/** Which of the interfaces of a card to use. */
export interface InterfacePreference {
  /** Only these bindings; all when absent or empty. */
  transports?: readonly BindingId[]
  /** Only these generations; what each interface declares when absent or empty. */
  versions?: readonly DialectId[]
}

export interface Candidate {
  url: string
  binding: BindingId
  dialect: Dialect
  tenant: string | undefined
  declared: DeclaredInterface
  /** False when the card does not say that this endpoint speaks this dialect. */
  isDeclared: boolean
}

export interface Choice {
  /** In the order to try them. */
  candidates: readonly Candidate[]
  /** Interfaces of the card that cannot be used, with the reason. */
  passedOver: readonly { declared: DeclaredInterface; because: string }[]
}

const NEWEST_FIRST: readonly Dialect[] = DIALECTS

export function chooseInterface(
  interfaces: readonly DeclaredInterface[],
  preference: InterfacePreference = {},
  /** Why this client cannot speak a binding, if so. */
  whyNot: (binding: BindingId) => string | undefined = () => undefined,
): Choice {
  const transports = preference.transports ?? []
  const versions = preference.versions ?? []
  const candidates: Candidate[] = []
  const passedOver: { declared: DeclaredInterface; because: string }[] = []
  const usable: { declared: DeclaredInterface; binding: BindingId; spoken: Dialect | undefined }[] = []

  for (const declared of interfaces) {
    const binding = bindingOf(declared)
    const spoken = dialectOf(declared)
    if (binding === undefined) {
      passedOver.push({ declared, because: `Parley does not speak ${declared.protocolBinding}` })
    } else if (BINDINGS[binding].unusableUrl(declared.url) !== undefined) {
      passedOver.push({ declared, because: BINDINGS[binding].unusableUrl(declared.url) ?? '' })
    } else if (whyNot(binding) !== undefined) {
      passedOver.push({ declared, because: whyNot(binding) ?? '' })
    } else if (transports.length > 0 && !transports.includes(binding)) {
      passedOver.push({ declared, because: `you asked for ${transports.join(', ')}` })
    } else {
      usable.push({ declared, binding, spoken })
      if (spoken === undefined) {
        passedOver.push({ declared, because: `Parley does not speak A2A ${declared.protocolVersion ?? ''}` })
      } else if (versions.length > 0 && !versions.includes(spoken.id)) {
        passedOver.push({ declared, because: `you asked for A2A ${versions.join(', ')}` })
      } else if (spoken.codecs[binding] === undefined) {
        passedOver.push({ declared, because: `A2A ${spoken.id} has no ${declared.protocolBinding} binding` })
      } else {
        candidates.push({ ...placeOf(declared), binding, dialect: spoken, declared, isDeclared: true })
      }
    }
  }

  // A pinned version is spoken where the card declares nothing of the kind, too: that is how one finds out. It is
  // never left for another, so fallback is only for those who did not ask.
  if (versions.length === 0 || candidates.length === 0) {
    const others = versions.length === 0 ? NEWEST_FIRST : NEWEST_FIRST.filter(({ id }) => versions.includes(id))
    const pairs = others.flatMap((dialect) => usable.map((place) => ({ dialect, ...place })))
    // Agents are older than their cards more often than newer.
    const [older, newer] = [pairs.filter((pair) => !isNewer(pair)), pairs.filter(isNewer)]
    for (const { dialect, declared, binding } of [...older, ...newer]) {
      const isKnown = candidates.some(
        (known) => known.url === declared.url && known.binding === binding && known.dialect === dialect,
      )
      if (isKnown || dialect.codecs[binding] === undefined) continue
      candidates.push({ ...placeOf(declared), binding, dialect, declared, isDeclared: false })
    }
  }
  return { candidates, passedOver }
}

/** Undefined for custom bindings, which are not spoken here. */
export function bindingOf(declared: DeclaredInterface): BindingId | undefined {
  return bindingNamed(declared.protocolBinding)
}

/** The dialect an interface declares; where it names no version, its shape decides. */
export function dialectOf({ protocolVersion, shapedLike }: DeclaredInterface): Dialect | undefined {
  return protocolVersion === undefined ? dialectById(shapedLike) : dialectOfVersion(protocolVersion)
}

/** What to speak with an interface of an unknown version: the newest of the same major, else the newest. */
export function nearestDialect(version: string): Dialect {
  const major = majorMinor(version)?.split('.')[0]
  return NEWEST_FIRST.find(({ id }) => id.split('.')[0] === major) ?? DIALECTS[0]
}

function isNewer({ dialect, spoken }: { dialect: Dialect; spoken: Dialect | undefined }): boolean {
  return spoken !== undefined && NEWEST_FIRST.indexOf(dialect) < NEWEST_FIRST.indexOf(spoken)
}

function placeOf(declared: DeclaredInterface): { url: string; tenant: string | undefined } {
  return { url: declared.url, tenant: declared.tenant }
}

export function noInterface({ passedOver }: Choice): ParleyError {
  const reasons = passedOver.map(({ declared, because }) => `${declared.url}: ${because}`).join('; ')
  return new ParleyError(
    'no-usable-interface',
    `The card names no interface that can be used${reasons === '' ? '' : ` (${reasons})`}.`,
    { exitCode: EXIT.unreachable },
  )
}
