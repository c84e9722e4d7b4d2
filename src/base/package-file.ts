// Files that travel with the code: whether it runs from source or from the chunks of a build, they lie where package.json does.

import { existsSync } from 'node:fs'

let root: URL | undefined

/** The URL of a file or folder of this package, named from its root. */
export function packageFile(path: string): URL {
  root ??= findRoot()
  return new URL(path, root)
}

function findRoot(): URL {
  let folder = new URL('../', import.meta.url)
  while (!existsSync(new URL('package.json', folder))) {
    const above = new URL('../', folder)
    if (above.href === folder.href) throw new Error('The package.json of a2a-parley is missing.')
    folder = above
  }
  return folder
}
