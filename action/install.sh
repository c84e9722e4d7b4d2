#!/usr/bin/env bash
# Installs Parley for the steps that follow: from this very checkout of the action, so that a tag needs nothing published, or
# from npm when a version is asked for. Anything that goes wrong here is ours, not the agent's.
set -euo pipefail
: "${GITHUB_ACTION_PATH:?}" "${RUNNER_TEMP:?}" "${GITHUB_OUTPUT:?}"
place="$RUNNER_TEMP/parley"
mkdir -p "$place"

if [ -n "${INPUT_VERSION:-}" ]; then
  what="a2a-parley@$INPUT_VERSION"
else
  cd "$GITHUB_ACTION_PATH"
  [ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund
  npm run build
  tarball=$(npm pack --ignore-scripts --silent --pack-destination "$place")
  what="$place/$tarball"
fi

cd "$place"
[ -f package.json ] || echo '{"private":true}' > package.json
npm install --omit=peer --no-audit --no-fund --no-save "$what"
echo "bin=$place/node_modules/.bin/parley" >> "$GITHUB_OUTPUT"
