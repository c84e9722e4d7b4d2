// What goes with the text of a message: files and data parts.

import type { Part } from '../../src/model/task.ts'
import { sizeText } from './parts.tsx'

export interface Extra {
  part: Part
  title: string
}

export function Extras({ extras, onChange }: { extras: readonly Extra[]; onChange(extras: Extra[]): void }) {
  if (extras.length === 0) return null
  return (
    <ul class="extras" aria-label="Attached">
      {extras.map((extra, at) => (
        <li key={at}>
          {extra.title}{' '}
          <button
            type="button"
            class="plain"
            aria-label={`Remove ${extra.title}`}
            onClick={() => onChange(extras.toSpliced(at, 1))}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}

export function DataEditor({
  text,
  onText,
  onAdd,
}: {
  text: string
  onText(text: string): void
  onAdd(part: Part): void
}) {
  let problem: string | undefined
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  return (
    <div class="data-editor">
      <textarea
        class="code"
        aria-label="Data part (JSON)"
        rows={4}
        spellcheck={false}
        value={text}
        onInput={(event) => onText(event.currentTarget.value)}
        aria-invalid={problem !== undefined}
      />
      <p class={problem === undefined ? 'muted small' : 'bad small'} role="status">
        {problem ?? 'Valid JSON'}
      </p>
      <button type="button" disabled={problem !== undefined} onClick={() => onAdd({ data: value as never })}>
        Add data part
      </button>
    </div>
  )
}

export async function partOf(file: File): Promise<Extra> {
  const url = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error ?? new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
  const raw = url.slice(url.indexOf(',') + 1)
  const part: Part = { raw, filename: file.name, ...(file.type === '' ? {} : { mediaType: file.type }) }
  return { part, title: `${file.name} · ${sizeText(file.size)}` }
}
