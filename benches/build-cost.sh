#!/bin/sh
# Measures a clean debug build of each library alone: wall time, processor time, number of crates, and lines of their sources,
# macros included.
#
# Builds a crate that depends on the library and nothing else into an empty target directory. Downloads happen before the
# clock starts. Run it on an idle machine; it takes some minutes.
#
#     benches/build-cost.sh                 # all
#     benches/build-cost.sh hecs ecs-core   # some
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Name, then the dependency in the form of Cargo.toml, with default features, the way `cargo add` writes it.
libraries="ecs-core|{ path = \"$root/ecs-core\" }
bevy_ecs|\"0.20\"
flecs_ecs|\"0.2\"
freecs|\"5\"
gecs|\"0.3\"
hecs|\"0.11\"
legion|\"0.4\"
shipyard|\"0.11\"
sparsey|\"0.13\"
specs|\"0.20\""

printf '%-10s %8s %8s %7s %8s\n' library wall/s cpu/s crates lines
echo "$libraries" | while IFS='|' read -r name dependency; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    crate="$work/$name"
    mkdir -p "$crate/src"
    : >"$crate/src/lib.rs"
    printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[dependencies]\n%s = %s\n' \
        "$name" "$dependency" >"$crate/Cargo.toml"
    (
        cd "$crate"
        unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
        # Cargo builds path dependencies incrementally, but not registry dependencies.
        export CARGO_INCREMENTAL=0
        export CARGO_TARGET_DIR="$crate/target"
        cargo fetch --quiet
        crates=$(cargo tree --prefix none --edges normal,build --no-dedupe | sed 's/ (\*)$//' | sort -u | wc -l)
        start=$(date +%s.%N)
        # `times` of a shell that has only waited for cargo is the processor time of the build.
        cpu=$(sh -c 'cargo build --quiet --offline >&2; times' | tail -n 1 |
            awk '{ total = 0; for (i = 1; i <= 2; i++) { split($i, t, /[ms]/); total += t[1] * 60 + t[2] } print total }')
        end=$(date +%s.%N)
        lines=$(sed -n 's/^\(.*\.rs\):$/\1/p' target/debug/deps/*.d | sort -u | xargs cat | wc -l)
        # Without the probe itself.
        echo "$name $start $end $cpu $((crates - 1)) $lines" |
            awk '{ printf "%-10s %8.1f %8.1f %7d %8d\n", $1, $3 - $2, $4, $5, $6 }'
    )
done
