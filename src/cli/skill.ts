// `parley skill`: the skills for coding agents that come with the package, put where such tools look for them.

import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Argument, Command } from 'commander'
import { packageFile } from '../base/package-file.ts'
import { whyUnreadable } from '../base/why-unreadable.ts'
import { type CliIo, processIo } from './cli-io.ts'
import { usage } from './flag-values.ts'

const SKILLS = fileURLToPath(packageFile('skills/'))
const DEFAULT_FOLDER = join('.claude', 'skills')

export function skillCommand(io: CliIo = processIo): Command {
  const command = new Command('skill')
    .description('List the skills for coding agents, or install them into a folder.')
    .addArgument(new Argument('<action>', 'what to do').choices(['list', 'install']))
    .argument('[dir]', `install: the folder of skills; ${DEFAULT_FOLDER} unless given`)
    .option('--overwrite', 'install: replace skills that are there')
    .addHelpText('before', `Examples:\n  parley skill install\n  parley skill install ~/.claude/skills\n`)
    .action((action: 'list' | 'install', folder: string | undefined) => {
      if (action === 'list') for (const skill of skillsIn(SKILLS)) io.out(`${skill.name}  ${skill.description}\n`)
      else install(folder ?? DEFAULT_FOLDER, command.opts<{ overwrite?: boolean }>().overwrite === true, io)
    })
  return command
}

function install(folder: string, mayReplace: boolean, io: CliIo): void {
  for (const { name } of skillsIn(SKILLS)) {
    const target = join(folder, name)
    if (existsSync(target) && !mayReplace) {
      io.err(`${target} is there already and was left as it is; --overwrite replaces it.\n`)
      continue
    }
    try {
      cpSync(join(SKILLS, name), target, { recursive: true })
    } catch (cause) {
      throw usage(`The skill ${name} cannot be written to ${target}: ${whyUnreadable(cause)}.`)
    }
    io.out(`${join(target, 'SKILL.md')}\n`)
  }
}

function skillsIn(folder: string): { name: string; description: string }[] {
  return readdirSync(folder).map((name) => {
    const text = readFileSync(join(folder, name, 'SKILL.md'), 'utf8')
    return { name, description: /^description: (.*)$/m.exec(text)?.[1] ?? '' }
  })
}
