#!/bin/sh
# The command runs what is built.
set -eu
cd ../..
[ -f dist/cli/main.js ] || npm run build
