// Bundles what users start or import into dist/ (or the folder given): one file per entry of package.json and one for the
// command, beside the chunks they share. A process then opens a few files instead of hundreds; docs/decisions has figures.
// Nothing is minified, so that a stack names readable lines; dependencies stay outside, to be updated by npm. The tables of
// requirements/ go there as JSON, which is read in a hundredth of the time.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { parse } from 'yaml'

const root = fileURLToPath(new URL('..', import.meta.url))
const { exports, dependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))

const entries = Object.values(exports).flatMap((entry) => entry.default ?? [])
const names = [...entries.map((file) => file.replace(/^\.\/dist\/|\.js$/g, '')), 'cli/main']
const packages = Object.keys({ ...dependencies, ...peerDependencies })

const dist = process.argv[2] ?? `${root}dist`

const bundle = await rolldown({
  input: Object.fromEntries(names.map((name) => [name, `${root}src/${name}.ts`])),
  platform: 'node',
  external: (id) => id.startsWith('node:') || packages.some((name) => id === name || id.startsWith(`${name}/`)),
})
await bundle.write({
  dir: dist,
  format: 'es',
  entryFileNames: '[name].js',
  chunkFileNames: 'chunks/[name]-[hash].js',
})
await bundle.close()

mkdirSync(`${dist}/requirements`, { recursive: true })
for (const file of readdirSync(`${root}requirements`)) {
  const table = parse(readFileSync(`${root}requirements/${file}`, 'utf8'))
  writeFileSync(`${dist}/requirements/${file.replace(/\.yaml$/, '.json')}`, JSON.stringify(table))
}
