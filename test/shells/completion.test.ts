// Completion in the shells themselves: what a person sees after TAB. Shells that are not installed are skipped loudly.

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHELLS } from '../../src/cli/completion.ts'
import { type BuiltParley, buildParley } from '../support/built-parley.ts'
import { runParley } from '../support/parley-process.ts'

const run = promisify(execFile)
let folder: string
let built: BuiltParley

/** What is typed, the last word being unfinished; what has to be offered; what must not be. */
const CASES: readonly { typed: string[]; offered: string[]; not?: string[] }[] = [
  { typed: ['mo'], offered: ['mock'] },
  { typed: ['mock', 'scr'], offered: ['script.yaml'] },
  { typed: ['mock', '--str'], offered: ['--strict'] },
  { typed: ['send', '@st'], offered: ['@staging'] },
  { typed: ['send', 'x', '-o', 'j'], offered: ['json'], not: ['--json'] },
  { typed: ['test', 'x', '--only', 'get-task-unk'], offered: ['get-task-unknown'] },
  { typed: ['explain', 'error-h'], offered: ['error-handling'] },
  { typed: ['push', 'dead'], offered: ['dead-letters'] },
  { typed: ['completion', 'z'], offered: ['zsh'], not: ['script.yaml'] },
  { typed: ['help', 'exit'], offered: ['exit-codes'] },
]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-shells-'))
  built = await buildParley()
  writeFileSync(join(folder, 'script.yaml'), 'rules: []\n')
  writeFileSync(join(folder, 'parley.config.yaml'), 'profiles: { staging: { agent: "localhost:1" } }\n')
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true })
  await built.remove()
})

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function inShell(shell: string, args: readonly string[]): Promise<string> {
  const env = { ...process.env, PATH: `${built.folder}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' }
  return (await run(shell, [...args], { cwd: folder, env })).stdout
}

/** For each shell, the lines it offers for these words. */
const ASK: { readonly [shell: string]: (words: readonly string[]) => Promise<string> } = {
  bash: (words) =>
    inShell('bash', [
      '--noprofile',
      '--norc',
      '-c',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a variable of bash.
      'source <(parley completion bash); COMP_WORDS=(parley "$@"); COMP_CWORD=$#; _parley; printf "%s\\n" "${COMPREPLY[@]}"',
      'bash',
      ...words,
    ]),
  // The real completion system of zsh, in a terminal of its own: TAB, then what it printed.
  zsh: (words) => inShell('zsh', ['-f', '-c', ZSH_DRIVER, 'zsh', words.join(' ')]),
  fish: (words) =>
    inShell('fish', [
      '--no-config',
      '-c',
      'parley completion fish | source; complete -C "$argv"',
      ['parley', ...words].join(' '),
    ]),
}

const ZSH_DRIVER = `
zmodload zsh/zpty
zpty shell zsh -f -i
line() { zpty -w shell "$1" }
line 'PS1=READY; unsetopt beep; autoload -U compinit && compinit -u -D; zstyle ":completion:*" list-prompt ""; LISTMAX=1000'
line 'source <(parley completion zsh)'
line 'bindkey "^I" expand-or-complete; print LOADED'
local out chunk
while zpty -r shell chunk '*LOADED*'; do out+=$chunk; [[ $out == *$'\\n'LOADED* ]] && break; done
zpty -n -w shell "parley $1"$'\\t'
sleep 0.1
zpty -n -w shell $'\\x18?'
local seen=''
for i in {1..100}; do
  while zpty -rt shell chunk; do seen+=$chunk; done
  [[ $seen == *"parley $1"?* ]] && break
  sleep 0.1
done
sleep 0.2
while zpty -rt shell chunk; do seen+=$chunk; done
print -r -- "$seen"
zpty -d shell
`

describe.each(Object.keys(ASK))('%s', (shell) => {
  const isThere = isInstalled(shell)
  if (!isThere) process.stderr.write(`SKIPPED: ${shell} is not installed, its completion is not driven.\n`)
  test.skipIf(!isThere)(
    'completes commands, flags, values, files, checks and agents',
    { timeout: 60_000 },
    async () => {
      const answers = await Promise.all(CASES.map(async ({ typed }) => (await ASK[shell]?.(typed)) ?? ''))
      for (const [at, { typed, offered, not = [] }] of CASES.entries()) {
        for (const word of offered) expect(answers[at], typed.join(' ')).toContain(word)
        for (const word of not) expect(answers[at], typed.join(' ')).not.toContain(word)
      }
    },
  )
})

test('every shell has a script, and the candidates carry descriptions', async () => {
  for (const shell of SHELLS) expect((await runParley(['completion', shell])).stdout).toContain('__complete')
  const { stdout } = await runParley(['__complete', 'ser'])
  expect(stdout).toMatch(/^serve\t\S/m)
  expect((await runParley(['__complete', '--dotted', 'help', '.exi'])).stdout).toContain('exit-codes')
})
