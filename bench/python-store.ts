// The Python SDK on its own SQL store, with the agent of interop/. What cannot be built on this machine is left out, with
// the reason.

import { startAgent } from '../interop/runner/agent-process.ts'
import { build, whatIsMissing } from '../interop/runner/build.ts'
import { readCorpus } from '../interop/runner/corpus.ts'
import type { Target } from './bench-servers.ts'
import { sendTask } from './work.ts'

const FOLDER = 'python-sdk-1'
const PATH = '/jsonrpc'

export interface PythonServer {
  readonly target: Target
  /** Of a task that is stored. */
  readonly taskId: string
  stop(): Promise<void>
}

/** `spec` as our own server takes it: `sqlite:` and a file. */
export async function startPythonOn(spec: string): Promise<PythonServer | undefined> {
  const folder = (await readCorpus()).find(({ name }) => name === FOLDER)
  const agent = folder?.manifest.agents?.find(({ name }) => name === 'tasks')
  if (folder === undefined || agent === undefined) return undefined
  const missing = await whatIsMissing(folder.manifest)
  if (missing !== undefined) {
    console.log(`${folder.manifest.sdk} is left out: ${missing}.`)
    return undefined
  }
  await build(folder)
  const running = await startAgent(folder, agent, { TASK_STORE: spec.replace('sqlite:', 'sqlite+aiosqlite:///') })
  const headers = { 'Content-Type': 'application/json', 'A2A-Version': '1.0' }
  const answer = await fetch(new URL(PATH, running.url), { method: 'POST', headers, body: sendTask().body })
  const { result } = (await answer.json()) as { result: { task: { id: string } } }
  return {
    target: { port: Number(new URL(running.url).port), path: PATH },
    taskId: result.task.id,
    stop: () => running.stop(),
  }
}
