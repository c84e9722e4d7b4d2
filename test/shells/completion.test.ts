// Completion in the shells themselves: what a person sees after TAB. Shells that are not installed are skipped loudly.

import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHELLS } from '../../src/cli/completion.ts'
import { parleyFolder } from '../support/parley-command.ts'
import { runParley } from '../support/parley-process.ts'

const run = promisify(execFile)
let folder: string

/** What is typed, the last word being unfinished; what has to be offered; what must not be. */
const CASES: readonly { typed: string[]; offered: string[]; not?: string[] }[] = [
  { typed: ['mo'], offered: ['mock'] },
  { typed: ['mock', 'scr'], offered: ['script.yaml'] },
  { typed: ['mock', '--str'], offered: ['--strict'] },
  { typed: ['fleet', 'run', 'scr'], offered: ['script.yaml'] },
  { typed: ['test', '--conf'], offered: ['--config'] },
  { typed: ['test', '--config', 'scr'], offered: ['script.yaml'] },
  { typed: ['send', '@st'], offered: ['@staging'] },
  { typed: ['send', 'x', '-o', 'j'], offered: ['json'], not: ['--json'] },
  { typed: ['test', 'x', '--only', 'get-task-unk'], offered: ['get-task-unknown'] },
  { typed: ['explain', 'error-ha'], offered: ['error-handling'] },
  { typed: ['explain', 'client-sse-bo'], offered: ['client-sse-bom'] },
  { typed: ['grade', '--only', 'client-counts'], offered: ['client-counts-events'] },
  { typed: ['grade', '--serve', 'stream-bo'], offered: ['stream-bom'] },
  { typed: ['push', 'dead'], offered: ['dead-letters'] },
  { typed: ['completion', 'z'], offered: ['zsh'], not: ['script.yaml'] },
  { typed: ['help', 'exit'], offered: ['exit-codes'] },
]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-shells-'))
  writeFileSync(join(folder, 'script.yaml'), 'rules: []\n')
  writeFileSync(join(folder, 'parley.config.yaml'), 'profiles: { staging: { agent: "localhost:1" } }\n')
}, 120_000)
afterAll(async () => {
  rmSync(folder, { recursive: true })
})

function isInstalled(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Between the answers. */
const NEXT = '-- next --'

/** What stands before the words: in each shell one session loads the script and is asked for all lines. */
const DRIVERS: { readonly [shell: string]: readonly string[] } = {
  bash: [
    '--noprofile',
    '--norc',
    '-c',
    `source <(parley completion bash)
     for line; do
       read -ra words <<< "$line"
       COMP_WORDS=(parley "\${words[@]}"); COMP_CWORD=\${#words[@]}; COMPREPLY=()
       _parley
       printf '%s\\n' "\${COMPREPLY[@]}" '${NEXT}'
     done`,
    'bash',
  ],
  // The real completion system of zsh, in a terminal of its own: TAB, then what it printed.
  zsh: [
    '-f',
    '-c',
    `zmodload zsh/zpty
     zpty shell zsh -f -i
     line() { zpty -w shell "$1" }
     line 'PS1=READY; unsetopt beep; autoload -U compinit && compinit -u -D; zstyle ":completion:*" list-prompt ""; LISTMAX=1000'
     line 'source <(parley completion zsh)'
     line 'bindkey "^I" expand-or-complete; print LOADED'
     local out chunk seen
     # What is typed before the prompt is there would be echoed by the terminal, TAB and all.
     prompted() {
       out=''
       for i in {1..600}; do
         while zpty -rt shell chunk; do out+=$chunk; done
         [[ $out == *$'\\n'$1*READY* ]] && break
         sleep 0.05
       done
     }
     prompted LOADED
     for words; do
       seen=''
       zpty -n -w shell "parley $words"$'\\t'
       for i in {1..300}; do
         while zpty -rt shell chunk; do seen+=$chunk; done
         [[ $seen == *"parley $words"?* ]] && break
         sleep 0.05
       done
       print -r -- "$seen"
       print -r -- '${NEXT}'
       zpty -n -w shell $'\\x15'
       line 'print CLEARED'
       prompted CLEARED
     done
     zpty -d shell`,
    'zsh',
  ],
  fish: [
    '--no-config',
    '-c',
    `parley completion fish | source
     for line in $argv
       complete -C "parley $line"
       echo -- '${NEXT}'
     end`,
  ],
  pwsh: [
    '-NoProfile',
    '-NonInteractive',
    '-Command',
    `& {
       parley completion powershell | Out-String | Invoke-Expression
       foreach ($words in $args) {
         $line = "parley $words"
         (TabExpansion2 -inputScript $line -cursorColumn $line.Length).CompletionMatches | ForEach-Object CompletionText
         '${NEXT}'
       }
     }`,
  ],
}

/** What the shell offers for each line. */
async function offers(shell: string, lines: readonly string[]): Promise<string[]> {
  const env = { ...process.env, PATH: `${parleyFolder()}:${process.env.PATH}`, HOME: folder, TERM: 'dumb' }
  const { stdout } = await run(shell, [...(DRIVERS[shell] ?? []), ...lines], { cwd: folder, env })
  return stdout.split(NEXT).slice(0, -1)
}

describe.each(Object.keys(DRIVERS))('%s', (shell) => {
  const isThere = isInstalled(shell)
  if (!isThere) process.stderr.write(`SKIPPED: ${shell} is not installed, its completion is not driven.\n`)
  test.skipIf(!isThere)(
    'completes commands, flags, values, files, checks and agents',
    { timeout: 60_000 },
    async () => {
      const answers = await offers(
        shell,
        CASES.map(({ typed }) => typed.join(' ')),
      )
      expect(answers).toHaveLength(CASES.length)
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
