// Our own tables in requirements/, written as YAML for people. A build has them as JSON, too (scripts/bundle.js), because
// parsing the YAML takes a third of a second of every start. Their shape is asserted and not validated: tests check it.

import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { packageFile } from '../base/package-file.ts'

const isBuilt = import.meta.url.endsWith('.js')

/** `name` is that of the file, without its extension. */
export function readRequirementFile<T>(name: string): T {
  if (isBuilt) return JSON.parse(readFileSync(packageFile(`dist/requirements/${name}.json`), 'utf8')) as T
  const text = readFileSync(packageFile(`requirements/${name}.yaml`), 'utf8')
  return parse(text, { uniqueKeys: false, prettyErrors: false }) as T
}
