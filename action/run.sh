#!/usr/bin/env bash
# Runs `parley test` with the inputs of the action and tells the workflow what came of it. Inputs are environment variables,
# never text of this script: what they contain is not run.
set -uo pipefail
: "${PARLEY_BIN:?}" "${INPUT_AGENT:?}" "${INPUT_DIRECTORY:?}" "${GITHUB_OUTPUT:?}" "${GITHUB_STEP_SUMMARY:?}"

report="$INPUT_DIRECTORY/report.json"
mkdir -p "$INPUT_DIRECTORY"
rm -f "$report"
flags=(--format "json:$report" --format "junit:$INPUT_DIRECTORY/report.xml" --format "markdown:$INPUT_DIRECTORY/report.md" --format "html:$INPUT_DIRECTORY/report.html")
# Notes on the workflow run, on stdout.
flags+=(--format github)
[ -z "${INPUT_SECOND:-}" ] || flags+=(--second "$INPUT_SECOND")
[ -z "${INPUT_BASELINE:-}" ] || flags+=(--baseline "$INPUT_BASELINE")
[ -z "${INPUT_BEHAVIORS:-}" ] || flags+=(--behaviors "$INPUT_BEHAVIORS")
# An empty token is not a token.
[ -z "${INPUT_BEARER:-}" ] || export PARLEY_BEARER="$INPUT_BEARER"
[ -z "${INPUT_BEARER_B:-}" ] || export PARLEY_BEARER_B="$INPUT_BEARER_B"
[ -z "${INPUT_SECOND_BEARER:-}" ] || export PARLEY_SECOND_BEARER="$INPUT_SECOND_BEARER"
more=()
# xargs knows quotes and runs nothing but printf.
if [ -n "${INPUT_ARGS:-}" ]; then
  words=$(xargs -n1 printf '%s\n' <<< "$INPUT_ARGS") || { echo "::error::The input args has a quote that is not closed."; words='--unclosed-quote'; }
  mapfile -t more <<< "$words"
fi

code=0
"$PARLEY_BIN" test "$INPUT_AGENT" "${flags[@]}" ${more[@]+"${more[@]}"} || code=$?
case "$code" in
  0) verdict=pass ;;
  1 | 11 | 12) verdict=fail ;;
  3 | 4 | 5 | 10) verdict=inconclusive ;;
  *) verdict=error ;;
esac

level=unknown
if [ -f "$report" ]; then
  level=$(node -p 'JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8")).conformanceLevel' "$report")
else
  report=''
  # An agent that was judged always leaves a report.
  [ "$verdict" != fail ] || verdict=error
fi
{
  echo "verdict=$verdict"
  echo "level=$level"
  echo "exit-code=$code"
  echo "report=$report"
} >> "$GITHUB_OUTPUT"
[ ! -f "$INPUT_DIRECTORY/report.md" ] || cat "$INPUT_DIRECTORY/report.md" >> "$GITHUB_STEP_SUMMARY"

case "$verdict" in
  pass) exit 0 ;;
  error)
    echo "::error::Parley could not run (exit code $code); this says nothing about the agent."
    exit "$([ "$code" -eq 0 ] && echo 70 || echo "$code")"
    ;;
  inconclusive) echo "::warning::The agent could not be judged to the end (exit code $code)." ;;
  fail) echo "::error::The agent breaks the protocol: level $level." ;;
esac
[ "${INPUT_FAIL:-true}" = false ] || exit "$code"
