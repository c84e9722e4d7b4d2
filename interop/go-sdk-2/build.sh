#!/bin/sh
# Exactly the modules of go.sum. BUILD is where the programs go.
set -eu
go build -mod=readonly -o "$BUILD/agent" .
go build -mod=readonly -o "$BUILD/client" ./client
go build -mod=readonly -o "$BUILD/harness" ./harness
