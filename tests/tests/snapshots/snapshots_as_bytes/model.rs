//! A game with a value of each kind, whose steps depend on the world alone. The fuzz target uses it too.

use std::time::Duration;

use ecs_core::Disabled;
use ecs_core::data::ReadSnapshotError;
use ecs_core::prelude::*;
use ecs_core::relation::{Sources, Target, Targets};
use ecs_core::schedule::conditions::{every, resource_changed, run_once};
use ecs_core::schedule::{FrameTime, fixed};
use ecs_core::snapshot::Snapshotter;
use ecs_core::toggle::{Toggle, TurnedOn};
use ecs_core::tree::ChildOf;
use ecs_core::world::Layout;
use ecs_tests::counting::peak_of;
use serde::{Deserialize, Serialize};

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.place")]
pub(super) struct Place(pub i64, pub u8);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.text", track)]
pub(super) struct Text(pub String);

/// Ids in it may be of entities that are gone.
#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.target", track)]
pub(super) struct Aim(pub Option<Entity>, pub Vec<Entity>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.fast", storage = "sparse")]
pub(super) struct Fast(pub u16);

#[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.notes", storage = "sparse", track)]
pub(super) struct Marks(pub Vec<u32>);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.lit", storage = "sparse", immediate)]
pub(super) struct Lit;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.tag")]
pub(super) struct Tag;

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.shield", toggle, track)]
pub(super) struct Shield(pub u32);

#[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[component(data = "bytes.lamp", toggle, storage = "sparse")]
pub(super) struct Lamp(pub u32);

#[derive(Relation, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "bytes.part", tree, sources = "despawn")]
pub(super) struct PartOf(pub u8);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "bytes.orbit")]
pub(super) struct OrbitOf(pub String);

#[derive(Relation, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[relation(data = "bytes.likes", many)]
pub(super) struct Likes(pub String);

/// Everything that systems have noticed.
#[derive(Resource, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "bytes.seen")]
pub(super) struct Seen(pub Vec<String>);

#[derive(Resource, Clone, Default, Debug, PartialEq, Serialize, Deserialize)]
#[resource(data = "bytes.wind")]
pub(super) struct Wind(pub u32);

#[derive(Event, Clone, Debug, PartialEq, Serialize, Deserialize)]
#[event(data = "bytes.hit")]
pub(super) struct Hit(pub u32, pub Option<Entity>);

#[system]
fn count(
    mut seen: ResMut<Seen>,
    mut runs: Local<u64>,
    mut all: Local<Vec<Entity>>,
    e: Query<Entity>,
) {
    *runs += 1;
    all.clear();
    all.extend(&e);
    seen.0.push(format!("run {}", *runs));
}

#[system]
fn last_all(mut seen: ResMut<Seen>, mut last: Local<Vec<Entity>>, e: Query<Entity>) {
    let line = format!("before {:?}", *last);
    seen.0.push(line);
    *last = Vec::from_iter(&e);
}

#[system]
fn windy(mut seen: ResMut<Seen>, wind: Res<Wind>, mut before: Local<Wind>) {
    seen.0.push(format!("wind {} {}", before.0, wind.0));
    *before = wind.clone();
}

#[system]
fn changed(texts: Query<(Entity, &Text), Changed<Text>>, mut seen: ResMut<Seen>) {
    seen.0
        .extend(texts.iter().map(|row| format!("changed {row:?}")));
}

#[system]
fn added(marks: Query<(Entity, &Marks), Added<Marks>>, mut seen: ResMut<Seen>) {
    seen.0
        .extend(marks.iter().map(|row| format!("added {row:?}")));
}

#[system]
fn shielded(
    shields: Query<(Entity, &Shield), (Changed<Shield>, TurnedOn<Shield>)>,
    mut seen: ResMut<Seen>,
) {
    seen.0
        .extend(shields.iter().map(|row| format!("shield {row:?}")));
}

#[system]
fn gone(mut removed: Removed<Text>, mut seen: ResMut<Seen>) {
    seen.0
        .extend(removed.read().map(|entity| format!("gone {entity}")));
}

#[system]
fn unmarked(mut removed: Removed<Marks>, mut seen: ResMut<Seen>) {
    if let Some(entity) = removed.read().next() {
        seen.0.push(format!("unmarked {entity}"));
    }
}

#[system]
fn hits(mut hits: EventReader<Hit>, mut seen: ResMut<Seen>) {
    seen.0.extend(hits.read().map(|hit| format!("{hit:?}")));
}

/// Reads one event of several in a run, so that some are always unread.
#[system]
fn first_hit(mut hits: EventReader<Hit>, mut seen: ResMut<Seen>) {
    let first = hits.read().next().map(|hit| format!("first {hit:?}"));
    seen.0.extend(first);
}

#[system]
pub(super) fn push(mut places: Query<&mut Place, With<Fast>>) {
    places.for_each(|place| place.0 += 1);
}

#[system]
fn light(mut lit: CompMut<Lit>, places: Comp<Place>) {
    for (entity, place) in places.entities().zip(&places) {
        if place.0 % 3 == 0 {
            let _ = lit.insert(entity, Lit);
        } else {
            lit.remove(entity);
        }
    }
}

#[system]
fn born(mut commands: Commands, mut runs: Local<usize>) {
    *runs += 1;
    if runs.is_multiple_of(3) {
        commands.spawn((Place(9, 9), Tag));
    }
}

#[system]
fn note(mut seen: ResMut<Seen>, mut runs: Local<u32>) {
    *runs += 1;
    seen.0.push(format!("note {}", *runs));
}

#[system]
fn once(mut seen: ResMut<Seen>) {
    seen.0.push("once".to_owned());
}

#[system]
fn step(mut seen: ResMut<Seen>, time: Res<FixedTime>) {
    seen.0.push(format!("step {time:?}"));
}

/// A world, and the schedule that is prepared for it: the same in each process.
pub(super) fn game() -> (World, Schedule) {
    let mut world = World::new();
    world.insert_resource(Seen::default());
    world.insert_resource(Wind::default());
    world.insert_resource(FrameTime::default());
    world.register_data_event::<Hit>();
    for register in [
        World::register::<Aim>,
        World::register::<Shield>,
        World::register::<Lamp>,
        World::register::<Target<PartOf>>,
        World::register::<Target<OrbitOf>>,
        World::register::<Targets<Likes>>,
        World::register::<Target<ChildOf>>,
    ] {
        register(&mut world);
    }
    let mut nested = Schedule::named("nested");
    nested.add(note);
    let mut steps = Schedule::named("steps");
    steps.add(step);
    let mut sim = Schedule::new();
    sim.add((
        (count, last_all, windy.run_if(resource_changed::<Wind>())),
        (changed, added, shielded, gone, unmarked),
        (hits, first_hit, push, light, born),
        once.run_if(run_once()),
        nested.run_if(every(2)),
        fixed(Duration::from_millis(10), steps),
    ));
    sim.prepare(&mut world).unwrap();
    (world, sim)
}

pub(super) fn snapshotter() -> Snapshotter {
    Snapshotter::new().local_data::<Vec<Entity>>()
}

/// Returns a snapshot of a game as bytes.
pub(super) fn bytes_of(world: &mut World, sim: &mut Schedule) -> Vec<u8> {
    let snapshot = snapshotter().take_with(world, &mut [sim]).unwrap();
    snapshot.to_bytes().unwrap()
}

pub(super) fn return_to(world: &mut World, sim: &mut Schedule, bytes: &[u8]) {
    let snapshotter = snapshotter();
    let mut snapshot = snapshotter.read_bytes(world, bytes).unwrap();
    let returned = snapshotter.restore_with(world, &mut [sim], &mut snapshot);
    returned.unwrap();
    world.check_invariants();
}

/// A change of a world. Its effect depends only on the world and the numbers.
pub(super) type Step = (u8, usize, u32);

/// The number of kinds of steps.
pub(super) const KINDS: u8 = 36;

pub(super) fn change(
    game: &mut (World, Schedule),
    log: &mut Vec<String>,
    (kind, which, number): Step,
) {
    let (world, sim) = game;
    let entities: Vec<Entity> = world
        .all_tables()
        .flat_map(|(entities, _)| entities.to_vec())
        .collect();
    let some = |offset: usize| {
        let at = which + offset;
        (!entities.is_empty()).then(|| entities[at % entities.len()])
    };
    let Some(entity) = some(0) else {
        log.push(format!("spawned {}", world.spawn(Place(0, 1))));
        return;
    };
    let other = some(1 + number as usize % 5).unwrap();
    match kind {
        0 => log.push(format!(
            "spawned {}",
            world.spawn((Place(number.into(), 2), Tag))
        )),
        1 => log.push(format!(
            "spawned {}",
            world.spawn((Text("x".repeat(3)), Shield(number)))
        )),
        2 => {
            let batch = (0..number % 5).map(|n| (Place(n.into(), 3), Lamp(n)));
            log.push(format!("spawned {:?}", world.spawn_batch(batch)));
        }
        3 | 4 => world.despawn(entity).unwrap(),
        5 => world.insert(entity, Text(number.to_string())).unwrap(),
        6 => world
            .insert(entity, Aim(Some(other), vec![entity, other]))
            .unwrap(),
        7 => world.insert(entity, Fast(number as u16)).unwrap(),
        8 => world.insert(entity, Marks(vec![number])).unwrap(),
        9 => drop(world.view_mut::<Lit>().insert(entity, Lit)),
        10 => world.insert(entity, (Tag, Shield(number))).unwrap(),
        11 => world.insert(entity, Lamp(number)).unwrap(),
        12 => world.remove::<(Text, Fast)>(entity).unwrap(),
        13 => world.remove::<(Aim, Marks)>(entity).unwrap(),
        14 => world.remove::<(Place, Lamp)>(entity).unwrap(),
        15 => log.push(format!(
            "{}",
            world.relate(entity, PartOf(number as u8), other).is_ok()
        )),
        16 | 17 if entity != other => world
            .relate(entity, Likes(number.to_string()), other)
            .unwrap(),
        18 => log.push(format!("{:?}", world.unrelate::<Likes>(entity, other))),
        19 if entity != other => world
            .relate(entity, OrbitOf(number.to_string()), other)
            .unwrap(),
        20 => log.push(format!("{}", world.relate(entity, ChildOf, other).is_ok())),
        21 => {
            let mut texts = world.query::<&mut Text>();
            let chosen = texts
                .iter_mut()
                .filter(|text| text.0.len() % 2 == number as usize % 2);
            chosen.for_each(|mut text| text.0.push('.'));
        }
        22 => world.resource_mut::<Wind>().0 = number,
        23 => world.send_event(Hit(number, Some(other))),
        24 => (0..number % 4).for_each(|n| world.send_event(Hit(n, None))),
        25 => log.push(format!("reserved {}", world.reserve_entity())),
        26 => world
            .set_layout(&Layout::new().group::<(Fast, Marks)>())
            .unwrap(),
        27 => {
            let nested = Layout::new()
                .group::<(Fast, Marks)>()
                .group::<(Fast, Marks, Lamp)>();
            world.set_layout(&nested).unwrap();
        }
        28 => world.insert(entity, Disabled).unwrap(),
        29 => {
            let disabled = world
                .query_filtered::<Entity, With<Disabled>>()
                .iter()
                .next();
            let _ = disabled.map(|entity| world.remove::<Disabled>(entity));
        }
        30 if world.has::<Shield>(entity) => drop(world.turn_off::<Shield>(entity)),
        31 if world.has::<Shield>(entity) => drop(world.turn_on::<Shield>(entity)),
        32 if world.has::<Lamp>(entity) => drop(world.turn_off::<Lamp>(entity)),
        33 if number % 8 == 0 => world.clear(),
        34 if number % 4 == 0 => world.insert_resource(Wind(number)).map(drop).unwrap_or(()),
        _ => {
            world.insert_resource(FrameTime {
                delta: Duration::from_millis(7),
            });
            sim.run(world).unwrap();
        }
    }
}

/// Describes everything in a world that a program can see, in the order of iteration.
pub(super) fn dump(world: &mut World) -> Vec<String> {
    world.flush();
    world.check_invariants();
    let mut lines = vec![format!("{:?}", world.registered_components())];
    for (entities, components) in world.all_tables() {
        lines.push(format!("{components:?} {entities:?}"));
    }
    type Rows<'a> = (
        (Entity, Option<&'a Place>, Option<&'a Text>, Option<&'a Aim>),
        (Option<&'a Fast>, Option<&'a Marks>, Option<&'a Tag>),
        (Option<&'a Shield>, Option<&'a Toggle<Shield>>),
        (
            Option<&'a Lamp>,
            Option<&'a Toggle<Lamp>>,
            Option<&'a Disabled>,
        ),
    );
    for row in &mut world.query::<Rows<'_>>() {
        lines.push(format!("{row:?}"));
    }
    macro_rules! rows {
        ($($row:ty),*) => { $(
            for row in &mut world.query::<$row>() {
                lines.push(format!("{row:?}"));
            }
        )* };
    }
    rows!(
        (Entity, &Fast),
        (Entity, &Marks),
        (Entity, &Fast, &Marks),
        (Entity, &Lit),
        (Entity, &Lamp),
        (Entity, &Target<PartOf>),
        (Entity, &Target<OrbitOf>),
        (Entity, &Target<ChildOf>),
        (Entity, &Targets<Likes>)
    );
    macro_rules! sources {
        ($($relation:ty),*) => { $(
            for (entity, sources) in &mut world.query::<(Entity, &Sources<$relation>)>() {
                lines.push(format!("{entity} {:?}", sources.as_slice()));
            }
        )* };
    }
    sources!(PartOf, OrbitOf, ChildOf, Likes);
    lines.push(format!("{:?}", *world.resource::<Seen>()));
    lines.push(format!("{:?}", *world.resource::<Wind>()));
    // Events that all readers have read stay for an unspecified time.
    world.resource_mut::<Events<Hit>>().drop_read();
    lines.push(format!("{:?}", *world.resource::<Events<Hit>>()));
    lines.push(format!("{:?}", world.hash()));
    lines
}

pub(super) fn run(game: &mut (World, Schedule), steps: &[Step]) -> Vec<String> {
    let mut log = Vec::new();
    for &next in steps {
        change(game, &mut log, next);
        game.0.check_invariants();
    }
    log.append(&mut dump(&mut game.0));
    log
}

/// A game with a value of each kind, and a bit of a past.
pub(super) fn played() -> (World, Schedule) {
    let mut game = game();
    let past = (0..300).map(|n: u32| ((n * 7 % 53) as u8, n as usize * 5, n * 37 % 1000));
    // Not those that clear the world.
    let past: Vec<Step> = past.filter(|step| step.0 != 33).collect();
    run(&mut game, &past);
    game.0
        .spawn((Place(1, 1), Marks(vec![]), Fast(1), Lamp(1), Shield(1), Tag));
    game
}

/// Reads bytes. Returns to them if that is possible, and uses the world.
pub(super) fn attempt(game: &mut (World, Schedule), bytes: &[u8]) -> Result<(), ReadSnapshotError> {
    let snapshotter = snapshotter();
    let (read, peak) = peak_of(|| snapshotter.read_bytes(&game.0, bytes));
    let most = 8 * bytes.len() + (1 << 20);
    assert!(peak < most, "{peak} bytes for {}", bytes.len());
    let mut snapshot = read?;
    let (world, sim) = game;
    if snapshotter
        .restore_with(world, &mut [sim], &mut snapshot)
        .is_err()
    {
        return Ok(());
    }
    world.check_invariants();
    dump(world);
    world.spawn((Place(0, 0), Tag));
    let all: Vec<Entity> = world
        .all_tables()
        .flat_map(|(ids, _)| ids.to_vec())
        .collect();
    for (n, &entity) in all.iter().enumerate() {
        if world.contains(entity) && n % 3 == 0 {
            world.despawn(entity).unwrap();
        } else if world.contains(entity) {
            world.insert(entity, (Marks(vec![]), Lamp(2))).unwrap();
            let _ = world.relate(entity, PartOf(1), all[0]);
        }
    }
    world.check_invariants();
    world.clear();
    Ok(())
}
