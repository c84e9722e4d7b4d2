// The run as one JSON document, for registries, dashboards and the next run. See src/run/json-documents.ts.

import { documentOf } from '../run/json-documents.ts'
import { jsonText } from '../trace/json-text.ts'
import { documentFormat } from './reporter.ts'

export const json = documentFormat('json', 'one JSON document', (run) => `${jsonText(documentOf(run), 2)}\n`)
