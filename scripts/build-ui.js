// Builds the pages of ui/ into dist/ui/: one script and one style sheet each. The report is put into one file by the
// command line, the inspector is served by it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = `${root}dist/ui`

for (const [at, page] of ['report', 'fleet', 'inspector'].entries())
  await build({
    root: `${root}ui`,
    configFile: false,
    logLevel: 'warn',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: out,
      emptyOutDir: at === 0,
      target: 'es2023',
      cssCodeSplit: false,
      modulePreload: false,
      rolldownOptions: {
        input: `${root}ui/${page}/main.tsx`,
        output: { entryFileNames: `${page}.js`, assetFileNames: `${page}[extname]`, format: 'es' },
      },
    },
  })

// The licences of what is bundled travel with it.
mkdirSync(out, { recursive: true })
const bundled = ['preact', '@preact/signals', '@preact/signals-core']
const licences = bundled.map((name) => `${name}\n\n${readFileSync(`${root}node_modules/${name}/LICENSE`, 'utf8')}`)
writeFileSync(`${out}/licenses.txt`, licences.join('\n---\n\n'))
