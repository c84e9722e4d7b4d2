// What a careful reader forgives in a peer's answers, and what it reads instead. Requests are never read this way,
// and the judge never does.

import type { Tolerated } from '../../../schema/tolerant.ts'

export const TOLERATED: Tolerated = {
  Message: { messageId: '', parts: [] },
  Artifact: { parts: [] },
  TaskStatusUpdateEvent: { contextId: '' },
  TaskArtifactUpdateEvent: { contextId: '' },
  ListTasksResponse: { tasks: [], nextPageToken: '', pageSize: 0, totalSize: 0 },
  AgentCard: {
    name: '',
    description: '',
    version: '',
    capabilities: {},
    defaultInputModes: [],
    defaultOutputModes: [],
    skills: [],
  },
  // Cards of some SDKs leave the version out and mean the newest (1.0 §4.4.6 requires it).
  AgentInterface: { protocolVersion: '1.0' },
  AgentProvider: { url: '', organization: '' },
  AgentSkill: { name: '', description: '', tags: [] },
}
