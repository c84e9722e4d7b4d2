// `import 'a2a-parley'` costs next to nothing: what the root offers is loaded when it is called.

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { connect, mock, serve, textOf } from '../../src/index.ts'

const ROOT = join(import.meta.dirname, '../..')

test('loads the model and nothing else', async () => {
  const program = `
    import { registerHooks } from 'node:module'
    const loaded = []
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) })
    await import(${JSON.stringify(join(ROOT, 'src/index.ts'))})
    console.log(JSON.stringify(loaded))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
  const files = (JSON.parse(stdout) as string[]).map((url) => url.split('/src/')[1] ?? url)
  expect(files.filter((file) => !/^(index\.ts$|model\/|base\/)/.test(file))).toEqual([])
  expect(files).toContain('index.ts')
})

test('serves, mocks and connects', async () => {
  const message = { messageId: 'm', role: 'ROLE_USER' as const, parts: [{ text: 'hello' }] }
  const card = {
    ...{ name: 'Echo', description: 'Says it again.', version: '1', capabilities: {} },
    ...{ defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] },
    skills: [{ id: 'echo', name: 'Echo', description: 'Says it again.', tags: ['test'] }],
  }
  await using running = await serve({ card, agent: (said) => `You said: ${textOf(said)}` })
  await using scripted = await mock({ scriptText: 'rules: [{ turns: [[{ message: "Hi." }]] }]' })
  using own = await connect(running.url)
  using other = await connect(scripted.url)
  const answers = [await own.sendMessage({ message }), await other.sendMessage({ message })]
  const texts = answers.map((answer) =>
    textOf('message' in answer ? answer.message : (answer.task.status.message ?? message)),
  )
  expect(texts).toEqual(['You said: hello', 'Hi.'])
})
