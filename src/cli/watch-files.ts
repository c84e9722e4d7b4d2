// Tells when one of a set of files has changed, and only then: other files of the same folders, such as a log that is being
// written there, are none of its business.

import { type FSWatcher, statSync, watch } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'

/** Editors write a file in several steps; one notice is enough. */
const SETTLE_MS = 50

/** Mounted secrets are links to files behind this link, which alone is replaced. */
const KUBERNETES_LINK = '..data'

export class FileWatch {
  readonly #onChange: () => void | Promise<void>
  readonly #folders = new Map<string, FSWatcher>()
  #stamps = new Map<string, string>()
  #settling: NodeJS.Timeout | undefined

  constructor(files: Iterable<string>, onChange: () => void | Promise<void>) {
    this.#onChange = onChange
    this.follow(files)
  }

  /** These files from now on, as they are now. */
  follow(files: Iterable<string>): void {
    this.#stamps = new Map([...files].map((file) => [resolve(file), stampOf(file)]))
    const wanted = new Set([...this.#stamps.keys()].map((file) => dirname(file)))
    for (const [folder, watcher] of this.#folders) {
      if (wanted.has(folder)) continue
      watcher.close()
      this.#folders.delete(folder)
    }
    for (const folder of wanted) if (!this.#folders.has(folder)) this.#watch(folder)
  }

  /** For changes that no event announced. */
  look(): void {
    this.#settled()
  }

  close(): void {
    clearTimeout(this.#settling)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  /** The folder, because many editors put a new file in the place of the old one. */
  #watch(folder: string): void {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return
    const watcher = watch(folder, (_, name) => {
      // Some systems do not say which file it was.
      if (name !== null && name !== KUBERNETES_LINK && !this.#names(folder).has(name)) return
      clearTimeout(this.#settling)
      this.#settling = setTimeout(() => this.#settled(), SETTLE_MS)
    })
    watcher.on('error', () => watcher.close())
    this.#folders.set(folder, watcher)
  }

  #names(folder: string): Set<string> {
    const inside = [...this.#stamps.keys()].filter((file) => dirname(file) === folder)
    return new Set(inside.map((file) => basename(file)))
  }

  #settled(): void {
    const changed = [...this.#stamps].filter(([file, stamp]) => stampOf(file) !== stamp)
    if (changed.length === 0) return
    for (const [file] of changed) this.#stamps.set(file, stampOf(file))
    void this.#onChange()
  }
}

function stampOf(file: string): string {
  const found = statSync(file, { throwIfNoEntry: false })
  return found === undefined ? '' : `${found.mtimeMs} ${found.size} ${found.ino}`
}
