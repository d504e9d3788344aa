//! Systems of all kinds. Each declares the data that it uses in this file, independently of its metadata.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use ecs_core::event::Events;
use ecs_core::prelude::*;
use ecs_core::schedule::{Configs, ScheduleError};

#[derive(Component, Clone, Hash)]
struct A(u64);
#[derive(Component, Clone, Hash)]
#[component(storage = "sparse")]
struct B(u64);
#[derive(Component, Clone, Hash)]
#[component(track)]
struct C(u64);
#[derive(Component, Clone, Hash)]
#[component(track, storage = "sparse")]
struct D(u64);

#[derive(Resource, Clone, Hash)]
struct Dice(u64);
#[derive(Resource, Default, Clone, Hash)]
struct Notes(Vec<u64>);
#[derive(Resource, Default, Clone, Hash)]
struct Ids(Vec<Entity>);
#[derive(Clone, Hash)]
struct Shout(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        self.0 >> 33
    }
}

/// The data of systems, declared by this test independently of metadata.
#[derive(Clone, Copy)]
enum Data {
    /// The `A`s of entities with a `B`, and of the others.
    AWith,
    AWithout,
    B,
    C,
    D,
    Dice,
    Notes,
    Ids,
    Shouts,
    /// The allocation of ids.
    Issue,
}

use Data::{AWith, AWithout, Issue, Shouts};

const ALL: [Data; 10] = [
    AWith,
    AWithout,
    Data::B,
    Data::C,
    Data::D,
    Data::Dice,
    Data::Notes,
    Data::Ids,
    Shouts,
    Issue,
];

const WRITER: u32 = 1 << 16;

/// Detects conflicting systems that overlap, and counts the runs of each one.
#[derive(Resource, Clone, Default)]
struct Witness(Arc<Seen>);

#[derive(Default)]
struct Seen {
    users: [AtomicU32; ALL.len()],
    ran: [AtomicU32; SHAPES],
}

struct Using<'a> {
    seen: &'a Seen,
    reads: &'a [Data],
    writes: &'a [Data],
}

impl Witness {
    fn enter<'a>(&'a self, shape: usize, reads: &'a [Data], writes: &'a [Data]) -> Using<'a> {
        let seen = &*self.0;
        seen.ran[shape].fetch_add(1, Ordering::Relaxed);
        for &data in reads {
            let before = seen.users[data as usize].fetch_add(1, Ordering::Relaxed);
            assert!(
                before < WRITER,
                "{shape} reads data that another system writes"
            );
        }
        for &data in writes {
            let before = seen.users[data as usize].fetch_add(WRITER, Ordering::Relaxed);
            assert!(before == 0, "{shape} writes data that another system uses");
        }
        // Gives other systems a chance to overlap.
        std::thread::yield_now();
        Using {
            seen,
            reads,
            writes,
        }
    }
}

impl Drop for Using<'_> {
    fn drop(&mut self) {
        for (list, by) in [(self.reads, 1), (self.writes, WRITER)] {
            for &data in list {
                self.seen.users[data as usize].fetch_sub(by, Ordering::Relaxed);
            }
        }
    }
}

#[system]
pub(crate) fn roll(seen: Res<Witness>, mut dice: ResMut<Dice>) {
    let _using = seen.enter(0, &[], &[Data::Dice]);
    dice.next();
}

#[system]
pub(crate) fn grow(seen: Res<Witness>, mut a: CompMut<A>, dice: Res<Dice>) {
    let _using = seen.enter(1, &[Data::Dice], &[AWith, AWithout]);
    a.iter_mut()
        .for_each(|a| a.0 = a.0.wrapping_mul(3) ^ dice.0);
}

#[system]
fn grow_with(seen: Res<Witness>, mut a: Query<&mut A, With<B>>) {
    let _using = seen.enter(2, &[], &[AWith]);
    a.iter_mut().for_each(|a| a.0 = a.0.rotate_left(7));
}

#[system]
fn grow_without(seen: Res<Witness>, mut a: Query<&mut A, Without<B>>) {
    let _using = seen.enter(3, &[], &[AWithout]);
    a.iter_mut().for_each(|a| a.0 = a.0.rotate_left(3) ^ 5);
}

#[system]
fn copy(seen: Res<Witness>, a: Comp<A>, mut b: CompMut<B>) {
    let _using = seen.enter(4, &[AWith, AWithout], &[Data::B]);
    (&a, &mut b).for_each(|(a, b)| b.0 = b.0.wrapping_add(a.0));
}

#[system]
fn stain(seen: Res<Witness>, mut pairs: Query<(&A, &mut C)>) {
    let _using = seen.enter(5, &[AWith, AWithout], &[Data::C]);
    for (a, mut c) in &mut pairs {
        if a.0 % 3 == 0 {
            c.0 ^= a.0;
        }
    }
}

#[system]
fn stain_sparse(seen: Res<Witness>, mut pairs: Query<(&B, &mut D)>) {
    let _using = seen.enter(6, &[Data::B], &[Data::D]);
    for (b, mut d) in &mut pairs {
        if b.0 % 2 == 0 {
            d.0 ^= b.0;
        }
    }
}

#[system]
fn look(
    seen: Res<Witness>,
    changed: Query<(Entity, &C), Changed<C>>,
    added: Query<Entity, Added<D>>,
    mut notes: ResMut<Notes>,
) {
    let _using = seen.enter(7, &[Data::C, Data::D], &[Data::Notes]);
    notes
        .0
        .extend(changed.iter().map(|(e, c)| e.to_bits() ^ c.0));
    notes.0.extend(added.iter().map(Entity::to_bits));
}

#[system]
fn mourn(seen: Res<Witness>, mut gone: Removed<C>, mut notes: ResMut<Notes>) {
    let _using = seen.enter(8, &[], &[Data::Notes]);
    notes.0.extend(gone.read().map(|e| e.to_bits()));
}

#[system]
pub(crate) fn spawn(seen: Res<Witness>, dice: Res<Dice>, mut commands: Commands) {
    let _using = seen.enter(9, &[Data::Dice], &[Issue]);
    match dice.0 >> 20 & 3 {
        0 => {}
        1 => drop(commands.spawn((A(dice.0), B(1)))),
        2 => drop(commands.spawn((A(dice.0), C(2), D(4)))),
        _ => drop(commands.spawn_empty()),
    }
}

#[system]
fn alter(seen: Res<Witness>, entities: Query<(Entity, &A)>, mut commands: Commands) {
    let _using = seen.enter(10, &[AWith, AWithout], &[Issue]);
    for (entity, a) in &entities {
        match a.0 >> 3 & 15 {
            0 => commands.despawn(entity),
            1 => commands.insert(entity, B(a.0)),
            2 => commands.remove::<B>(entity),
            3 => commands.insert(entity, (C(a.0), D(1))),
            4 => commands.remove::<C>(entity),
            _ => {}
        }
    }
}

#[system]
fn reserve(seen: Res<Witness>, entities: Entities, mut ids: ResMut<Ids>) {
    let _using = seen.enter(11, &[], &[Issue, Data::Ids]);
    ids.0.push(entities.reserve());
}

#[system]
fn shout(seen: Res<Witness>, dice: Res<Dice>, mut shouts: EventWriter<Shout>) {
    let _using = seen.enter(12, &[Data::Dice], &[Shouts]);
    shouts.send(Shout(dice.0));
}

#[system]
fn listen(
    seen: Res<Witness>,
    mut shouts: EventReader<Shout>,
    mut sum: Local<u64>,
    mut notes: ResMut<Notes>,
) {
    let _using = seen.enter(13, &[Shouts], &[Data::Notes]);
    for shout in shouts.read() {
        *sum = sum.wrapping_add(shout.0);
    }
    notes.0.push(*sum);
}

#[system]
fn command(world: &mut World) {
    let seen = world.resource::<Witness>().clone();
    let _using = seen.enter(14, &[], &ALL);
    let roll = world.resource_mut::<Dice>().next();
    let entity = world.spawn((A(roll), C(roll)));
    if roll.is_multiple_of(2) {
        world.insert(entity, D(roll)).unwrap();
    }
}

#[system]
fn survey(world: &World) {
    let seen = world.resource::<Witness>().clone();
    let _using = seen.enter(15, &[], &ALL);
    let count = world.len() as u64;
    world.resource_mut::<Notes>().0.push(count);
    let mut queue = ecs_core::CommandQueue::new();
    queue.push(move |world: &mut World| world.resource_mut::<Notes>().0.push(!count));
    world.defer(&mut queue);
}

#[system]
pub(crate) fn fail(seen: Res<Witness>, dice: Res<Dice>) -> Result<(), String> {
    let _using = seen.enter(16, &[Data::Dice], &[]);
    if dice.0 >> 7 & 1 == 1 {
        return Err(format!("rolled {}", dice.0));
    }
    Ok(())
}

#[system]
fn keep_to_yourself(mut count: Local<u32>) {
    *count += 1;
}

#[system(par_for_each)]
fn blend(b: &mut B, dice: Res<Dice>) {
    b.0 = b.0.wrapping_mul(5) ^ dice.0;
}

pub(crate) const SHAPES: usize = 19;

pub(crate) fn shape(number: usize) -> Configs {
    match number {
        0 => roll.into_configs(),
        1 => grow.into_configs(),
        2 => grow_with.into_configs(),
        3 => grow_without.into_configs(),
        4 => copy.into_configs(),
        5 => stain.into_configs(),
        6 => stain_sparse.into_configs(),
        7 => look.into_configs(),
        8 => mourn.into_configs(),
        9 => spawn.into_configs(),
        10 => alter.into_configs(),
        11 => reserve.into_configs(),
        12 => shout.into_configs(),
        13 => listen.into_configs(),
        14 => command.into_configs(),
        15 => survey.into_configs(),
        16 => fail.into_configs(),
        17 => keep_to_yourself.into_configs(),
        _ => blend.into_configs(),
    }
}

#[system]
pub(crate) fn lucky(dice: Res<Dice>) -> bool {
    dice.0 >> 11 & 3 != 0
}

#[system]
pub(crate) fn noted(notes: Res<Notes>) -> bool {
    !notes.0.len().is_multiple_of(3)
}

#[system]
pub(crate) fn spawned(mut commands: Commands, plenty: Comp<A>) -> bool {
    commands.spawn(A(plenty.len() as u64));
    plenty.len().is_multiple_of(2)
}

/// Builds a world with data for all systems.
pub(crate) fn world(seed: u64) -> World {
    let mut world = World::new();
    let mut dice = Dice(seed);
    for _ in 0..12 {
        let entity = world.spawn(A(dice.next()));
        if dice.next().is_multiple_of(2) {
            world.insert(entity, B(dice.next())).unwrap();
        }
        if dice.next().is_multiple_of(2) {
            world.insert(entity, C(dice.next())).unwrap();
        }
        if dice.next().is_multiple_of(2) {
            world.insert(entity, D(dice.next())).unwrap();
        }
    }
    world.insert_resource(dice);
    world.insert_resource(Notes::default());
    world.insert_resource(Ids::default());
    world.insert_resource(Events::<Shout>::default());
    world.insert_resource(Witness::default());
    world
}

/// Hashes the observable state of the world.
fn digest(world: &World) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut entities: BTreeMap<u64, _> = BTreeMap::new();
    // In the order of rows, which must be the same too.
    for (row, entity) in world.entities().iter().enumerate() {
        let values = (
            world.get::<A>(entity).map(|a| a.clone()),
            world.get::<B>(entity).map(|b| b.clone()),
            world.get::<C>(entity).map(|c| c.clone()),
            world.get::<D>(entity).map(|d| d.clone()),
        );
        entities.insert(entity.to_bits(), (row, values));
    }
    entities.hash(&mut hasher);
    world.len().hash(&mut hasher);
    world.resource::<Dice>().hash(&mut hasher);
    world.resource::<Notes>().hash(&mut hasher);
    world.resource::<Ids>().hash(&mut hasher);
    hasher.finish()
}

/// The result that must not depend on the executor: the world, the runs of each kind of system, and the errors.
pub(crate) fn outcome(world: &World, result: Result<(), ScheduleError>) -> (u64, Vec<u32>, String) {
    world.check_invariants();
    let seen = world.resource::<Witness>();
    let ran = seen.0.ran.iter().map(|ran| ran.load(Ordering::Relaxed));
    let errors = result.err().map(|error| error.to_string());
    (digest(world), ran.collect(), errors.unwrap_or_default())
}
