#!/bin/sh
# The SDK is a development dependency of this package, at the version its lock file names.
set -eu
cd ../..
[ -d node_modules/a2a-js-sdk-0-3 ] || npm ci
