// What is copied is exactly what the text says; the button tells that it happened.

import { useState } from 'preact/hooks'

/** `navigator.clipboard` is only there on secure pages; a file on disk needs the old way. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    const area = document.createElement('textarea')
    area.value = text
    document.body.append(area)
    area.select()
    document.execCommand('copy')
    area.remove()
  }
}

export function Copy({ label, text }: { label: string; text: () => string }) {
  const [isDone, setDone] = useState(false)
  const act = () =>
    void copy(text()).then(() => {
      setDone(true)
      setTimeout(() => setDone(false), 1500)
    })
  return (
    <button type="button" onClick={act}>
      {isDone ? 'Copied' : label}
    </button>
  )
}
