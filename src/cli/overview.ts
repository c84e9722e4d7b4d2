// What Parley can do, in one screen: the line for whoever has an agent, a client, or neither; then every command.

import { homepage } from '../base/package-version.ts'
import type { Summaries } from './commands.ts'
import { ownCommand } from './invocation.ts'

export function overview(commands: Summaries): string {
  const command = ownCommand()
  const width = Math.max(...Object.keys(commands).map((name) => name.length))
  const rows = Object.entries(commands).map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`)
  return `Parley, the interoperability lab for A2A agents: certify, serve, mock and proxy.

You have an agent    ${command} http://localhost:3000
You have a client    ${command} serve
You have neither     ${command} demo

Usage: parley <command> [options]

${rows.join('\n')}

Example:
  parley ui localhost:9999                      talk to any agent in a browser

parley help <command> shows the options of a command, parley help exit-codes the exit codes.
Documentation: ${homepage()}
`
}
