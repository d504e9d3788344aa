//! Snapshots of an app, also as bytes, whose components are of kinds that games rarely combine: aligned, zero-sized, generic,
//! boxed, sparse, toggled, required, indexed, related, with hooks, and with ids inside of all of them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ecs_core::data::WorldData;
use ecs_core::index::Index;
use ecs_core::prelude::*;
use ecs_core::relation::Target;
use ecs_core::snapshot::Snapshotter;
use ecs_core::toggle::TurnedOn;
use ecs_core::world::hooks::DeferredWorld;
use serde::{Deserialize, Serialize};

const FRAME: Duration = Duration::from_millis(20);

#[derive(Component, Clone, Copy, Debug, Serialize, Deserialize)]
#[component(data = "kinds.wide", storage = "sparse", toggle, track)]
#[repr(align(64))]
struct Wide(u8);

#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[component(data(Key<Vec<Entity>> = "kinds.key_ids", Key<()> = "kinds.key_unit"), track, require(Empty))]
struct Key<T: Default + Clone + Send + Sync + 'static>(T);

#[derive(Component, Clone, Copy, Debug, Default, Serialize, Deserialize)]
#[component(data = "kinds.empty")]
struct Empty([u64; 0], ());

#[derive(Component, Clone, Debug, Serialize, Deserialize)]
#[component(data = "kinds.boxed", on_add = called, on_remove = called)]
struct Boxed(Box<[Option<Box<Entity>>]>);

#[derive(Relation, Clone, Debug, Serialize, Deserialize)]
#[relation(data = "kinds.held_by", tree, sources = "despawn")]
struct HeldBy {
    with: Option<Box<Entity>>,
}

#[derive(Resource, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[resource(data = "kinds.log")]
struct Log(Vec<String>);

#[derive(Resource, Clone, Debug, Serialize, Deserialize)]
#[resource(data = "kinds.random")]
struct Random(u64);

/// The memory of the system: the number of its runs, and the last entity of each.
type Memory = (u8, Vec<Option<Entity>>);

/// Calls of hooks. No other test of this program has them.
static CALLS: AtomicUsize = AtomicUsize::new(0);

fn called(_: DeferredWorld<'_>, _: Entity) {
    CALLS.fetch_add(1, Ordering::Relaxed);
}

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn of(&mut self, entities: &[Entity]) -> Option<Entity> {
        let index = self.next() as usize % entities.len().max(1);
        entities.get(index).copied()
    }
}

#[system]
fn act(
    all: Query<Entity>,
    mut random: ResMut<Random>,
    mut commands: Commands<(Wide, Key<Vec<Entity>>, Key<()>, Boxed)>,
) {
    let all: Vec<Entity> = all.iter().collect();
    for _ in 0..4 {
        let (one, two) = (random.of(&all), random.of(&all));
        match (random.next() % 11, one, two) {
            (0 | 1, ..) => _ = commands.spawn(Key(Vec::from_iter(one))),
            (2, ..) => _ = commands.spawn((Key(()), Wide(3))),
            (3, ..) => _ = commands.spawn(Boxed([one.map(Box::new), None].into())),
            (4, Some(one), _) => commands.insert(one, Wide(9)),
            (5, Some(one), _) => commands.queue(move |world: &mut World| {
                _ = world.turn_off::<Wide>(one);
            }),
            (6, Some(one), Some(two)) if one != two => commands.queue(move |world: &mut World| {
                let with = Some(Box::new(one));
                _ = world.relate(one, HeldBy { with }, two);
            }),
            (7, Some(one), _) if all.len() > 8 => commands.despawn(one),
            (8, Some(one), _) => commands.remove::<Key<()>>(one),
            (9, Some(one), _) => commands.remove::<Boxed>(one),
            (10, Some(one), _) => commands.insert(one, Key(vec![one, one])),
            _ => {}
        }
    }
}

#[system]
fn look(
    all: Query<Entity>,
    on: Query<(Entity, &Wide), (TurnedOn<Wide>, Changed<Wide>)>,
    held: Query<(Entity, &Target<HeldBy>)>,
    keys: Index<Key<Vec<Entity>>>,
    mut memory: Local<Memory>,
    mut log: ResMut<Log>,
) {
    memory.0 = memory.0.wrapping_add(1);
    memory.1.push(all.iter().last());
    log.0.push(format!("{:?}", *memory));
    for entity in &all {
        let found = keys.get(&Key(vec![entity]));
        if !found.is_empty() {
            log.0.push(format!("{entity} is the key of {found:?}"));
        }
    }
    log.0.extend(on.iter().map(|row| format!("{row:?}")));
    log.0.extend(held.iter().map(|row| format!("{row:?}")));
}

fn game() -> App {
    let mut app = App::new();
    app.init_resource::<Log>()
        .insert_resource(Random(77))
        .add_systems(Update, act)
        .add_systems(FixedUpdate, look)
        .set_snapshotter(Snapshotter::new().local_data::<Memory>());
    app
}

/// Runs some frames; returns what the systems have seen, and the hash of the world.
fn future(app: &mut App) -> (Log, u64) {
    app.update_times(6, FRAME);
    let log = app.world().resource::<Log>().clone();
    (log, app.world().hash().unwrap())
}

#[test]
fn values_of_all_kinds_have_the_same_future_after_a_return_and_from_bytes() {
    let (mut app, mut old) = (game(), game());
    old.update_times(33, FRAME);
    for frame in 0..60 {
        let mut before = app.snapshot().unwrap();
        let bytes = before.to_bytes().unwrap();
        let expected = future(&mut app);

        let mut new = game();
        let calls = CALLS.load(Ordering::Relaxed);
        for app in [&mut new, &mut old] {
            app.restore_bytes(&bytes).unwrap();
        }
        app.restore(&mut before).unwrap();
        assert_eq!(CALLS.load(Ordering::Relaxed), calls, "no hook at a return");
        for (name, app) in [("new", &mut new), ("old", &mut old), ("app", &mut app)] {
            assert_eq!(future(app), expected, "{name}, frame {frame}");
        }
        app.restore(&mut before).unwrap();
        app.update_by(FRAME);
    }
    let world = app.world();
    assert!(world.query::<(&Key<Vec<Entity>>, &Empty)>().count() > 0);
    assert!(world.query::<&Wide>().count() > 0 && world.query::<&Boxed>().count() > 0);
    assert!(world.query::<&Target<HeldBy>>().count() > 0);
    assert!(CALLS.load(Ordering::Relaxed) > 0);
}
