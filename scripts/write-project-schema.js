// Writes the schema of the project file from the flags of the commands. It is no part of the repository, because
// every changed word of a flag's help would change it; the package has it.
import { writeFileSync } from 'node:fs'
import { loadAll } from '../src/cli/commands.ts'
import { projectSchema } from '../src/cli/project-schema.ts'

const file = new URL('../schemas/project-file.schema.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(projectSchema(await loadAll()), null, 2)}\n`)
