// What the manifest of this package says.

import { readFileSync } from 'node:fs'
import { packageFile } from './package-file.ts'

interface Manifest {
  version: string
  /** The one place where the address of the project is written; `repository` and `bugs` begin with it. */
  homepage: string
  exports: Readonly<Record<string, string | { default: string }>>
}

export function packageVersion(): string {
  return manifest().version
}

export function homepage(): string {
  return manifest().homepage
}

/** What users import by name, as paths below the package. */
export function packageExports(): Manifest['exports'] {
  return manifest().exports
}

function manifest(): Manifest {
  return JSON.parse(readFileSync(packageFile('package.json'), 'utf8')) as Manifest
}
