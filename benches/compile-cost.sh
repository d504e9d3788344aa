#!/bin/sh
# Measures the compile time of N components and N systems: processor seconds of the user's crate alone.
#
# Generates crates (components only; with functions; with these as systems in a schedule) for ecs-core, for bevy_ecs and
# for plain functions on `Vec`s. Dependencies are built before the clock starts, so that only cargo and one rustc are timed;
# the row `nothing` is their minimum. Each figure is the best of several.
#
#     benches/compile-cost.sh                    # 200 of each, all libraries
#     benches/compile-cost.sh 50 ecs-core        # 50 of each, one library
#     benches/compile-cost.sh 200 ecs-core-app   # the systems in plugins of ten, in an app
#     benches/compile-cost.sh 200 ecs-core-data  # components alone: plain, with serde, and as data that worlds save
#     REPEAT=5 KEEP=dir benches/compile-cost.sh  # best of 5; leaves the generated crates in `dir`
#
# Columns: `check` and `dev` from scratch (with incremental compilation on, the default), `check+` and `dev+` after a change of
# the first system's body, `check+len` after a change that makes it longer and so moves the code below, `check+line` after a new
# line at the top, `release`.
# `per (ms)`: milliseconds that a system costs in addition to its function.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
count=200
case ${1:-} in [0-9]*) count=$1 && shift ;; esac
chosen=${*:-ecs-core bevy_ecs plain}
repeat=${REPEAT:-3}
work=${KEEP:-$(mktemp -d)}
[ -n "${KEEP:-}" ] && mkdir -p "$work" || trap 'rm -rf "$work"' EXIT
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_INCREMENTAL CARGO_BUILD_RUSTFLAGS
export CARGO_PROFILE_DEV_DEBUG=true CARGO_TERM_COLOR=never

dependency() {
    case $1 in
        ecs-core | ecs-core-app) echo "ecs-core = { path = \"$root/ecs-core\" }" ;;
        ecs-core-data)
            echo "ecs-core = { path = \"$root/ecs-core\", features = [\"data\"] }"
            echo 'serde = { version = "1", features = ["derive"] }'
            ;;
        # Its smallest set of features, like in the other benchmarks.
        bevy_ecs) echo 'bevy_ecs = { version = "0.20", default-features = false, features = ["std"] }' ;;
    esac
}

# generate LIBRARY STAGE: the source of a crate. Systems write one component and read another; every second one reads a
# resource as well.
generate() {
    awk -v library="$1" -v stage="$2" -v count="$count" '
    function component(n) {
        if (stage == "serde" || stage == "data") {
            print "#[derive(Component, Clone, Debug, Serialize, Deserialize)]"
            if (stage == "data") printf "#[component(data = \"probe.c%d\")]\n", n
        } else if (library != "plain") print "#[derive(Component)]"
        printf "pub struct C%d(pub f32);\n", n
    }
    function resource(n) {
        if (library != "plain") print "#[derive(Resource)]"
        printf "pub struct R%d(pub f32);\n", n
    }
    # `touch` changes the factor.
    function body(n, factor) { return sprintf("a.0 += b.0 * %s * %d.5", factor, n + 1) }
    function system_(n, next_, r) {
        next_ = (n + 1) % count
        factor = (n % 2) ? "r.0" : "2.0"
        if (library == "ecs-core") {
            if (stage == "systems") print "#[system]"
            printf "pub fn s%d(mut a: CompMut<C%d>, b: Comp<C%d>%s) {\n", n, n, next_, (n % 2) ? sprintf(", r: Res<R%d>", r) : ""
            printf "    (&mut a, &b).for_each(|(a, b)| %s);\n}\n", body(n, factor)
        } else if (library == "bevy_ecs") {
            printf "pub fn s%d(mut rows: Query<(&mut C%d, &C%d)>%s) {\n", n, n, next_, (n % 2) ? sprintf(", r: Res<R%d>", r) : ""
            printf "    for (mut a, b) in &mut rows {\n        %s;\n    }\n}\n", body(n, factor)
        } else {
            printf "pub fn s%d(a: &mut [C%d], b: &[C%d]%s) {\n", n, n, next_, (n % 2) ? sprintf(", r: &R%d", r) : ""
            printf "    for (a, b) in a.iter_mut().zip(b) {\n        %s;\n    }\n}\n", body(n, factor)
        }
    }
    BEGIN {
        in_app = library == "ecs-core-app"
        print "#![allow(unused_imports)]"
        if (library == "ecs-core-data") print "use serde::{Deserialize, Serialize};"
        if (in_app || library == "ecs-core-data") library = "ecs-core"
        if (library == "ecs-core") print "use ecs_core::prelude::*;"
        if (library == "bevy_ecs") print "use bevy_ecs::prelude::*;"
        if (stage == "nothing") exit
        for (n = 0; n < 20; n++) resource(n)
        for (n = 0; n < count; n++) component(n)
        if (stage == "components" || stage == "serde" || stage == "data") exit
        for (n = 0; n < count; n++) system_(n, 0, n % 20)
        if (stage == "functions") exit
        if (library == "plain") {
            print "#[derive(Default)]\npub struct World {"
            for (n = 0; n < count; n++) printf "    c%d: Vec<C%d>,\n", n, n
            print "}\npub fn frame(w: &mut World, r: &[f32]) {"
            for (n = 0; n < count; n++)
                printf "    s%d(&mut w.c%d, &w.c%d%s);\n", n, n, (n + 1) % count, (n % 2) ? sprintf(", &R%d(r[%d])", n % 20, n % 20) : ""
            print "}"
        } else if (in_app) {
            for (n = 0; n < count; n++) {
                if (n % 10 == 0) printf "pub fn plugin%d(app: &mut App) {\n    app", n / 10
                printf ".add_systems(Update, s%d)", n
                if (n % 10 == 9 || n == count - 1) print ";\n}"
            }
            print "pub fn app() -> App {\n    let mut app = App::new();"
            for (n = 0; n < count; n += 10) printf "    app.add_plugin(plugin%d);\n", n / 10
            print "    app\n}"
        } else {
            print "pub fn schedule() -> Schedule {\n    let mut schedule = Schedule::default();"
            call = (library == "bevy_ecs") ? "add_systems" : "add"
            for (n = 0; n < count; n++) printf "    schedule.%s(s%d);\n", call, n
            print "    schedule\n}"
        }
    }'
}

# milliseconds COMMAND..: processor time of a command and its children.
milliseconds() {
    sh -c '"$@" >&2; times' sh "$@" | tail -n 1 |
        awk '{ total = 0; for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); total += t[1] * 60 + t[2] } print int(total * 1000) }'
}

# best COMMAND..: the least of `repeat` measurements, each after `prepare`.
best() {
    least=
    turn=0
    while [ "$turn" -lt "$repeat" ]; do
        turn=$((turn + 1))
        prepare
        now=$(milliseconds "$@")
        if [ -z "$least" ] || [ "$now" -lt "$least" ]; then least=$now; fi
    done
    echo "$least"
}

forget() { cargo clean --quiet --offline -p probe "$@"; }

# Changes the body of the first system, differently each time.
touched=0
touch_one() {
    touched=$((touched + 1))
    sed -i "s/b\.0 \* 2\.0[0-9]* \* 1\.5/b.0 * 2.0$$$touched$(date +%N) * 1.5/" src/lib.rs
}

# Makes the body of the first system longer.
lengthen_one() { sed -i "s/b\.0 \* 2\.0[0-9]* \* 1\.5/&0/" src/lib.rs; }

# Adds a line at the top.
add_line() { sed -i '1s/$/\n/' src/lib.rs; }

# measure LIBRARY STAGE: check, dev, check+, check+len, check+line, dev+, release.
measure() {
    generate "$1" "$2" >src/lib.rs
    # It must compile, or the figures are not a measurement.
    cargo check --quiet --offline
    prepare() { forget --profile dev; }
    check=$(best cargo check --quiet --offline)
    dev=$(best cargo build --quiet --offline)
    prepare() { forget --profile release; }
    release=$(best cargo build --quiet --offline --release)
    recheck=- longer=- line=- rebuild=-
    if [ "$2" = systems ] || [ "$2" = functions ]; then
        cargo check --quiet --offline
        cargo build --quiet --offline
        prepare() { touch_one; }
        recheck=$(best cargo check --quiet --offline)
        rebuild=$(best cargo build --quiet --offline)
        cargo check --quiet --offline
        prepare() { lengthen_one; }
        longer=$(best cargo check --quiet --offline)
        prepare() { add_line; }
        line=$(best cargo check --quiet --offline)
    fi
    echo "$check $dev $recheck $longer $line $rebuild $release"
}

row() {
    echo "$@" | awk '{ printf "%-12s %-12s", $1, $2; for (i = 3; i <= NF; i++) printf " %9s", ($i == "-") ? "-" : sprintf("%.2f", $i / 1000); print "" }'
}

echo "$count components, $count systems; processor seconds"
printf '%-12s %-12s %9s %9s %9s %9s %9s %9s %9s\n' library crate check dev check+ check+len check+line dev+ release
for library in $chosen; do
    crate="$work/$library"
    mkdir -p "$crate/src"
    printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n%s\n' \
        "$(dependency "$library")" >"$crate/Cargo.toml"
    (
        cd "$crate"
        export CARGO_TARGET_DIR="$crate/target"
        generate "$library" nothing >src/lib.rs
        cargo fetch --quiet
        # The dependencies are not timed.
        cargo check --quiet --offline
        cargo build --quiet --offline
        cargo build --quiet --offline --release
        stages="nothing components functions systems"
        [ "$library" != ecs-core-data ] || stages="nothing components serde data"
        for stage in $stages; do
            figures=$(measure "$library" "$stage")
            row "$library" "$stage" $figures
            case $stage in
                functions | serde) before=$figures ;;
                systems | data)
                    echo "$before $figures" | awk -v n="$count" -v name="$library" '{
                        printf "%-12s %-12s", name, "per (ms)"
                        for (i = 1; i <= 7; i++)
                            if (i >= 3 && i <= 6) printf " %9s", "-"
                            else printf " %9.1f", ($(i + 7) - $i) / n
                        print ""
                    }'
                    ;;
            esac
        done
    )
done
