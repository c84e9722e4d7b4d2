// Asks two tools of tools/ about the package as it would be published: are the entries there, and do their types resolve?
// CommonJS is not offered, so only what imports modules counts.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const tools = join(root, 'tools/node_modules/.bin')

if (!existsSync(join(tools, 'publint'))) {
  console.error('SKIPPED: the package was not checked, because tools/ is not installed: npm install --prefix tools')
} else {
  const folder = mkdtempSync(join(tmpdir(), 'parley-pack-'))
  const say = (command, args) => execFileSync(command, args, { cwd: root, stdio: 'inherit' })
  try {
    execFileSync('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: root })
    const tarball = join(folder, readdirSync(folder)[0] ?? '')
    say(join(tools, 'publint'), ['run', tarball, '--strict'])
    say(join(tools, 'attw'), [tarball, '--profile', 'esm-only', '--format', 'table-flipped'])
  } finally {
    rmSync(folder, { recursive: true })
  }
}
