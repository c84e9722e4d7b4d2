// What a careful reader forgives in the answers of 0.3 peers, and what it reads instead.

import type { Tolerated } from '../../../schema/tolerant.ts'

export const TOLERATED: Tolerated = {
  Message: { messageId: '', parts: [] },
  Artifact: { parts: [] },
  Task: { contextId: '' },
  TaskStatusUpdateEvent: { contextId: '', final: false },
  TaskArtifactUpdateEvent: { contextId: '' },
  AgentCard: {
    // Required since 0.2.5 only.
    protocolVersion: '0.2',
    name: '',
    description: '',
    version: '',
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  },
  AgentProvider: { url: '', organization: '' },
  AgentSkill: { name: '', description: '', tags: [] },
}
