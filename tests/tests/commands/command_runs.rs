//! Commands that are applied as a run have the same effect as one by one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::command::{CommandQueue, Commands};
use ecs_core::prelude::*;
use ecs_core::relation::RelateError;
use ecs_core::world::hooks::Trigger;
use ecs_core::world::{CommandError, NoSuchEntity, OnCommandError};
use ecs_tests::{Held, Kept, Ledger, Loose, Mark, Plain, Text, Wide};

/// A component of twelve bytes.
#[derive(Component, Clone, Debug, PartialEq)]
struct Place([f32; 3]);

#[derive(Component, Clone, Debug, PartialEq)]
struct Odd([u8; 7]);

#[derive(Component, Clone, Debug, PartialEq)]
struct Long([u64; 2], u64);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(track)]
struct Tracked(u64);

#[derive(Component, Clone, Debug, PartialEq)]
#[component(storage = "sparse", track)]
struct LooseTracked(u8);

#[derive(Bundle)]
struct Several {
    odd: Odd,
    long: Long,
    tracked: Tracked,
    mark: Mark,
}

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn several(n: u64) -> Several {
    Several {
        odd: Odd([n as u8; 7]),
        long: Long([n, n + 1], n + 2),
        tracked: Tracked(n),
        mark: Mark,
    }
}

/// Records one command.
fn record(kind: usize, n: u64, victim: Entity, ledger: &Ledger, mut commands: Commands) -> Entity {
    let (small, mut entity) = (n as u32, commands.entity(victim));
    match kind {
        0 => drop(entity.insert(Plain(small))),
        1 => drop(entity.insert((Place([n as f32; 3]), Mark))),
        2 => drop(entity.insert(Text(n.to_string()))),
        3 => drop(entity.insert(several(n))),
        4 => drop(entity.insert(Tracked(n))),
        5 => drop(entity.insert(Loose(n))),
        6 => drop(entity.insert((LooseTracked(n as u8), Place([0.5; 3])))),
        7 => drop(entity.insert((Kept(ledger.token()), Odd([1; 7])))),
        8 => drop(entity.remove::<Plain>()),
        9 => drop(entity.remove::<(Place, Long)>()),
        10 => drop(entity.remove::<Several>()),
        11 => drop(entity.remove::<(Kept, Text)>()),
        12 => drop(entity.remove::<(LooseTracked, Loose, Held)>()),
        13 => entity.despawn(),
        14 => drop(entity.insert(Wide([n as u8; 700]))),
        15 => return commands.spawn((Plain(small), Place([1.0; 3]))).id(),
        16 => return commands.spawn(several(n)).id(),
        17 => return commands.spawn((Tracked(n), Kept(ledger.token()))).id(),
        18 => return commands.spawn_empty().id(),
        19 => return commands.spawn((Loose(n), Wide([3; 700]))).id(),
        20 => drop(entity.insert(Held(ledger.token()))),
        _ => unreachable!(),
    }
    victim
}

const KINDS: usize = 21;

/// The observable state of a world, in the order of iteration.
#[derive(Debug, PartialEq)]
struct Sight {
    entities: Vec<Entity>,
    plain: Vec<(Entity, Plain)>,
    place: Vec<(Entity, Place)>,
    text: Vec<(Entity, Text)>,
    odd: Vec<(Entity, Odd)>,
    long: Vec<(Entity, Long)>,
    tracked: Vec<(Entity, Tracked)>,
    wide: Vec<(Entity, Wide)>,
    loose: Vec<(Entity, Loose)>,
    loose_tracked: Vec<(Entity, LooseTracked)>,
    kept: usize,
    held: usize,
    marked: usize,
    changes: Changes,
}

#[derive(Debug, PartialEq)]
struct Changes {
    changed: Vec<Entity>,
    added: Vec<Entity>,
    removed: Vec<Entity>,
    loose: [Vec<Entity>; 2],
}

#[system]
fn changes(
    changed: Query<Entity, Changed<Tracked>>,
    added: Query<Entity, Added<Tracked>>,
    loose: Query<Entity, Changed<LooseTracked>>,
    mut removed: Removed<Tracked>,
    mut loose_removed: Removed<LooseTracked>,
) -> Changes {
    Changes {
        changed: changed.iter().collect(),
        added: added.iter().collect(),
        removed: removed.read().collect(),
        loose: [loose.iter().collect(), loose_removed.read().collect()],
    }
}

fn look(world: &World) -> Sight {
    world.check_invariants();
    fn all<T: Component + Clone>(world: &World) -> Vec<(Entity, T)> {
        let query = world.query::<(Entity, &T)>();
        query.iter().map(|(e, value)| (e, value.clone())).collect()
    }
    Sight {
        entities: world.entities().iter().collect(),
        plain: all(world),
        place: all(world),
        text: all(world),
        odd: all(world),
        long: all(world),
        tracked: all(world),
        wide: all(world),
        loose: all(world),
        loose_tracked: all(world),
        kept: world.view::<Kept>().len(),
        held: world.view::<Held>().len(),
        marked: world.view::<Mark>().len(),
        changes: changes(world),
    }
}

#[test]
fn commands_in_runs_do_the_same_as_one_by_one() {
    let (rounds, most) = if cfg!(miri) { (6, 12) } else { (60, 150) };
    for seed in 0..rounds {
        let mut random = Random(seed);
        let ledgers = [Ledger::default(), Ledger::default()];
        let mut worlds = [World::new(), World::new()];
        // The readers of removals must exist before the first removal.
        let _ = worlds.each_ref().map(changes);
        let mut ids: Vec<Entity> = Vec::new();
        for world in &mut worlds {
            let spawned = world.spawn_batch((0..most as u32).map(Plain));
            ids = spawned.to_vec();
        }
        for _ in 0..4 {
            let mut together = CommandQueue::new();
            let mut apart = Vec::new();
            for _ in 0..5 {
                let (kind, length) = (random.below(KINDS), random.below(most));
                // Ids in order, or random ids with repetitions.
                let (start, in_order) = (random.below(ids.len()), random.below(2) == 0);
                for n in 0..length {
                    let pick = if in_order {
                        start + n
                    } else {
                        random.below(ids.len())
                    };
                    let (n, victim) = (n as u64, ids[pick % ids.len()]);
                    let commands = Commands::new(&mut together, worlds[0].entities());
                    let id = record(kind, n, victim, &ledgers[0], commands);
                    let mut alone = CommandQueue::new();
                    let commands = Commands::new(&mut alone, worlds[1].entities());
                    assert_eq!(record(kind, n, victim, &ledgers[1], commands), id);
                    apart.push(alone);
                    if id != victim {
                        ids.push(id);
                    }
                }
            }
            together.apply(&mut worlds[0]);
            for mut queue in apart {
                queue.apply(&mut worlds[1]);
            }
            let [one, two] = worlds.each_ref().map(look);
            assert_eq!(one, two, "seed {seed}");
            for (ledger, sight) in ledgers.iter().zip([one, two]) {
                let values = sight.kept + sight.held;
                assert_eq!(
                    ledger.alive().len(),
                    values,
                    "the others are dropped, seed {seed}"
                );
            }
        }
        drop(worlds);
        for ledger in ledgers {
            assert!(ledger.alive().is_empty(), "seed {seed}");
        }
    }
}

#[test]
fn a_run_of_despawns_drops_the_sparse_values_of_tables_that_need_no_drop() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let spawned = world.spawn_batch((0..8).map(Plain)).to_vec();
    for &entity in &spawned[2..5] {
        world.insert(entity, Held(ledger.token())).unwrap();
    }
    let mut queue = CommandQueue::new();
    for &entity in &spawned[..4] {
        Commands::new(&mut queue, world.entities()).despawn(entity);
    }
    queue.apply(&mut world);
    assert_eq!(ledger.alive(), [2], "that of the one that lives");
    world.check_invariants();
}

#[test]
fn commands_that_a_command_of_a_run_queues_follow_it_directly() {
    struct Last(u32);
    impl ecs_core::command::Command for Last {
        fn apply(self, world: &mut World) {
            world.resource_mut::<Vec<u32>>().push(self.0);
            let mut queue = CommandQueue::new();
            queue.push(move |world: &mut World| {
                world.resource_mut::<Vec<u32>>().push(self.0 + 100);
            });
            world.defer(&mut queue);
        }
    }
    let mut world = World::new();
    world.insert_resource(Vec::<u32>::new());
    let mut queue = CommandQueue::new();
    (0..3).for_each(|n| queue.push(Last(n)));
    queue.apply(&mut world);
    assert_eq!(*world.resource::<Vec<u32>>(), [0, 100, 1, 101, 2, 102]);
}

#[test]
fn a_value_that_panics_in_drop_ends_a_run_of_despawns_where_it_would_end_them_one_by_one() {
    let (ledger, mut world) = (Ledger::default(), World::new());
    let spawned = world.spawn_batch((0..3).map(Plain)).to_vec();
    world.insert(spawned[1], Held(ledger.token())).unwrap();
    ledger.arm(0);
    let mut queue = CommandQueue::new();
    for &entity in &spawned {
        Commands::new(&mut queue, world.entities()).despawn(entity);
    }
    assert!(catch_unwind(AssertUnwindSafe(|| queue.apply(&mut world))).is_err());
    let alive = spawned.iter().map(|&entity| world.contains(entity));
    assert_eq!(Vec::from_iter(alive), [false, false, true]);
    assert_eq!(ledger.alive(), [0_u32; 0]);
    world.check_invariants();
}

#[test]
fn a_command_can_say_what_happens_if_its_entity_is_gone() {
    let mut world = World::new();
    world.insert_resource(Vec::<Entity>::new());
    let [gone, there] = [(); 2].map(|()| world.spawn(()));
    world.despawn(gone).unwrap();
    let mut queue = CommandQueue::new();
    let mut commands = Commands::new(&mut queue, world.entities());
    let new = commands
        .spawn(())
        .on_missing(|_, _| panic!("it is there"))
        .id();
    for entity in [gone, there, new] {
        let note = |world: &mut World, error: NoSuchEntity| {
            world.resource_mut::<Vec<Entity>>().push(error.entity);
        };
        commands.entity(entity).on_missing(note).despawn();
    }
    queue.apply(&mut world);
    assert_eq!(*world.resource::<Vec<Entity>>(), [gone]);
    assert!(world.is_empty());
}

#[derive(Relation, Clone)]
#[relation(tree)]
struct PartOf;

/// Queues one command of each kind for an entity that is gone, and some commands that do not fail.
fn queue_all(commands: &mut Commands<'_>, gone: Entity, there: Entity) {
    commands.insert(gone, Plain(1));
    commands.entity(gone).remove::<Plain>();
    commands.despawn(gone);
    commands.relate(gone, PartOf, there);
    commands.relate(there, PartOf, there);
    commands.unrelate::<PartOf>(gone, there);
    commands.insert_sources_at(gone, 0, PartOf, &[there]);
    commands.trigger_on(gone, 1_u8);
    commands.trigger_up::<PartOf>(gone, 1_u8);
    commands.observe_on(gone, |_: Trigger<u8>| ());
    commands.insert_batch([(gone, Plain(2))]);
    commands.insert(there, Plain(3));
}

#[test]
fn a_world_can_be_given_a_policy_for_commands_that_fail() {
    let mut world = World::new();
    world.insert_resource(Vec::<CommandError>::new());
    let [gone, there] = [(); 2].map(|()| world.spawn(()));
    world.despawn(gone).unwrap();
    let mut queue = CommandQueue::new();
    let mut apply = |world: &mut World, f: &dyn Fn(&mut Commands<'_>)| {
        f(&mut Commands::new(&mut queue, world.entities()));
        queue.apply(world);
        std::mem::take(&mut *world.resource_mut::<Vec<CommandError>>())
    };

    assert!(apply(&mut world, &|commands| queue_all(commands, gone, there)).is_empty());
    let note = |world: &mut World, error| world.resource_mut::<Vec<_>>().push(error);
    let old = world.on_command_error(OnCommandError::Call(note));
    assert!(matches!(old, OnCommandError::Ignore));
    let errors = apply(&mut world, &|commands| queue_all(commands, gone, there));
    let commands: Vec<&str> = errors.iter().map(|error| error.command).collect();
    assert_eq!(
        commands,
        [
            "insert",
            "remove",
            "despawn",
            "relate",
            "relate",
            "unrelate",
            "insert_sources_at",
            "trigger_on",
            "trigger_up",
            "observe_on"
        ]
    );
    assert_eq!(
        errors[0].error.downcast_ref(),
        Some(&NoSuchEntity { entity: gone })
    );
    let cycle = errors[4].error.downcast_ref::<RelateError>();
    assert!(
        matches!(cycle, Some(RelateError::Itself { .. })),
        "{cycle:?}"
    );
    assert_eq!(errors[4].entity, there);
    assert!(
        errors[3]
            .to_string()
            .starts_with("the command `relate` of `commands::command_runs::PartOf` failed: ")
    );

    // Commands for an entity that may be gone, in this queue.
    let none = apply(&mut world, &|commands| {
        commands
            .entity(gone)
            .if_exists()
            .insert(Plain(1))
            .remove::<Plain>();
        commands.entity(gone).despawn();
    });
    assert!(none.is_empty());
    assert_eq!(
        apply(&mut world, &|commands| commands.despawn(gone)).len(),
        1
    );

    world.on_command_error(OnCommandError::Panic);
    let panics = catch_unwind(AssertUnwindSafe(|| {
        apply(&mut world, &|commands| {
            commands.insert(gone, Plain(1));
            commands.spawn(Plain(2));
        });
    }));
    let message = panics.unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(
        message.contains("no entity 0v1") && message.contains("if_exists()"),
        "{message}"
    );
    assert_eq!(
        world.query::<&Plain>().count(),
        1,
        "later commands are dropped"
    );
    world.check_invariants();
}
