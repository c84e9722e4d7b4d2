// `parley init`: a small agent project (examples/my-agent) in a folder, ready to run. Nothing that is there is replaced.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { Command } from 'commander'
import { packageFile } from '../base/package-file.ts'
import { packageVersion } from '../base/package-version.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { shellWord } from '../trace/shell-word.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { usage } from './flag-values.ts'

const TEMPLATE = packageFile('examples/my-agent/')
const COPIED = ['agent.ts', 'agent.test.ts', 'tsconfig.json']
const PORT = 3000

export function initCommand(io: CliIo = processIo): Command {
  return new Command('init')
    .description('Write a small agent project: one agent, one test, TypeScript. Files that are there are not replaced.')
    .argument('[dir]', 'the folder of the project; made when it is not there', '.')
    .addHelpText('before', 'Examples:\n  parley init my-agent\n')
    .action((folder: string) => init(folder, io))
}

function init(folder: string, io: CliIo): void {
  const files = filesFor(basename(resolve(folder)))
  const taken = Object.keys(files).filter((name) => existsSync(join(folder, name)))
  if (taken.length > 0) {
    const isOne = taken.length === 1
    throw usage(
      `${taken.map((name) => join(folder, name)).join(', ')} ${isOne ? 'is' : 'are'} there already; ` +
        'nothing was written. Name a folder without them.',
    )
  }
  try {
    makeFolder(resolve(folder))
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' })
  } catch (cause) {
    throw usage(`The project cannot be written to ${folder}: ${whyUnwritable(cause)}.`)
  }
  for (const name of Object.keys(files)) io.out(`${join(folder, name)}\n`)
  const there = relative('', folder)
  io.err(`
Next:
${there === '' ? '' : `  cd ${shellWord(there)}\n`}  npm install
  npm test
  npm run dev

and in another terminal, in the same folder:
  npx a2a-parley send localhost:${PORT} "Ada"
  npm run certify
`)
}

/** Not `recursive`: where nothing can be made, such as below /proc, Node would try for ever. */
function makeFolder(path: string): void {
  if (existsSync(path)) return
  makeFolder(dirname(path))
  mkdirSync(path)
}

function filesFor(name: string): Record<string, string> {
  const manifest = {
    name: packageName(name),
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: {
      start: `parley serve agent.ts --port ${PORT}`,
      dev: `parley serve agent.ts --port ${PORT} --watch`,
      test: 'node --test',
      check: 'tsc',
      certify: `parley test localhost:${PORT}`,
    },
    dependencies: { 'a2a-parley': `^${packageVersion()}` },
    devDependencies: { '@types/node': '^24.0.0', typescript: '>=5.9.0' },
  }
  const copied = COPIED.map((file) => [file, readFileSync(new URL(file, TEMPLATE), 'utf8')])
  return {
    ...Object.fromEntries(copied),
    'package.json': `${JSON.stringify(manifest, null, 2)}\n`,
    '.gitignore': 'node_modules/\nparley-report.*\n',
  }
}

/** npm allows less than file systems do. */
function packageName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name.slice(0, 100) || 'my-agent'
}

function whyUnwritable(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : ''
  if (code === 'EEXIST' || code === 'ENOTDIR') return 'a file is in the place of a folder'
  if (code === 'EACCES' || code === 'EPERM') return 'you may not write there'
  return whyUnreadable(cause)
}
