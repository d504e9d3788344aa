//! A game for a processor without an operating system: everything that works without the feature `std`, in one program.

#![no_std]

extern crate alloc;

pub mod board;
/// Every macro once.
#[path = "../../hygiene/src/forms.rs"]
pub mod forms;

use alloc::format;
use alloc::string::String;
use core::time::Duration;

use ecs_core::containers::GenerationalVec;
use ecs_core::prelude::*;
use ecs_core::relation::Sources;
use ecs_core::schedule::conditions::not;
use ecs_core::schedule::{FixedTime, FrameTime, ScheduleError, fixed};
use ecs_core::world::Shrunk;

#[derive(Component)]
struct Position(f32);

#[derive(Component)]
#[component(track)]
struct Velocity(f32);

#[derive(Component)]
#[component(storage = "sparse")]
struct Frozen;

#[derive(Component)]
struct Name(String);

#[derive(Relation)]
struct ChildOf;

struct Froze(Entity);

/// The result of a game.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq)]
pub struct Score {
    /// The letters in the names of all entities that froze.
    pub letters: usize,
    /// The entities that moved, summed over the frames.
    pub moved: usize,
    /// The sum of all places at the end.
    pub places: f32,
    /// The bytes of names that are kept for the children of the root.
    pub children: usize,
}

/// The score of [`play`].
pub const EXPECTED: Score = Score {
    // "child 1", "child 2" and "child 3", which stop at 3.
    letters: 21,
    // Three in the first frame and in the paused one, then two, then only the one that stands still.
    moved: 3 + 3 + 2 + 1,
    places: 9.0,
    children: 28,
};

#[system(for_each)]
fn movement(position: &mut Position, velocity: &Velocity, time: Res<FixedTime>) {
    position.0 += velocity.0 * time.step().as_secs_f32();
}

#[system]
fn freeze(
    positions: Comp<Position>,
    frozen: Comp<Frozen>,
    mut commands: Commands,
    mut froze: EventWriter<Froze>,
) {
    for (entity, position) in positions.exclude(&frozen).with_entity().iter() {
        if position.0 >= 3.0 {
            commands.insert(entity, Frozen);
            commands.remove::<Velocity>(entity);
            froze.send(Froze(entity));
        }
    }
}

#[system]
fn read_events(mut score: ResMut<Score>, mut froze: EventReader<Froze>, names: Comp<Name>) {
    for Froze(entity) in froze.read() {
        score.letters += names.get(*entity).map_or(0, |name| name.0.len());
    }
}

#[system]
fn count(mut score: ResMut<Score>, velocities: Comp<Velocity>, mut moved: Local<usize>) {
    *moved += velocities.iter().count();
    score.moved = *moved;
}

#[system]
fn paused(paused: Res<bool>) -> bool {
    *paused
}

/// Plays four frames; the second is paused.
///
/// # Errors
/// None, because no system fails.
pub fn play() -> Result<Score, ScheduleError> {
    let mut world = World::new();
    world.add_event::<Froze>();
    world.insert_resource(Score::default());
    world.insert_resource(false);
    let delta = Duration::from_secs(1);
    world.insert_resource(FrameTime { delta });
    let root = world.spawn((Name("root".into()), Position(0.0)));
    for n in 0..4_u8 {
        let name = Name(format!("child {n}"));
        world.spawn((name, Position(0.0), Velocity(n.into()), ChildOf.to(root)));
    }

    let mut physics = Schedule::named("physics");
    physics.add((movement, freeze).chain());
    let mut frame = Schedule::new();
    frame.add((
        fixed(Duration::from_millis(500), physics).run_if(not(paused)),
        read_events,
        count,
    ));
    for number in 0..4 {
        *world.resource_mut::<bool>() = number == 1;
        frame.run(&mut world)?;
    }

    let mut score = *world.resource::<Score>();
    score.places = world.view::<Position>().iter().map(|place| place.0).sum();
    if let Some(children) = world.get::<Sources<ChildOf>>(root) {
        let mut lengths = GenerationalVec::new();
        for child in children.iter() {
            if let Some(name) = world.get::<Name>(child) {
                assert!(lengths.insert(child, name.0.len()).is_ok());
            }
        }
        score.children = lengths.values().sum();
    }
    world.despawn_all::<With<Name>>();
    assert_eq!(world.shrink_while(|_| true), Shrunk::Fully);
    Ok(score)
}
