// Which media types an agent takes: the input modes of its card and skills (1.0 §4.4.1, ContentTypeNotSupported in
// §3.3.2). Parts that name no media type are the agent's business.

import type { AgentCard } from '../model/card.ts'
import type { Part } from '../model/task.ts'
import { parseMediaType } from '../net/media-type.ts'

/** The first media type the card does not accept, or undefined. */
export function acceptsParts(card: AgentCard, parts: readonly Part[]): string | undefined {
  for (const { mediaType } of parts) if (mediaType && !accepts(card, mediaType)) return mediaType
  return undefined
}

function accepts(card: AgentCard, mediaType: string): boolean {
  const offered = parseMediaType(mediaType)?.essence ?? mediaType.toLowerCase()
  const isOffered = (mode: string) => matches(mode.toLowerCase(), offered)
  return card.defaultInputModes.some(isOffered) || card.skills.some((skill) => skill.inputModes?.some(isOffered))
}

/** Modes may be wildcards; older cards say `text` for any text. */
function matches(mode: string, offered: string): boolean {
  if (mode === offered || mode === '*/*' || mode === '*') return true
  const family = mode.endsWith('/*') ? mode.slice(0, -1) : mode.includes('/') ? undefined : `${mode}/`
  return family !== undefined && offered.startsWith(family)
}
