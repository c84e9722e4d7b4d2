// `parley completion`: a script that completes commands and flags, for the three shells people use. It is generated from
// the commands themselves, so it cannot fall behind.

import { Argument, Command } from 'commander'
import { type CliIo, processIo } from './cli-io.ts'

type Shell = 'bash' | 'zsh' | 'fish'

export function completionCommand(loadAll: () => Promise<Command[]>, io: CliIo = processIo): Command {
  return new Command('completion')
    .description('Print a completion script for your shell.')
    .addArgument(new Argument('<shell>', 'your shell').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'before',
      'Examples:\n  source <(parley completion bash)\n  parley completion fish > ~/.config/fish/completions/parley.fish\n',
    )
    .action(async (shell: Shell) => io.out(SCRIPTS[shell](await loadAll())))
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
}

function flagsOf(command: Command): string[] {
  return command.options.flatMap(({ long }) => (long === undefined || long === null ? [] : [long]))
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map((command) => command.name()).join(' ')
  const cases = commands.map((command) => `    ${command.name()}) words="${flagsOf(command).join(' ')}" ;;`)
  return `_parley() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words="${names} --help --version"
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$COMP_CWORD" -eq 1 ]]; then words="${names} --help --version"; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
  if [[ \${#COMPREPLY[@]} -eq 0 ]]; then COMPREPLY=($(compgen -f -- "$word")); fi
}
complete -F _parley parley a2a-parley
`
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => [
    `complete -c parley -n __fish_use_subcommand -a ${command.name()}`,
    ...flagsOf(command).map(
      (flag) => `complete -c parley -n '__fish_seen_subcommand_from ${command.name()}' -l ${flag.slice(2)}`,
    ),
  ])
  return `${lines.join('\n')}\n`
}
