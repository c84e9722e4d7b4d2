// `a2a-parley/server`: what users of the library import.

export type { AgentCard, AgentSkill } from '../model/card.ts'
export { A2AError, type A2AErrorKind } from '../model/errors.ts'
export type { Artifact, Message, Part, Task, TaskState } from '../model/task.ts'
export { textOf } from '../model/task.ts'
export { openStore } from './backend/open.ts'
export type { CardSigning } from './card-signing.ts'
export type { Agent, AgentContext, AgentYield, ArtifactInput, Content } from './engine/agent.ts'
export { jsonLog, type Log } from './log.ts'
export type { Caller, CardInput, MountOptions } from './mount-options.ts'
export type { DeadLetter, PushAdmin, PushOptions } from './push/push.ts'
export { type A2AServer, createServer, type ServerOptions } from './server.ts'
