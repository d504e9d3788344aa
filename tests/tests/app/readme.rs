//! The table "How to" of the README: each row compiles with the prelude and the imports that the row names.

#![allow(dead_code, reason = "compiled, not run")]
#![allow(clippy::redundant_closure, reason = "as in the README")]

use std::fs::File;
use std::path::Path;
use std::thread;

use ecs_core::data::{Loader, Rollback, RollbackFrame, Undo, write_file};
use ecs_core::index::{Index, Spatial, SpatialGrid};
use ecs_core::inner;
use ecs_core::net::{Network, UdpTransport};
use ecs_core::prelude::*;
use ecs_core::record::Recorder;
use ecs_core::relation::Up;
use ecs_core::schedule::SchedulePlan;
use ecs_core::shard::Shards;
use ecs_core::snapshot::{Snapshot, Snapshotter};
use ecs_core::statics::world;
use ecs_core::task::{Abandoned, Tasks};
use ecs_core::tree::ChildOf;
use ecs_core::world::hooks::{DeferredWorld, Trigger};

type Done = Result<(), Box<dyn std::error::Error>>;

#[derive(Component, Default)]
struct Position(f32);
#[derive(Component, Default)]
struct Velocity(f32);
#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;
#[derive(Component)]
struct Tank;
#[derive(Component)]
struct Turret;
#[derive(Component)]
struct Engine;
#[derive(Component)]
struct Spark;
#[derive(Component)]
#[component(track)]
struct Health;
#[derive(Component)]
#[component(track, on_add = hook)]
struct Watched;
#[derive(Relation)]
#[relation(tree)]
struct Below;
#[derive(Component)]
struct Drawn;
#[derive(Component)]
#[component(track)]
struct Place(f32);
#[derive(Component, Clone, PartialEq, Eq, Hash)]
#[component(track)]
enum Team {
    Red,
}
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Screen {
    Menu,
    Game,
}
struct Hit {
    target: Entity,
    damage: u32,
}
#[derive(Default)]
struct Input;

impl Spatial<2> for Place {
    const CELL: f32 = 10.0;

    fn place(&self) -> [f32; 2] {
        [self.0, 0.0]
    }
}

#[system(for_each)]
fn fall(pos: &mut Position, vel: &Velocity) {
    pos.0 += vel.0;
}

#[system]
fn who_is_near(place: f32, places: Query<&Place>) -> Vec<f32> {
    places.iter().map(|p| p.0 - place).collect()
}

#[system]
fn warn(limit: f32, wind: Res<f32>) -> bool {
    *wind > limit
}

#[system]
fn spawns(mut commands: Commands) {
    commands.spawn(Spark);
}

#[system]
fn sends(mut hits: EventWriter<Hit>, target: Single<Entity>) {
    let (target, damage) = (*target, 1);
    hits.send(Hit { target, damage });
}

#[system]
fn works(mut tasks: ResMut<Tasks>) {
    thread::spawn(tasks.work(search, arrived));
}

fn search() -> Vec<u32> {
    Vec::new()
}

fn arrived(_: &mut World, _: Result<Vec<u32>, Abandoned>) {}
fn hook(_: DeferredWorld<'_>, _: Entity) {}
fn changes(_: Query<&Health, Changed<Health>>) {}
fn filtered(_: Query<(&mut Position, Option<&Velocity>), Without<Frozen>>) {}
#[system]
fn parents(_: Query<(&mut Drawn, Up<ChildOf, &Place>)>) {}

#[system]
fn indexed(teams: Index<Team>, grid: SpatialGrid<Place, 2>) {
    let place = [0.0, 0.0];
    _ = teams.get(&Team::Red);
    _ = grid.within(place, 10.0);
}

fn on_hit(_: Trigger<Hit>) {}
#[system]
fn input() {}
#[system]
fn walk() {}
#[system]
fn draw() {}
#[system]
fn gravity() {}
#[system]
fn movement() {}
#[system]
fn load() {}
#[system]
fn visible() -> bool {
    true
}

schedule! { static FRAME = [input, draw.after(input)] }

fn worlds(world: &mut World, id: Entity) -> Done {
    world.spawn((Position(0.0), Velocity(4.0)));
    _ = world.get_mut::<Position>(id);
    let place = 0.0;
    let names = who_is_near(place, &world);
    assert!(names.is_empty());
    let wind = 3.0;
    assert!(inner(&warn)(2.0, Res::from(&wind)));
    world.spawn((Tank, children![Turret, Engine]));
    Ok(())
}

fn views(mut pos: CompMut<Position>, vel: Comp<Velocity>) {
    (&mut pos, &vel).for_each(|(p, v)| p.0 += v.0);
    (&mut pos, &vel).par_for_each(|(p, v)| p.0 += v.0);
}

fn shards(shards: &mut Shards) {
    #[derive(Clone, serde::Serialize, serde::Deserialize)]
    struct Hit;
    shards.systems(walk).deliver::<Hit>();
}

fn schedules(world: &mut World, plan: &SchedulePlan) {
    world.observe(on_hit);
    let mut frame = Schedule::new();
    frame.add((input, walk.after(input), draw.run_if(visible)));
    _ = plan.why(gravity, movement);
}

fn apps(app: &mut App) {
    fn physics(_: &mut App) {}
    app.add_plugin(physics);
    app.add_state(Screen::Menu).on_enter(Screen::Game, load);
}

fn fixed(app: &mut App) {
    #[system]
    fn physics() {}
    app.add_systems(FixedUpdate, physics);
}

fn saves(mut world: World, path: &Path, tank: Entity) -> Done {
    write_file(path, |out| world.save().to_writer(out))?;
    let file = File::open(path)?;
    Loader::new().load_into(&mut world, file)?;
    world.clone_tree::<ChildOf>(tank)?;
    Ok(())
}

fn returns(
    mut world: World,
    snapshotter: &Snapshotter,
    mut before: Snapshot,
    undo: &mut Undo,
) -> Done {
    snapshotter.restore(&mut world, &mut before)?;
    undo.undo(&mut world)?;
    Ok(())
}

fn records(app: &mut App) {
    app.add_plugin(Recorder::new("match.rec"));
}

fn plays(mut world: World, mut sim: Schedule, rollback: &mut Rollback<u8>) -> Done {
    let apply = |_: &mut World, _: &RollbackFrame<'_, u8>| {};
    rollback.advance(&mut world, &mut sim, apply)?;
    Ok(())
}

fn serves(app: &mut App, network: fn() -> Network, udp: UdpTransport) {
    app.add_plugin(network().server(udp));
}

mod closed {
    use super::{Input, Position, Velocity, world};

    world! { Game { Input, Velocity, Position } }
}

/// Removes all differences that formatting makes.
fn plain(code: &str) -> String {
    let code: String = code.split_whitespace().collect();
    code.replace(",)", ")").replace(",}", "}")
}

#[test]
fn each_row_of_the_readme_compiles() {
    let (_, readme) = include_str!("../../../README.md")
        .split_once("## How to")
        .unwrap();
    let rows = readme
        .lines()
        .skip_while(|line| !line.starts_with("|---"))
        .skip(1);
    let source = plain(include_str!("readme.rs"));
    let mut count = 0;
    for row in rows.take_while(|line| line.starts_with('|')) {
        let row = row.replace("\\|", "\0");
        let code = row.split('|').nth(2).unwrap().replace('\0', "|");
        for code in code.trim().trim_matches('`').split("`, `") {
            let code = plain(code.trim_end_matches("{..}"));
            // Of a manifest, not a program.
            if !code.starts_with("default-features") {
                assert!(source.contains(&code), "no code of this file is `{code}`");
            }
        }
        count += 1;
    }
    assert!(count > 30);
}
