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
failed=0
cargo run --quiet --release -p ecs-benches --bin ir_guard || failed=1

# A game that is recorded: a recorder that hashes after each system may add a fifth to a turn.
cargo build --quiet --release -p ecs-examples --example roguelike
recordings=$(mktemp -d)
trap 'rm -r "$recordings"' EXIT
# Instructions of so many turns.
count() {
    turns=$1
    shift
    valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/examples/roguelike --headless --seed 7 --frames "$turns" "$@" \
        2>&1 >/dev/null | sed -n 's/.*Collected : //p'
}
# Instructions of a turn, without the start and the end of the program.
turn() { echo $((($(count 240 "$@") - $(count 40 "$@")) / 200)); }
# Prints what a recorder with these options adds to a turn, and fails if that is more than so many percent.
recorded() {
    most=$1
    shift
    with=$(turn --record "$recordings/game.rec" "$@")
    tenths=$(((with - off) * 1000 / off))
    over=''
    [ "$tenths" -le "$((most * 10))" ] || over='  OVER' failed=1
    echo "roguelike: $with instructions a turn with \`$*\`, $((tenths / 10)).$((tenths % 10)) % more than $off, of $most %$over"
}
off=$(turn)
recorded 3 --hash-every 0
recorded 20 --hash-every 0 --each-step
recorded 25 --hash-every 1
exit "$failed"
