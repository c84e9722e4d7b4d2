// What the tarball holds: everything the documents link to, so that a person who has only npm can follow every link.

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
let packed: Set<string>
let packedBytes = 0

beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts']
  const [{ files = [], size = 0 } = {}] = JSON.parse(
    execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe' }),
  ) as {
    files?: { path: string }[]
    size?: number
  }[]
  packedBytes = size
  packed = new Set(files.map(({ path }) => path))
})

function linksIn(file: string): string[] {
  const text = read(file).replaceAll(/```.*?```/gs, '')
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^(?:https?:|mailto:)/.test(link))
}

describe('the package', () => {
  test('holds every file its documents link to', () => {
    const documents = [...packed].filter((path) => path.endsWith('.md') && !path.startsWith('docs/decisions/'))
    expect(documents).toContain('README.md')
    expect(documents).toContain('docs/library-client.md')
    const broken = documents.flatMap((document) =>
      linksIn(document).flatMap((link) => {
        const [path = '', anchor] = link.split('#')
        const target = path === '' ? document : normalize(join(dirname(document), path))
        const isThere =
          packed.has(target) || [...packed].some((file) => file.startsWith(`${target.replace(/\/$/, '')}/`))
        const hasAnchor = anchor === undefined || !target.endsWith('.md') || anchorsIn(target).has(anchor)
        // Pictures are large, and shown from the repository.
        const isPicture = target.startsWith('docs/pictures/') && existsSync(join(ROOT, target))
        return (isThere && hasAnchor) || isPicture ? [] : [`${document}: ${link}`]
      }),
    )
    expect(broken).toEqual([])
  })

  test('is small: no pictures, the pages with the licences of what they hold, at most 1.5 MB packed', () => {
    expect([...packed].filter((path) => path.startsWith('docs/pictures/'))).toEqual([])
    for (const file of ['report.js', 'report.css', 'inspector.js', 'inspector.css', 'licenses.txt'])
      expect([...packed]).toContain(`dist/ui/${file}`)
    console.log(`The package has ${packedBytes} bytes.`)
    expect(packedBytes).toBeLessThanOrEqual(1.5 * 1024 * 1024)
  })

  test('holds the examples, schemas, skills and the documents about it', () => {
    for (const file of [
      'examples/server.ts',
      'schemas/mock-script.schema.json',
      'skills/test-a2a-interop/SKILL.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ])
      expect(packed).toContain(file)
  })

  test('says in one place where it lives', () => {
    const { homepage, repository, bugs } = JSON.parse(read('package.json')) as {
      homepage: string
      repository: { url: string }
      bugs: string
    }
    const home = homepage.replace(/#.*$/, '')
    expect([repository.url, bugs]).toEqual([`git+${home}.git`, `${home}/issues`])
  })

  test('every document is in the index, and the README fits two screens', () => {
    const index = new Set(linksIn('docs/README.md').map((link) => link.split('#')[0]))
    const documents = [...packed].filter((path) => /^docs\/[\w-]+\.md$/.test(path) && path !== 'docs/README.md')
    expect(documents.filter((path) => !index.has(path.slice('docs/'.length)))).toEqual([])
    expect(read('README.md').split('\n').length).toBeLessThanOrEqual(120)
  })
})

/** As GitHub and npm make them. */
function anchorsIn(file: string): Set<string> {
  if (!existsSync(join(ROOT, file))) return new Set()
  const headings = [...read(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading)
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(/\s/g, '-'),
    ),
  )
}
