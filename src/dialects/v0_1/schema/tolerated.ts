// What a careful reader forgives in the answers of `tasks/send` peers, and what it reads instead.

import type { Tolerated } from '../../../schema/tolerant.ts'

export const TOLERATED: Tolerated = {
  Message: { parts: [] },
  Artifact: { parts: [] },
  AgentCard: { name: '', version: '', capabilities: {}, skills: [] },
  AgentSkill: { name: '' },
}
