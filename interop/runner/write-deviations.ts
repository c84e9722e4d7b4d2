// `npm run interop:document`: writes docs/known-deviations.md from the rulings.

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CORPUS, readCorpus } from './corpus.ts'
import { renderDeviations } from './deviations.ts'

await writeFile(join(CORPUS, '..', 'docs', 'known-deviations.md'), renderDeviations(await readCorpus()))
