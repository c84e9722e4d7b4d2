// `parley __complete`, which the completion scripts call: the words typed so far, the last one unfinished. It never fails: a
// TAB that finds nothing is silent.

import { existsSync, readFileSync } from 'node:fs'
import { COMMANDS, summaries } from './commands.ts'
import { complete, printed } from './complete.ts'
import { addConfigurationOptions } from './configuration.ts'
import { TOPICS } from './help-topics.ts'
import { PROFILES_KEY } from './profiles.ts'

const PROJECT_FILE = 'parley.config.yaml'

export async function answerCompletion(given: readonly string[]): Promise<string> {
  // Some shells cannot hand over an empty word, so they put a dot before the last one.
  const words = given[0] === '--dotted' ? [...given.slice(1, -1), (given.at(-1) ?? '.').slice(1)] : given
  try {
    const found = await complete(words, {
      summaries: summaries(),
      load: async (name) => {
        const command = (await COMMANDS[name]?.load())?.()
        if (command !== undefined) addConfigurationOptions(command)
        return command
      },
      topics: Object.keys(TOPICS),
      profiles: await profileNames(),
    })
    return printed(found)
  } catch {
    return ''
  }
}

async function profileNames(): Promise<string[]> {
  if (!existsSync(PROJECT_FILE)) return []
  const { YamlSource } = await import('../yaml/source.ts')
  const source = new YamlSource(PROJECT_FILE, readFileSync(PROJECT_FILE, 'utf8'))
  const profiles = source.members(source.root).find(({ key }) => key === PROFILES_KEY)
  return profiles === undefined ? [] : source.members(profiles.value).map(({ key }) => key)
}
