#!/usr/bin/env bash
# The library where there is no operating system: on this machine, on a microcontroller, and in WebAssembly.
#
# Where rustup has not installed a target, Debian's compiler builds its standard library (see cargo-for). Without either, targets
# are reported as skipped, which is not a failure.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never CARGO_TARGET_DIR="$PWD/target/no_std"

game() { cargo "$1" --manifest-path tests/no_std/Cargo.toml "${@:2}"; }

# The unit tests of the engine that neither catch a panic nor start a thread: there is neither in WebAssembly.
wasm_tests=(
    bits:: borrow:: bundle:: bytes:: command:: entity::free_set entity::ids join::tick_tests meta:: query:: resource::map
    schedule::plan schedule::tests::conditions schedule::tests::order schedule::tests::plan schedule::tests::waits
    schedule::tests::why sort:: storage::links storage::presence storage::sparse_array storage::table_set
    system:: tick:: type_name:: world::guard_tests world::shrink
)

echo "targets: this machine, without the standard library"
case $(uname -s) in
    Linux) game run ;;
    *) echo "targets: this machine: skipped: the program is for the C library of Linux" ;;
esac
# The module for WebAssembly, which is only compiled here.
game clippy --lib --example wasm -- -D warnings

# Runs cargo for a target, unless there is no compiler for it.
other() {
    local target=$1 code=0
    shift
    tests/cargo-for "$target" "$@" || code=$?
    [ $code != 3 ] || return 1
    [ $code = 0 ] || exit $code
}
# Without the standard library, as the program for this machine.
game_for() { other "$1" "$2" --manifest-path tests/no_std/Cargo.toml "${@:3}"; }

# On a board without an operating system, which is emulated.
if CARGO_TARGET_THUMBV7EM_NONE_EABI_RUSTFLAGS="-Clink-arg=-T$PWD/tests/no_std/thumb.ld" \
    game_for thumbv7em-none-eabi build --example thumb; then
    if command -v qemu-system-arm >/dev/null; then
        timeout 60 qemu-system-arm -M mps2-an386 -nographic -semihosting-config enable=on,target=native \
            -kernel "$CARGO_TARGET_DIR/thumbv7em-none-eabi/debug/examples/thumb" 2>&1 | sed 's/^/targets: thumbv7em-none-eabi: /'
    else
        echo "targets: thumbv7em-none-eabi: not run: no qemu-system-arm"
    fi
fi

if game_for wasm32-unknown-unknown build --example wasm; then
    # With the clock of a browser, and with threads.
    other wasm32-unknown-unknown check -p ecs-core --all-features
    # With a clock of the host's, or none.
    other wasm32-unknown-unknown check -p ecs-core --no-default-features --features app,macros,std
    if command -v node >/dev/null; then
        node -e '
            const bytes = require("fs").readFileSync(process.argv[1]);
            WebAssembly.instantiate(bytes).then(({ instance }) => {
                if (instance.exports.play_game() !== 1) throw new Error("the game has another result");
                console.log("targets: wasm32-unknown-unknown: the game ran under node");
            }).catch((error) => { console.error(error); process.exit(1); });
        ' "$CARGO_TARGET_DIR/wasm32-unknown-unknown/debug/examples/wasm.wasm"
    else
        echo "targets: wasm32-unknown-unknown: not run: no node"
    fi
fi

if command -v node >/dev/null; then
    CARGO_TARGET_WASM32_WASIP1_RUNNER="node --no-warnings $PWD/tests/wasi.mjs" \
        other wasm32-wasip1 test -p ecs-engine --no-default-features --features std --lib -- "${wasm_tests[@]}" || true
else
    echo "targets: wasm32-wasip1: not run: no node"
fi
