//! `World::borrow` borrows system parameters without a system.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ecs_core::event::EventCursor;
use ecs_core::prelude::*;
use ecs_core::system::Borrowed;

#[derive(Component, Debug, PartialEq)]
struct Position(i32);

#[derive(Component)]
struct Frozen;

#[derive(Component)]
struct Tag<T>(T);

#[derive(SystemParam)]
struct Both<'w, 's> {
    positions: CompMut<'w, Position>,
    count: Local<'s, Vec<u8>>,
    commands: Commands<'s>,
}

fn world() -> World {
    let mut world = World::new();
    world.spawn(Position(1));
    world.spawn((Position(2), Frozen));
    world
}

/// In the order of tables: frozen entities come last.
fn values(world: &World) -> Vec<i32> {
    world.view::<Position>().iter().map(|p| p.0).collect()
}

#[test]
fn derived_parameters_with_state_are_borrowed() {
    let mut world = world();
    let mut borrowed = world.borrow::<Both>();
    let mut both = borrowed.get();
    both.count.push(7);
    both.positions
        .iter_mut()
        .for_each(|position| position.0 *= 10);
    both.commands.spawn(Position(3));
    drop(both);
    // The state lives as long as the guard.
    assert_eq!(*borrowed.get().count, [7]);
    drop(borrowed);
    assert_eq!(values(&world), [10, 20]);
    world.flush();
    assert_eq!(values(&world), [10, 3, 20]);
    assert!(world.borrow::<Both>().get().count.is_empty());
}

#[test]
fn a_guard_can_be_moved_and_passed_on() {
    fn last(mut borrowed: Borrowed<'_, Both<'_, '_>>) -> usize {
        borrowed.get().commands.spawn(Position(5));
        borrowed.get().positions.iter().count()
    }
    let mut world = world();
    let borrowed = world.borrow::<Both>();
    let mut boxed = Box::new(Some(borrowed));
    boxed.as_mut().as_mut().unwrap().get().count.push(1);
    assert_eq!(boxed.as_mut().as_mut().unwrap().get().count.len(), 1);
    assert_eq!(last(boxed.take().unwrap()), 2);
    drop(boxed);
    assert!(world.try_view_mut::<Position>().is_ok());
    world.flush();
    assert_eq!(values(&world), [1, 5, 2]);
}

#[test]
fn queries_that_filters_keep_disjoint_are_borrowed_together() {
    let world = world();
    let mut borrowed = world.borrow::<(
        Query<&mut Position, With<Frozen>>,
        Query<&mut Position, Without<Frozen>>,
    )>();
    let (mut frozen, mut moving) = borrowed.get();
    frozen.for_each(|frozen| moving.for_each(|moving| moving.0 += frozen.0));
    assert!(world.try_view::<Position>().is_err());
    drop((frozen, moving));
    drop(borrowed);
    assert_eq!(values(&world), [3, 2]);
}

#[test]
fn parameters_take_turns_in_a_set() {
    let world = world();
    let mut borrowed = world.borrow::<ParamSet<(CompMut<Position>, Comp<Position>)>>();
    let mut set = borrowed.get();
    set.p0().iter_mut().for_each(|position| position.0 += 1);
    assert_eq!(set.p1().iter().count(), 2);
    drop(borrowed);
    assert_eq!(values(&world), [2, 3]);
}

#[test]
fn a_reader_that_is_borrowed_reads_all_events_that_are_kept_and_a_cursor_goes_on() {
    let mut world = world();
    world.add_event::<u32>();
    let [mut cursor, mut late] = [(); 2].map(|()| EventCursor::default());
    for cursor in [&mut cursor, &mut late] {
        assert!(cursor.on(&world.resource::<Events<u32>>()).is_empty());
    }
    // The late one keeps them.
    for sent in 1..=3 {
        world.send_event(sent);
        let mut borrowed = world.borrow::<EventReader<u32>>();
        assert!(borrowed.get().read().copied().eq(1..=sent));
        assert!(borrowed.get().is_empty(), "the guard has one reader");
        drop(borrowed);
        let new = cursor
            .on(&world.resource::<Events<u32>>())
            .read()
            .copied()
            .collect::<Vec<_>>();
        assert_eq!(new, [sent]);
    }
}

#[test]
fn conflicts_that_constants_cannot_decide_panic() {
    let mut world = world();
    world.spawn((Tag(0_u8), Tag(0_u16)));
    assert!(
        world
            .try_borrow::<(CompMut<Tag<u8>>, Comp<Tag<u16>>)>()
            .is_ok()
    );
    let twice = || drop(world.try_borrow::<(CompMut<Tag<u8>>, Comp<Tag<u8>>)>());
    let panic = catch_unwind(AssertUnwindSafe(twice)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.contains("Tag<u8>` twice"), "{message}");
    assert!(world.try_view_mut::<Tag<u8>>().is_ok());
}

#[test]
fn the_panic_names_the_parameter_and_the_reason() {
    let world = world();
    let missing = || drop(world.borrow::<(Comp<Position>, Res<u32>)>());
    let panic = catch_unwind(AssertUnwindSafe(missing)).unwrap_err();
    let message = panic.downcast_ref::<String>().unwrap();
    assert!(message.starts_with("cannot borrow `(Comp<"), "{message}");
    assert!(message.contains("no resource"), "{message}");
    assert!(world.try_view_mut::<Position>().is_ok());
}
