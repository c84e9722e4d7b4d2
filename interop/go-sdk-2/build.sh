#!/bin/sh
# Exactly the modules of go.sum. BUILD is where the program goes.
set -eu
go build -mod=readonly -o "$BUILD/agent" .
