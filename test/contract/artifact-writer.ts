// A process that saves versions into a folder and kills itself after a given step of a given save. Prints each
// version once it is acknowledged. Arguments: folder, step, number of the save.

import { writeSync } from 'node:fs'
import { openFileArtifactStore } from '../../src/artifacts/file-store.ts'

const [, , directory = '', dieAt = '', onSave = ''] = process.argv
let saves = 0
const store = await openFileArtifactStore({
  directory,
  afterStep(step) {
    if (step === dieAt && saves === Number(onSave)) process.kill(process.pid, 'SIGKILL')
  },
})
for (;;) {
  saves++
  const saved = await store.save(
    { app: 'app', user: 'ann', session: 's1', name: 'log.txt' },
    { bytes: Buffer.alloc(100_000 + saves, saves) },
  )
  writeSync(1, `${saved.version}\n`)
}
