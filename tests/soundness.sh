#!/usr/bin/env bash
# Finds errors that tests with a stable compiler cannot detect: undefined behaviour, leaks, data races, and unexpected inputs.
#
#   tests/soundness.sh                        all steps, 95 minutes at most
#   tests/soundness.sh miri asan tsan fuzz    selected steps
#   tests/soundness.sh quick                  a short form of the first two, 18 minutes at most
#   tests/soundness.sh fuzz world 600         one fuzz target, for so many seconds
#
# It needs a nightly compiler with the components miri and rust-src, and `cargo install cargo-fuzz` for the last step. Without
# these, the sanitizers run with Debian's second compiler and clang's half of them, if these packages are installed:
# `cargo-web rust-web-src clang-19 libclang-rt-19-dev llvm-19`. Steps with missing tools are reported as skipped, which is not
# a failure.
set -uo pipefail
cd "$(dirname "$0")/.."
# With the lines that the tools' reports name.
export CARGO_TERM_COLOR=never CARGO_PROFILE_DEV_DEBUG=line-tables-only

# The tests to run, by modules of the engine and of the programs below tests/tests, so that new tests in them are included.

# The unit tests of the engine that Miri skips: they take minutes and use no unsafe code, or they use a thread pool, which
# casts integers to pointers.
miri_skip=(
    join::distribute
    meta::
    schedule::execute::threading
    schedule::plan::graph
    schedule::tests::parallel
    schedule::tests::records
    system::tick_tests
)
# The unit tests of `data` about its unsafe code.
miri_data=(codec::tests::panics codec::tests::forms)
miri_tests=(by_name snapshots snapshots_of_writes dynamic_components dynamic_data dynamic_queries dynamic_systems erased plain_map row_order hooks_model relations_model tracking_model groups immediate immediate_hooks limits swapped_worlds panics command_runs registered_systems despawn_batch borrowed_params negated_filters fluent_entities)

# The tests of `quick`.
quick_engine=(storage:: world:: join::)
quick_tests=(plain_map snapshots immediate immediate_hooks limits swapped_worlds)

# All tests except the ones about compiler messages.
asan_tests=()
for file in tests/tests/*.rs tests/tests/*/main.rs; do
    file=${file#tests/tests/} file=${file%/main.rs} file=${file%.rs}
    case $file in ui*) ;; *) asan_tests+=("--test=$file") ;; esac
done

# Tests with several threads.
tsan_engine=(borrow:: entity:: event:: join::distribute join::parallel log:: schedule::execute schedule::tests sync::)
tsan_tests=(parallel_model parallel_schedule parallel_iteration system_par_for_each non_send)
tsan_cases=20

fuzz_targets=(world load snapshots app_snapshots recordings rows differences packets datagrams http rpc inspector text_query schedule pictures manifest macros)
fuzz_seconds=40

host=$(rustc -vV | sed -n 's/^host: //p')
built=$PWD/target/soundness
logs=$built/logs
summary=()
failed=0

# Runs a command with the remaining time of the step as its limit.
within() {
    local left=$((deadline - SECONDS))
    timeout --kill-after=10 "$((left > 0 ? left : 1))" "$@"
}

step() { # name, minutes, command..
    local name=$1 start=$SECONDS outcome=passed
    deadline=$((SECONDS + $2 * 60))
    printf '\n== %s\n' "$name"
    if ! "${@:3}"; then
        outcome=FAILED
        [ "$SECONDS" -lt "$deadline" ] || outcome="FAILED, not done after $2 minutes"
        failed=1
    fi
    summary+=("$name: $outcome, $((SECONDS - start)) s")
}

skip() { # name, why
    printf '\n== %s\nskipped: %s\n' "$1" "$2"
    summary+=("$1: SKIPPED, $2")
}

nightly() {
    within cargo +nightly "$@"
}

# The programs with these modules, as arguments of `cargo test`. A module that is missing is an error there.
programs_of() {
    local module path
    for module in "$@"; do
        path=$(printf '%s\n' tests/tests/*/"$module".rs tests/tests/*/"$module"/mod.rs | grep -v '[*]')
        path=${path:-$module} path=${path#tests/tests/}
        printf -- '--test=%s\n' "${path%%/*}"
    done | sort -u
}

# Only the tests of these modules, as arguments of `cargo test`.
tests_of() {
    programs_of "$@"
    printf '%s\n' -- "${@/%/::}"
}

# Runs Miri with one model of borrows. It uses one thread per process, so both models run at the same time on two cores.
miri_under() { # stacked or tree
    export MIRIFLAGS=-Zmiri-strict-provenance
    [ "$1" = stacked ] || MIRIFLAGS+=" -Zmiri-tree-borrows"
    nightly miri test -p ecs-engine --lib -- "${engine[@]}" && nightly miri test -p ecs-data --lib -- "${miri_data[@]}" &&
        nightly miri test -p ecs-tests $(tests_of "${tests[@]}")
}

miri() {
    nightly miri test -p ecs-engine -p ecs-data --lib --no-run && nightly miri test -p ecs-tests $(programs_of "${tests[@]}") --no-run || return
    local model ok=0
    miri_under stacked >"$logs/stacked" 2>&1 &
    local stacked=$!
    miri_under tree >"$logs/tree" 2>&1 &
    local tree=$!
    for model in stacked tree; do
        if wait "${!model}"; then
            sed -n "s/^test result/$model borrows/p" "$logs/$model"
        else
            tail -n 100 "$logs/$model"
            ok=1
        fi
    done
    return $ok
}

full_miri() {
    engine=("${miri_skip[@]/#/--skip=}")
    tests=("${miri_tests[@]}")
    miri
}

quick_miri() {
    engine=("${quick_engine[@]}")
    tests=("${quick_tests[@]}")
    miri
}

# `cargo test` with a sanitizer, by the nightly compiler if it has what is needed, or else by Debian's second one.
sanitized() { # what the nightly compiler needs, the sanitizer, arguments of `cargo test`
    export RUSTFLAGS=-Zsanitizer=$2 CARGO_TARGET_DIR=$built/$2
    if [ -z "$(missing "$1")" ]; then
        nightly test --target "$host" "${@:3}"
    else
        local symbolizer=${clang/clang/llvm-symbolizer}
        export ASAN_SYMBOLIZER_PATH=$symbolizer TSAN_OPTIONS=external_symbolizer_path=$symbolizer
        export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
        RUSTFLAGS+=" -Zexternal-clangrt -Clinker=$clang -Clink-arg=-fsanitize=$2"
        within /usr/bin/cargo test --target "$host" "${@:3}"
    fi
}

asan() ( # which of the tests from outside, as arguments of `cargo test`
    # Leaked on purpose: metadata that lives as long as the program, and a value that may not be dropped on another thread.
    printf 'leak:%s\n' held_borrows_tests all_that_asks_whether conflicts:: another_thread_leaks >"$built/leaks"
    export LSAN_OPTIONS=suppressions=$built/leaks ECS_WORLDS=all PROPTEST_CASES=256
    sanitized nightly address -p ecs-engine -p ecs-data --lib && sanitized nightly address -p ecs-tests "$@"
)

# Builds the standard library with the sanitizer, too: otherwise it would not see the synchronization of its locks.
tsan() (
    export ECS_WORLDS=$tsan_cases PROPTEST_CASES=$tsan_cases
    sanitized rust-src thread -Zbuild-std -p ecs-engine --lib -- "${tsan_engine[@]}" &&
        sanitized rust-src thread -Zbuild-std -p ecs-tests $(tests_of "${tsan_tests[@]}")
)

# New inputs are stored in tests/fuzz/corpus, which is not committed; tests/fuzz/seeds contains the committed ones.
fuzz() { # seconds, targets..
    local seconds=$1 target
    for target in "${@:2}"; do
        mkdir -p "tests/fuzz/corpus/$target"
        nightly fuzz run --fuzz-dir tests/fuzz --target-dir "$built/fuzz" "$target" \
            "tests/fuzz/corpus/$target" "tests/fuzz/seeds/$target" -- \
            -max_total_time="$seconds" -timeout=30 -max_len=1000 -len_control=20 -verbosity=0 -print_final_stats=1 || return
    done
}

has() {
    "$@" >/dev/null 2>&1
}

# The newest clang that comes with its half of the sanitizers.
clang=
for found in /usr/bin/clang-[0-9]*; do
    case $("$found" -print-file-name="libclang_rt.tsan-$(uname -m).a" 2>/dev/null) in /*) clang=$found ;; esac
done

# Prints the missing tools, and how to install them.
missing() { # what is needed
    case $1 in
    nightly) has rustc +nightly -V || echo "no nightly compiler (rustup toolchain install nightly)" ;;
    second)
        { [ -n "$clang" ] && [ -x /usr/bin/cargo ] && [ -e /usr/lib/rustlib/src/rust/library ]; } ||
            echo "no compiler with sanitizers (a nightly one, or apt-get install cargo-web rust-web-src clang-19 libclang-rt-19-dev llvm-19)"
        ;;
    miri) has cargo +nightly miri -V || echo "no Miri (rustup +nightly component add miri)" ;;
    rust-src)
        has ls "$(rustc +nightly --print sysroot)/lib/rustlib/src/rust/library" ||
            echo "no source of the standard library (rustup +nightly component add rust-src)"
        ;;
    cargo-fuzz) has cargo fuzz -V || echo "no cargo-fuzz (cargo install cargo-fuzz --locked)" ;;
    esac
}

# Runs a step, or skips it if a tool that it needs is missing.
choose() { # name, minutes, what it needs with `/` before another choice, command..
    local need why
    for need in $3; do
        why=$(missing "${need%/*}")
        [ -z "$why" ] || why=$(missing "${need#*/}")
        if [ -n "$why" ]; then
            skip "$1" "$why"
            return
        fi
    done
    step "$1" "$2" "${@:4}"
}

one() { # name of a step
    case $1 in
    miri) choose miri 20 "nightly miri rust-src" full_miri ;;
    asan) choose asan 20 nightly/second asan "${asan_tests[@]}" ;;
    tsan) choose tsan 40 rust-src/second tsan ;;
    fuzz) choose fuzz 8 "nightly cargo-fuzz" fuzz "$fuzz_seconds" "${fuzz_targets[@]}" ;;
    *)
        sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
        exit 2
        ;;
    esac
}

mkdir -p "$logs"
case ${1-} in
"")
    for name in miri asan tsan fuzz; do
        one "$name"
    done
    ;;
quick)
    choose "miri, short" 6 "nightly miri rust-src" quick_miri
    choose "asan, short" 12 nightly asan $(tests_of "${quick_tests[@]}")
    skip tsan "only in the full run"
    skip fuzz "only in the full run"
    ;;
fuzz)
    if [ $# -gt 1 ]; then
        seconds=${3-60}
        choose "fuzz $2" $((seconds / 60 + 10)) "nightly cargo-fuzz" fuzz "$seconds" "$2"
    else
        one fuzz
    fi
    ;;
*)
    for name in "$@"; do
        one "$name"
    done
    ;;
esac

printf '\n== summary\n'
printf '%s\n' "${summary[@]}"
exit "$failed"
