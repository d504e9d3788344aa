//! Tests of snapshots that need the parts of a world.

use alloc::string::String;

use super::Snapshotter;
use crate::component::ComponentId;
use crate::data_type::DataTypeOf;
use crate::query::{Query, With};
use crate::schedule::Schedule;
use crate::storage::Copier;
use crate::test_components::{DropName, Health, Mood};
use crate::tick::{LIMIT, Tick};
use crate::world::World;

#[derive(Clone, Copy)]
struct Other;

#[test]
fn ticks_of_a_snapshot_keep_their_order_when_the_base_has_moved() {
    let all = Snapshotter::new().component::<Health>();
    let all = all.component::<Mood>();
    let of_entities = all.clone().entities::<With<Health>>();
    for snapshotter in [all, of_entities] {
        let mut world = World::starting_at(10_000);
        let entity = world.spawn((Health(1), Mood("calm".into())));
        let start = world.tick();
        let write = |world: &mut World| {
            world.get_mut::<Health>(entity).unwrap().0 += 1;
            world.get_mut::<Mood>(entity).unwrap().0 += "!";
        };
        write(&mut world);
        let mut snapshot = snapshotter.take(&mut world).unwrap();
        world.storage.clock.advance_to(LIMIT + 10);
        world.flush();
        // Long after the snapshot, and just after the new base.
        let between = Tick::new(world.storage.clock.base() + 100);
        let later = world.tick();
        snapshotter.restore(&mut world, &mut snapshot).unwrap();
        let changed = |world: &World, since| {
            let health = world.view::<Health>().since(since).is_changed(entity);
            [health, world.view::<Mood>().since(since).is_changed(entity)]
        };
        assert_eq!(changed(&world, between), [false; 2]);
        assert_eq!(changed(&world, later), [false; 2]);
        write(&mut world);
        assert_eq!(changed(&world, later), [true; 2]);
        assert_eq!(changed(&world, start), [true; 2]);
    }
}

#[test]
fn ticks_of_a_snapshot_of_values_are_moved_with_the_base() {
    let mut world = World::starting_at(10_000);
    let entity = world.spawn((Health(1), DropName::new("a")));
    let start = world.tick();
    world.get_mut::<Health>(entity).unwrap().0 = 2;
    let mut schedule = Schedule::new();
    schedule.add(|_: Query<&mut Health>| {});
    let snapshotter = Snapshotter::new()
        .component::<Health>()
        .only_written_by(schedule.plan().unwrap());
    let mut snapshot = snapshotter.take(&mut world).unwrap();
    let is_changed = |world: &World, since| world.view::<Health>().since(since).is_changed(entity);
    let returned = |world: &mut World, snapshot: &mut _| {
        world.get_mut::<Health>(entity).unwrap().0 += 1;
        snapshotter.restore(world, snapshot).unwrap();
        assert_eq!(world.get::<Health>(entity).unwrap().0, 2);
    };
    // A little later the order is exact; it is kept inside the window after the base has moved, and lost before the
    // window.
    world.storage.clock.advance_to(LIMIT + 9_000);
    let between = world.tick();
    returned(&mut world, &mut snapshot);
    assert!(is_changed(&world, start) && !is_changed(&world, between));
    world.storage.clock.advance_to(LIMIT + 20_000);
    world.flush();
    let base = world.storage.clock.base();
    assert!(base > 10_000);
    returned(&mut world, &mut snapshot);
    assert_eq!(world.storage.clock.base(), base);
    assert!(!is_changed(&world, Tick::new(base + 100)) && !is_changed(&world, between));
    returned(&mut world, &mut snapshot);
    assert!(!is_changed(&world, Tick::new(base + 100)));
}

#[test]
fn a_copier_is_for_the_type_of_its_component() {
    let name = ComponentId::of::<DropName>();
    let (own, other) = const {
        let own = DataTypeOf::<String>::new("text", 1).cloned();
        let other = DataTypeOf::<Other>::new("other", 1).cloned();
        (&own.erased(), &other.erased())
    };
    assert!(
        Copier::of(name, Some(own)).is_none(),
        "`Name` is not a `String`"
    );
    assert!(Copier::of(name, Some(other)).is_none());
    assert!(Copier::of(name, None).is_none());
}
