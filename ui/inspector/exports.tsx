// What was said and exchanged, as files for the other commands: a recording, a mock script, a test case.

import type { AgentView } from '../../src/inspector/views.ts'
import { post, saveAs } from './api.ts'
import { attempt } from './state.ts'

const FILES = [
  ['recording', 'Save as recording', 'traffic.jsonl'],
  ['script', 'Save as mock script', 'agent.yaml'],
  ['case', 'Save as test case', 'case.yaml'],
] as const

export function Exports({ agent }: { agent: AgentView }) {
  const save = (what: string, name: string) =>
    void attempt(async () => {
      const { text } = await post<{ text: string }>('export', { agent: agent.id, what })
      saveAs(new Blob([text]), name)
    })
  return (
    <>
      {FILES.map(([what, title, name]) => (
        <button key={what} type="button" onClick={() => save(what, name)}>
          {title}
        </button>
      ))}
    </>
  )
}
