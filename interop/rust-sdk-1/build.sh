#!/bin/sh
# Exactly the crates of Cargo.lock. BUILD is where the programs go.
set -eu
cargo build --release --locked --quiet --target-dir "$BUILD/target"
cp "$BUILD/target/release/agent" "$BUILD/agent"
cp "$BUILD/target/release/client" "$BUILD/client"
