// A button that asks for files; where there is a place for them, they can be dropped there as well.

import { useRef } from 'preact/hooks'

interface FileButtonProps {
  title: string
  /** What a screen reader says of the field behind the button. */
  label: string
  multiple?: boolean
  onFiles(files: readonly File[]): void
}

export function FileButton({ title, label, multiple = false, onFiles }: FileButtonProps) {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <button type="button" onClick={() => input.current?.click()}>
        {title}
      </button>
      <input
        ref={input}
        type="file"
        multiple={multiple}
        hidden
        aria-label={label}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])])
          event.currentTarget.value = ''
        }}
      />
    </>
  )
}

/** For an element that files may be dropped on. */
export function dropTarget(onFiles: (files: readonly File[]) => void) {
  return {
    onDragOver: (event: DragEvent) => event.preventDefault(),
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      onFiles([...(event.dataTransfer?.files ?? [])])
    },
  }
}
