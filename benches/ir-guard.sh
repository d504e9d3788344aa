#!/bin/sh
# Counts the instructions of the hot loops and fails when one exceeds its budget (see benches/src/bin/ir_guard.rs).
#
# Without valgrind it passes with a warning, unless IR_GUARD_REQUIRED is set. Set it on a server that should have valgrind.
set -eu
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null 2>&1; then
    echo "==================================================" >&2
    echo "ir-guard: skipped: no valgrind; NOTHING WAS CHECKED" >&2
    echo "==================================================" >&2
    [ -z "${IR_GUARD_REQUIRED:-}" ]
    exit
fi

# The budgets hold for the baseline target: flags such as `-C target-cpu=native` would change every count.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
exec cargo run --quiet --release -p ecs-benches --bin ir_guard
