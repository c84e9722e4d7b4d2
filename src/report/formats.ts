// Every report format there is. Adding one is a file beside this one and a row here.

import { acts } from './acts.ts'
import { agent } from './agent.ts'
import { badge } from './badge.ts'
import { github } from './github.ts'
import { html } from './html.ts'
import { json } from './json.ts'
import { junit } from './junit.ts'
import { markdown } from './markdown.ts'
import type { ReportFormat } from './reporter.ts'
import { runRecord } from './run-record.ts'
import { sarif } from './sarif.ts'
import { terminal } from './terminal.ts'

export const FORMATS: readonly ReportFormat[] = [
  terminal,
  json,
  markdown,
  junit,
  html,
  acts,
  badge,
  github,
  sarif,
  agent,
  runRecord,
]
