// `parley har`: recordings of `parley proxy --record` as HAR for other tools, and HAR files of browsers as recordings.

import { readFile, writeFile } from 'node:fs/promises'
import { Argument, Command } from 'commander'
import { packageVersion } from '../base/package-version.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import type { JsonValue } from '../model/json.ts'
import { fromHar, toHar } from '../trace/har.ts'
import { type IfRecorded, RecordWriter, readRecording } from '../trace/record.ts'
import { Redactor } from '../trace/redact.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { counted, usage } from './flag-values.ts'

interface HarFlags {
  append?: boolean
  overwrite?: boolean
}

export function harCommand(io: CliIo = processIo): Command {
  const command = new Command('har')
    .description('Turn a recording into a HAR file, or a HAR file into a recording. Secrets are left out both ways.')
    .addArgument(new Argument('<action>', 'what to do').choices(['export', 'import']))
    .argument('<from>', 'export: a recording; import: a HAR file')
    .argument('<to>', 'the file to write')
    .option('--append', 'import: continue the recording that is there')
    .option('--overwrite', 'replace the file that is there')
    .addHelpText(
      'before',
      'Examples:\n  parley har export traffic.jsonl traffic.har\n  parley har import browser.har traffic.jsonl\n',
    )
    .action(async (action: 'export' | 'import', from: string, to: string) => {
      const count = await (action === 'export' ? exportHar : importHar)(from, to, command.opts<HarFlags>())
      io.err(`Wrote ${counted(count, 'exchange')} to ${to}.\n`)
    })
  return command
}

async function exportHar(from: string, to: string, { append, overwrite }: HarFlags): Promise<number> {
  if (append === true) throw usage('--append is for import; a HAR file is written whole.')
  const { exchanges } = await readRecording(from)
  try {
    const text = `${JSON.stringify(toHar(exchanges, packageVersion()), null, 2)}\n`
    await writeFile(to, text, { flag: overwrite === true ? 'w' : 'wx', mode: 0o600 })
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST')
      throw usage(`There is a file at ${to} already; it was left as it is.`, 'Replace it with --overwrite.')
    throw usage(`The file ${to} cannot be written: ${whyUnreadable(error)}.`)
  }
  return exchanges.length
}

async function importHar(from: string, to: string, { append, overwrite }: HarFlags): Promise<number> {
  const exchanges = fromHar(await readJson(from), from)
  const ifRecorded: IfRecorded = append === true ? 'append' : overwrite === true ? 'overwrite' : 'refuse'
  const writer = await RecordWriter.create(to, { redactor: new Redactor(), ifRecorded })
  for (const exchange of exchanges) await writer.append(exchange)
  await writer.close()
  return exchanges.length
}

async function readJson(path: string): Promise<JsonValue | undefined> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (cause) {
    throw usage(`The file ${path} cannot be read: ${whyUnreadable(cause)}.`)
  }
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    return undefined
  }
}
