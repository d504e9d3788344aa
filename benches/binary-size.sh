#!/bin/sh
# Measures what a small program takes with each library: the seconds of the first `cargo run`, the size of its binary, and the memory
# of an empty world and of an empty app, where the library has one.
#
# The program is `hello` of our examples: two components, one system, one schedule. `cargo run` has an empty target directory, and
# downloads happen before. The binary is built by `cargo build --release` with default features, and its symbols are removed. Run it
# on an idle machine.
#
#     benches/binary-size.sh                 # all
#     benches/binary-size.sh hecs ecs-core   # some
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# All programs share this.
shared='
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

static HELD: AtomicUsize = AtomicUsize::new(0);
struct Counted;
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(block, layout) }
    }
}
#[global_allocator]
static COUNTED: Counted = Counted;

/// Returns the bytes of a value, and of all that it has allocated.
fn held<T>(make: impl FnOnce() -> T) -> usize {
    let before = HELD.load(Relaxed);
    let value = make();
    let bytes = HELD.load(Relaxed) - before + size_of::<T>();
    drop(value);
    bytes
}
'

# `plain` is the hand-written program: the size that Rust itself takes.
program() {
    case $1 in
    plain) cat <<'RUST' ;;
#[derive(Debug)]
struct Position(f32);
struct Velocity(f32);
fn main() {
    let (mut bird, velocity, tree) = (Position(0.0), Velocity(1.5), Position(4.0));
    for _ in 0..10 {
        bird.0 += velocity.0;
    }
    println!("bird: {bird:?}\ntree: {tree:?}");
    eprintln!("{} -", held(Vec::<Position>::new));
}
RUST
    ecs-core) cat <<'RUST' ;;
use ecs_core::prelude::*;
#[derive(Component, Debug)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[system(for_each)]
fn movement(position: &mut Position, velocity: &Velocity) {
    position.0 += velocity.0;
}
fn main() {
    let mut world = World::new();
    let bird = world.spawn((Position(0.0), Velocity(1.5)));
    let tree = world.spawn(Position(4.0));
    let mut frame = Schedule::new();
    frame.add(movement);
    for _ in 0..10 {
        frame.run(&mut world).expect("no system fails");
    }
    println!("bird: {:?}", world.get::<Position>(bird));
    println!("tree: {:?}", world.get::<Position>(tree));
    #[cfg(not(feature = "app"))]
    eprintln!("{} -", held(World::new));
    #[cfg(feature = "app")]
    eprintln!("{} {}", held(World::new), held(App::new));
}
RUST
    bevy_ecs) cat <<'RUST' ;;
use bevy_ecs::prelude::*;
#[derive(Component, Debug)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
fn movement(mut all: Query<(&mut Position, &Velocity)>) {
    for (mut position, velocity) in &mut all {
        position.0 += velocity.0;
    }
}
fn main() {
    let mut world = World::new();
    let bird = world.spawn((Position(0.0), Velocity(1.5))).id();
    let tree = world.spawn(Position(4.0)).id();
    let mut frame = Schedule::default();
    frame.add_systems(movement);
    for _ in 0..10 {
        frame.run(&mut world);
    }
    println!("bird: {:?}", world.get::<Position>(bird));
    println!("tree: {:?}", world.get::<Position>(tree));
    eprintln!("{} -", held(World::new));
}
RUST
    hecs) cat <<'RUST' ;;
use hecs::World;
#[derive(Debug)]
struct Position(f32);
struct Velocity(f32);
fn movement(world: &mut World) {
    for (position, velocity) in world.query_mut::<(&mut Position, &Velocity)>() {
        position.0 += velocity.0;
    }
}
fn main() {
    let mut world = World::new();
    let bird = world.spawn((Position(0.0), Velocity(1.5)));
    let tree = world.spawn((Position(4.0),));
    for _ in 0..10 {
        movement(&mut world);
    }
    println!("bird: {:?}", world.get::<&Position>(bird).as_deref());
    println!("tree: {:?}", world.get::<&Position>(tree).as_deref());
    eprintln!("{} -", held(World::new));
}
RUST
    esac
}

build() {
    cargo build --quiet --release "$@" && strip -o stripped target/release/probe && ./stripped 2>&1 >/dev/null
}

libraries="plain|
ecs-core|ecs-core = { path = \"$root/ecs-core\" }
bevy_ecs|bevy_ecs = \"0.20\"
hecs|hecs = \"0.11\""

printf '%-10s %8s %8s %12s %10s\n' library 'run/s' KiB 'world/bytes' 'app/bytes'
echo "$libraries" | while IFS='|' read -r name dependency; do
    case " ${*:-$name} " in *" $name "*) ;; *) continue ;; esac
    crate="$work/$name"
    mkdir -p "$crate/src"
    printf '[package]\nname = "probe"\nversion = "0.0.0"\nedition = "2024"\n\n[workspace]\n\n[features]\napp = []\n\n[dependencies]\n%s\n' \
        "$dependency" >"$crate/Cargo.toml"
    { echo "$shared"; program "$name"; } >"$crate/src/main.rs"
    (
        cd "$crate"
        unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
        export CARGO_TARGET_DIR="$crate/target"
        cargo fetch --quiet
        start=$(date +%s.%N)
        # Cargo builds path dependencies incrementally, which takes longer, but not those of a registry.
        CARGO_INCREMENTAL=0 cargo run --quiet --offline >/dev/null 2>&1
        end=$(date +%s.%N)
        memory=$(build)
        size=$(wc -c <stripped)
        # The size is that of a program without an app.
        if [ "$name" = ecs-core ]; then
            memory=$(build --features app)
        fi
        echo "$name $start $end $size $memory" |
            awk '{ printf "%-10s %8.1f %8d %12s %10s\n", $1, $3 - $2, $4 / 1024, $5, $6 }'
    )
done
