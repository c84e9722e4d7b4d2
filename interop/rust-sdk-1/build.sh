#!/bin/sh
# Exactly the crates of Cargo.lock. BUILD is where the program goes.
set -eu
cargo build --release --locked --quiet --target-dir "$BUILD/target"
cp "$BUILD/target/release/agent" "$BUILD/agent"
