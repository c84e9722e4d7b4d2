// The examples in the help of every command use flags, formats and actions that there are.

import { expect, test } from 'vitest'
import { FORMATS } from '../report/formats.ts'
import { COMMANDS } from './commands.ts'
import { addConfigurationOptions } from './configuration.ts'

const names = new Set<string>(FORMATS.map(({ name }) => name))

test.each(Object.keys(COMMANDS).filter((name) => name !== 'help'))('%s', async (name) => {
  const command = (await COMMANDS[name]?.load())?.()
  if (command === undefined) throw new Error(`there is no ${name}`)
  addConfigurationOptions(command)
  let help = ''
  command.configureOutput({
    writeOut: (text) => {
      help += text
    },
  })
  command.outputHelp()
  const examples = [...help.matchAll(/^ {2}(?:.* \| )?parley (\S+)(.*)$/gm)].filter(([, first]) => first === name)
  expect(examples.length, 'examples').toBeGreaterThan(0)
  for (const [line = '', , rest = ''] of examples) {
    const [own = ''] = rest.split(/ -- | {2,}/)
    const words = own.split(' ')
    const flags = words.filter((word) => /^--?[a-z]/i.test(word))
    const known = command.options.flatMap(({ long, short }) => [long, short])
    for (const flag of flags) expect(known, line).toContain(flag.split('=')[0])
    for (const [at, word] of words.entries())
      if (word === '--format') expect(names, line).toContain((words[at + 1] ?? '').split(':')[0])
    const [first] = command.registeredArguments
    if (first?.argChoices !== undefined) expect(first.argChoices, line).toContain(words.find((word) => word !== ''))
  }
})
