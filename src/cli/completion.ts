// `parley completion`: a script for a shell. The scripts know nothing about Parley; they ask it (complete.ts) at every TAB.

import { Argument, Command } from 'commander'
import { type CliIo, processIo } from './cli-io.ts'

const BASH = `_parley() {
  local line files=0 current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1
    elif [[ -n "$line" ]]; then COMPREPLY+=("\${line%%$'\\t'*}")
    fi
  done < <("\${COMP_WORDS[0]}" __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $files -eq 1 ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
  fi
  if [[ \${#COMPREPLY[@]} -eq 1 && "\${COMPREPLY[0]}" == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
# Names such as @staging are one word.
COMP_WORDBREAKS=\${COMP_WORDBREAKS//@/}
complete -F _parley parley a2a-parley
`

const ZSH = `#compdef parley a2a-parley
_parley() {
  local line files=0
  local -a found
  while IFS= read -r line; do
    if [[ "$line" == ":files" ]]; then files=1
    elif [[ -n "$line" ]]; then
      local value="\${line%%$'\\t'*}" meaning="\${line#*$'\\t'}"
      [[ "$meaning" == "$value" ]] && meaning=""
      found+=("\${value//:/\\\\:}\${meaning:+:$meaning}")
    fi
  done < <("\${words[1]}" __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  (( \${#found} )) && _describe -V parley found
  (( files )) && _files
  return 0
}
compdef _parley parley a2a-parley
`

const FISH = `function __parley_candidates
  set -l words (commandline -opc)
  set -l current (commandline -ct | string collect --allow-empty)
  for line in ($words[1] __complete $words[2..-1] "$current" 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path "$current"
    else
      echo -- $line
    end
  end
end
complete -c parley -f -a '(__parley_candidates)'
complete -c a2a-parley -f -a '(__parley_candidates)'
`

// An empty argument does not survive every PowerShell, so the word being typed is sent behind a dot.
const POWERSHELL = `Register-ArgumentCompleter -Native -CommandName parley, a2a-parley -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements | Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if ($wordToComplete -ne '' -and $words.Count -gt 0) { $words = @($words | Select-Object -SkipLast 1) }
  & $commandAst.CommandElements[0].Extent.Text __complete --dotted @words ".$wordToComplete" 2>$null | ForEach-Object {
    if ($_ -eq ':files') {
      Get-ChildItem -Path "$wordToComplete*" | ForEach-Object {
        [System.Management.Automation.CompletionResult]::new((Resolve-Path -Relative $_), $_.Name, 'ProviderItem', $_.Name)
      }
    } elseif ($_ -ne '') {
      $value, $meaning = $_ -split "\`t", 2
      if (-not $meaning) { $meaning = $value }
      [System.Management.Automation.CompletionResult]::new($value, $value, 'ParameterValue', $meaning)
    }
  }
}
`

const SCRIPTS = { bash: BASH, zsh: ZSH, fish: FISH, powershell: POWERSHELL } as const

export type Shell = keyof typeof SCRIPTS
export const SHELLS = Object.keys(SCRIPTS) as readonly Shell[]

const EXAMPLES = `Examples:
  source <(parley completion bash)                                            in ~/.bashrc
  source <(parley completion zsh)                                             in ~/.zshrc, after compinit
  parley completion fish > ~/.config/fish/completions/parley.fish
  parley completion powershell | Out-String | Invoke-Expression               in $PROFILE
`

export function completionCommand(io: CliIo = processIo): Command {
  return new Command('completion')
    .description('Print a completion script for your shell: commands, flags, values, files, checks, agents.')
    .addArgument(new Argument('<shell>', 'your shell').choices(SHELLS))
    .addHelpText('before', EXAMPLES)
    .action((shell: Shell) => io.out(SCRIPTS[shell]))
}
