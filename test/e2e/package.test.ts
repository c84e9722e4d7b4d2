// The package as published: packed from a fresh build, installed into an empty folder by the GitHub Action's own script, and used
// from there, so that a file missing from the tarball or a dependency missing from package.json cannot hide behind the repository.

import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'

const REPOSITORY = join(import.meta.dirname, '../..')
const run = promisify(execFile)

let folder: string
/** Where the action installed it. */
let installed: string
let tarball: string
let manifest: { version: string }

const QUIET = ['--ignore-scripts', '--no-audit', '--no-fund', '--silent']

/** The Node that runs the tests comes first, as it would on a machine that has only that one. */
const env = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  NO_COLOR: '1',
  npm_config_update_notifier: 'false',
  npm_config_prefer_offline: 'true',
}

/** What a checkout of the repository has, without what is only for those who develop it. */
async function checkOut(to: string): Promise<void> {
  const listing = ['ls-files', '--cached', '--others', '--exclude-standard']
  const files = (await run('git', listing, { cwd: REPOSITORY })).stdout.trim().split('\n')
  const needed = files.filter((file) => !/^(?:test|interop|bench)\//.test(file) && existsSync(join(REPOSITORY, file)))
  await Promise.all(needed.map((file) => cp(join(REPOSITORY, file), join(to, file))))
  await symlink(join(REPOSITORY, 'node_modules'), join(to, 'node_modules'))
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-package-'))
  const checkout = join(folder, 'checkout')
  manifest = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'))
  await checkOut(checkout)
  const output = join(folder, 'output')
  const step = { GITHUB_ACTION_PATH: checkout, RUNNER_TEMP: folder, GITHUB_OUTPUT: output, INPUT_VERSION: '' }
  await run('bash', [join(checkout, 'action/install.sh')], { env: { ...env, ...step } })
  const [, bin = ''] = /^bin=(.*)$/m.exec(await readFile(output, 'utf8')) ?? []
  installed = join(dirname(bin), '../..')
  tarball = join(installed, `a2a-parley-${manifest.version}.tgz`)
}, 240_000)

afterAll(() => rm(folder, { recursive: true, force: true }))

function parley(...args: string[]) {
  return run(join(installed, 'node_modules/.bin/parley'), args, { cwd: installed, env })
}

test('tells its version', async () => {
  expect((await parley('--version')).stdout.trim()).toBe(manifest.version)
})

test('serves and sends', async () => {
  await serving(installed, ['exec', '--', 'parley', 'serve', '--port', '0', '-o', 'json'], async (url) => {
    expect((await parley('send', `${url}/echo`, 'hello')).stdout).toContain('Echo: hello')
    const { stdout } = await parley('send', `${url}/spec`, 'task-lifecycle one', '-o', 'json')
    expect(stdout).toContain('TASK_STATE_COMPLETED')
  })
})

async function serving(cwd: string, npm: readonly string[], use: (url: string) => Promise<void>): Promise<void> {
  // npm does not pass signals on in every version, so its whole group is stopped.
  const server = spawn('npm', npm, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  try {
    const [line] = (await once(server.stdout, 'data')) as [Buffer]
    await use((JSON.parse(line.toString()) as { url: string }).url)
  } finally {
    const gone = once(server, 'exit')
    process.kill(-(server.pid ?? 0), 'SIGTERM')
    await gone
  }
}

test('init writes a project that passes its own test and parley test', { timeout: 120_000 }, async () => {
  const project = join(installed, 'My Agent')
  const { stdout, stderr } = await parley('init', 'My Agent')
  expect(stdout.split('\n').filter(Boolean)).toEqual(
    ['agent.ts', 'agent.test.ts', 'tsconfig.json', 'package.json', '.gitignore'].map((file) => `My Agent/${file}`),
  )
  expect(stderr).toContain("  cd 'My Agent'\n  npm install\n  npm test\n  npm run dev\n")
  const { name, dependencies } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8')) as {
    name: string
    dependencies: Record<string, string>
  }
  expect({ name, dependencies }).toEqual({ name: 'my-agent', dependencies: { 'a2a-parley': `^${manifest.version}` } })
  await expect(parley('init', 'My Agent')).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr:
      'parley: My Agent/agent.ts, My Agent/agent.test.ts, My Agent/tsconfig.json, My Agent/package.json, ' +
      'My Agent/.gitignore are there already; nothing was written. Name a folder without them.\n',
  })

  // The version it asks for is not published yet at the time of this test.
  const install = ['install', tarball, '--omit=dev', '--omit=peer', ...QUIET]
  await run('npm', install, { cwd: project, env })
  await run('npm', ['test', '--silent'], { cwd: project, env })
  const tsc = join(REPOSITORY, 'node_modules/typescript/bin/tsc')
  const types = ['--typeRoots', join(REPOSITORY, 'node_modules/@types')]
  await run(process.execPath, [tsc, '-p', '.', ...types], { cwd: project, env })
  const start = ['exec', '--', 'parley', 'serve', 'agent.ts', '--port', '0', '-o', 'json']
  await serving(project, start, async (url) => {
    const certify = ['exec', '--', 'parley', 'test', url, '--quick', '--no-report']
    expect((await run('npm', certify, { cwd: project, env })).stdout).toMatch(/ passed, 0 failed/)
  })
})

test.each(['server', 'client', 'judge', 'mock', 'proxy'])(
  'a2a-parley/%s can be imported and has types',
  async (room) => {
    const script = `console.log(Object.keys(await import('a2a-parley/${room}')).length > 0)`
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: installed, env })
    expect(stdout.trim()).toBe('true')
    const types = join(installed, 'node_modules/a2a-parley/dist', room, 'index.d.ts')
    expect(await readFile(types, 'utf8')).toContain('export')
  },
)

test('an older Node is told what is needed, in one sentence', async () => {
  const older = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.17.1' } })"
  const bin = join(installed, 'node_modules/a2a-parley/bin/parley.js')
  const failed = run(process.execPath, ['--import', `data:text/javascript,${older}`, bin, '--version'], { env })
  await expect(failed).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/^parley needs Node 22\.18 or newer, but this is Node 22\.17\.1\. .+\n$/),
  })
})
