//! Tests of the operations of a world.

use alloc::borrow::ToOwned;
use alloc::string::{String, ToString};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;
use crate::entity::EntityTable;
use crate::test_components::{DropName, Large, Position, Stunned, Tag, Title, Velocity};

/// Returns the panic message of `f`.
fn panic_message<R>(f: impl FnOnce() -> R) -> String {
    let payload = catch_unwind(AssertUnwindSafe(f)).err().expect("a panic");
    payload
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| {
            payload
                .downcast_ref::<&str>()
                .map(|text| (*text).to_owned())
        })
        .expect("a text")
}

/// Checks the invariants of the world.
fn checked(world: &World) -> &World {
    #[cfg(feature = "validate")]
    world.check_invariants();
    world
}

#[test]
fn a_spawned_entity_has_its_components() {
    let mut world = World::new();
    let entity = world.spawn((
        Position([1.0; 3]),
        DropName::new("Bob"),
        Tag,
        Stunned(3),
        Large([7; 5000]),
    ));
    let world = checked(&world);
    assert!(world.contains(entity));
    assert_eq!(*world.get::<Position>(entity).unwrap(), Position([1.0; 3]));
    assert_eq!(
        *world.get::<DropName>(entity).unwrap(),
        DropName::new("Bob")
    );
    assert_eq!(*world.get::<Stunned>(entity).unwrap(), Stunned(3));
    assert_eq!(*world.get::<Large>(entity).unwrap(), Large([7; 5000]));
    assert!(world.has::<Tag>(entity) && !world.has::<Velocity>(entity));
    assert_eq!(world.len(), 1);
}

#[test]
fn a_despawned_entity_is_not_found() {
    let mut world = World::new();
    let (first, last) = (
        world.spawn(DropName::new("a")),
        world.spawn((DropName::new("b"), Title::new("t"))),
    );
    assert_eq!(world.despawn(first), Ok(()));
    assert_eq!(world.despawn(first), Err(NoSuchEntity { entity: first }));
    assert!(checked(&world).get::<DropName>(first).is_none());
    assert_eq!(world.get::<DropName>(last).unwrap().0, "b");
    let again = world.spawn_empty();
    assert_eq!(again.index(), first.index());
    assert_ne!(again, first);
}

#[test]
fn the_last_row_fills_the_gap_and_is_found_there() {
    let mut world = World::new();
    let all: Vec<Entity> = (0..100)
        .map(|i| world.spawn((Position([i as f32; 3]), DropName(i.to_string()))))
        .collect();
    for entity in all.iter().step_by(3) {
        world.despawn(*entity).unwrap();
    }
    for (i, &entity) in all.iter().enumerate() {
        let name = checked(&world)
            .get::<DropName>(entity)
            .map(|name| name.0.clone());
        assert_eq!(name, (i % 3 != 0).then(|| i.to_string()));
    }
}

#[test]
fn inserting_replaces_existing_components_and_adds_missing_ones() {
    let mut world = World::new();
    let entity = world.spawn((Position([1.0; 3]), DropName::new("old"), Title::new("old")));
    world
        .insert(
            entity,
            (
                Velocity([2.0; 3]),
                DropName::new("new"),
                Stunned(1),
                Title::new("new"),
            ),
        )
        .unwrap();
    let world = checked(&world);
    assert_eq!(world.get::<DropName>(entity).unwrap().0, "new");
    assert_eq!(world.get::<Title>(entity).unwrap().0, "new");
    assert_eq!(*world.get::<Position>(entity).unwrap(), Position([1.0; 3]));
    assert_eq!(*world.get::<Velocity>(entity).unwrap(), Velocity([2.0; 3]));
    assert_eq!(*world.get::<Stunned>(entity).unwrap(), Stunned(1));
}

#[test]
fn replacing_hands_the_old_value_back() {
    let mut world = World::new();
    let entity = world.spawn_empty();
    assert_eq!(world.replace(entity, DropName::new("a")), Ok(None));
    assert_eq!(
        world.replace(entity, DropName::new("b")),
        Ok(Some(DropName::new("a")))
    );
    assert_eq!(world.replace(entity, Title::new("a")), Ok(None));
    assert_eq!(
        world.replace(entity, Title::new("b")),
        Ok(Some(Title::new("a")))
    );
}

#[test]
fn removing_skips_missing_components() {
    let mut world = World::new();
    let entity = world.spawn((Position([1.0; 3]), DropName::new("a"), Stunned(1)));
    let other = world.spawn((Position([2.0; 3]), DropName::new("b"), Stunned(2)));
    world
        .remove::<(DropName, Velocity, Stunned)>(entity)
        .unwrap();
    assert!(!world.has::<DropName>(entity) && !world.has::<Stunned>(entity));
    assert_eq!(
        *checked(&world).get::<Position>(entity).unwrap(),
        Position([1.0; 3])
    );
    assert_eq!(world.get::<DropName>(other).unwrap().0, "b");
    assert_eq!(*world.get::<Stunned>(other).unwrap(), Stunned(2));
}

#[test]
fn taking_hands_all_components_back_or_changes_nothing() {
    let mut world = World::new();
    let entity = world.spawn((Position([1.0; 3]), DropName::new("a"), Title::new("t")));
    let error = world.take::<(DropName, Velocity)>(entity).unwrap_err();
    assert!(error.to_string().contains("Velocity"), "{error}");
    assert!(world.has::<DropName>(entity));
    let taken = world.take::<(Title, DropName)>(entity);
    assert_eq!(taken, Ok((Title::new("t"), DropName::new("a"))));
    assert!(!checked(&world).has::<DropName>(entity) && !world.has::<Title>(entity));
    assert!(world.has::<Position>(entity));
}

#[test]
fn changes_of_a_despawned_entity_are_errors() {
    let mut world = World::new();
    let entity = world.spawn(DropName::new("a"));
    world.despawn(entity).unwrap();
    let gone = NoSuchEntity { entity };
    assert_eq!(world.insert(entity, Tag), Err(gone));
    assert_eq!(world.replace(entity, Tag), Err(gone));
    assert_eq!(world.remove::<Tag>(entity), Err(gone));
    assert_eq!(
        world.take::<DropName>(entity),
        Err(TakeError::NoSuchEntity(gone))
    );
    assert!(world.get_mut::<DropName>(entity).is_none());
    assert!(world.entity(entity).is_err() && world.entity_mut(entity).is_err());
}

#[test]
fn a_batch_spawns_an_entity_per_bundle_in_order() {
    let mut world = World::new();
    let dead = world.spawn(Tag);
    world.despawn(dead).unwrap();
    let ids = world
        .spawn_batch((0..1000).map(|i| (DropName(i.to_string()), Position([i as f32; 3]))))
        .to_vec();
    assert_eq!(ids.len(), 1000);
    assert_eq!(ids[0].index(), dead.index());
    for (i, &entity) in ids.iter().enumerate() {
        assert_eq!(world.get::<DropName>(entity).unwrap().0, i.to_string());
    }
    checked(&world);
}

#[test]
fn a_batch_of_sparse_components_is_spawned_too() {
    let mut world = World::new();
    let ids = world
        .spawn_batch((0..50).map(|i| (Title(i.to_string()), Tag)))
        .to_vec();
    assert_eq!(world.get::<Title>(ids[49]).unwrap().0, "49");
    assert_eq!(checked(&world).len(), 50);
}

#[test]
fn a_batch_keeps_the_entities_spawned_before_its_iterator_panicked() {
    let mut world = World::new();
    let bundles = (0..10).map(|i| {
        if i < 7 {
            DropName(i.to_string())
        } else {
            panic!("enough")
        }
    });
    assert_eq!(panic_message(|| world.spawn_batch(bundles).len()), "enough");
    assert_eq!(checked(&world).len(), 7);
}

#[test]
fn a_batch_does_not_trust_the_length_that_its_iterator_claims() {
    struct Liar(usize, usize);
    impl Iterator for Liar {
        type Item = DropName;
        fn next(&mut self) -> Option<DropName> {
            self.0 = self.0.checked_sub(1)?;
            Some(DropName::new("liar"))
        }
        fn size_hint(&self) -> (usize, Option<usize>) {
            (self.1, Some(self.1))
        }
    }
    for claim in [0, 3, 500, usize::MAX] {
        let mut world = World::new();
        assert_eq!(world.spawn_batch(Liar(20, claim)).len(), 20);
        checked(&world);
    }
}

#[test]
fn a_bundle_with_a_duplicate_component_panics_with_its_name() {
    let mut world = World::new();
    // Spawning the bundle would not compile.
    let message = panic_message(|| world.remove_all::<(Tag, (DropName, Tag)), ()>());
    assert!(message.contains("Tag` twice"), "{message}");
    assert!(checked(&world).is_empty());
}

#[test]
fn clearing_despawns_all_entities_and_keeps_resources() {
    let mut world = World::new();
    world.insert_resource(5_u8);
    let a = world.spawn((DropName::new("a"), Stunned(1)));
    let b = world.reserve_entity();
    world.clear();
    assert!(!world.contains(a) && !world.contains(b));
    assert_eq!(checked(&world).len(), 0);
    assert_eq!(*world.resource::<u8>(), 5);
    let again = world.spawn(Stunned(2));
    assert_eq!(again.index(), 0);
    assert!(!world.contains(a));
}

#[test]
fn a_reserved_entity_can_be_used_at_once() {
    let mut world = World::new();
    let (a, b, c) = (
        world.reserve_entity(),
        world.reserve_entity(),
        world.reserve_entity(),
    );
    assert!(world.contains(a) && world.get::<DropName>(a).is_none());
    assert_eq!(world.len(), 3);
    world.insert(b, DropName::new("b")).unwrap();
    world.despawn(a).unwrap();
    world.spawn_reserved(c, DropName::new("c"));
    assert_eq!(checked(&world).get::<DropName>(b).unwrap().0, "b");
    assert_eq!(world.get::<DropName>(c).unwrap().0, "c");
    assert_eq!(world.len(), 2);
    let d = world.reserve_entity();
    world.spawn_reserved(d, DropName::new("d"));
    world.flush();
    assert_eq!(checked(&world).get::<DropName>(d).unwrap().0, "d");
    world.spawn_reserved(a, DropName::new("ghost"));
    assert!(!checked(&world).contains(a));
}

#[test]
fn an_id_of_a_used_up_index_is_never_issued_again() {
    let mut world = World::with_entities(EntityTable::with_max_generation(2));
    let ids: Vec<Entity> = (0..6)
        .map(|_| {
            let entity = world.spawn(Stunned(1));
            world.despawn(entity).unwrap();
            entity
        })
        .collect();
    let different: std::collections::HashSet<_> = ids.iter().collect();
    assert_eq!(different.len(), 6);
    assert_eq!(checked(&world).len(), 0);
}

#[test]
fn a_reference_excludes_writers() {
    let mut world = World::new();
    let entity = world.spawn(DropName::new("a"));
    let name = world.get::<DropName>(entity).unwrap();
    assert!(world.try_view_mut::<DropName>().is_err());
    assert!(world.try_view::<DropName>().is_ok());
    drop(name);
    let view = world.view_mut::<DropName>();
    let error = world.try_get::<DropName>(entity).unwrap_err();
    assert!(
        error.to_string().contains("Name` cannot be read now"),
        "{error}"
    );
    drop(view);
}

#[test]
fn handles_read_and_change_an_entity() {
    let mut world = World::new();
    let entity = world.spawn(Velocity::default());
    let mut handle = world.entity_mut(entity).unwrap();
    handle
        .insert(DropName::new("Bob"))
        .remove::<Velocity>()
        .insert((Tag, Stunned(1)));
    assert!(handle.has::<(DropName, Tag, Stunned)>() && !handle.has::<(DropName, Velocity)>());
    handle.get_mut::<DropName>().unwrap().0.push('!');
    assert_eq!(handle.replace(Stunned(2)), Some(Stunned(1)));
    assert_eq!(handle.take::<Stunned>(), Ok(Stunned(2)));
    assert_eq!(
        world.entity(entity).unwrap().get::<DropName>().unwrap().0,
        "Bob!"
    );
    world.entity_mut(entity).unwrap().despawn();
    assert!(!checked(&world).contains(entity));
}

#[test]
fn worlds_have_different_ids_and_can_move_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<World>();
    assert_ne!(World::new().id(), World::new().id());
}

#[test]
fn deferred_commands_run_at_the_flush() {
    let mut world = World::new();
    let mut queue = CommandQueue::new();
    queue.push(|world: &mut World| {
        world.insert_resource(1_u8);
        let mut more = CommandQueue::new();
        more.push(|world: &mut World| assert!(world.insert_resource(2_u16).is_none()));
        world.defer(&mut more);
    });
    world.defer(&mut queue);
    assert!(queue.is_empty() && !world.contains_resource::<u8>());
    world.flush();
    assert!(world.contains_resource::<u8>() && world.contains_resource::<u16>());
}

#[test]
fn a_single_sparse_component_is_inserted_and_removed_and_dropped_once() {
    use std::sync::Arc;

    struct Counted(#[expect(dead_code, reason = "counts the living values")] Arc<()>);

    impl crate::component::Component for Counted {
        type Tracking = crate::component::Untracked;
        const IDENTITY: crate::meta::ConstTypeIdOf<Self> = crate::meta::ConstTypeIdOf::opaque();
        const STORAGE: crate::component::StorageKind = crate::component::StorageKind::Sparse;
    }

    let alive = Arc::new(());
    let mut world = World::new();
    let (a, b) = (world.spawn(Position::default()), world.spawn_empty());
    world.remove::<Counted>(a).unwrap();
    for entity in [a, b, a] {
        world.insert(entity, Counted(alive.clone())).unwrap();
    }
    assert_eq!(
        Arc::strong_count(&alive),
        3,
        "the replaced value is dropped"
    );
    world.remove::<Counted>(a).unwrap();
    world.remove::<Counted>(a).unwrap();
    assert_eq!(Arc::strong_count(&alive), 2);
    assert!(world.has::<Counted>(b) && !world.has::<Counted>(a) && world.has::<Position>(a));
    world.despawn(b).unwrap();
    assert!(world.insert(b, Counted(alive.clone())).is_err());
    assert!(world.remove::<Counted>(b).is_err());
    drop(world);
    assert_eq!(Arc::strong_count(&alive), 1);
}

#[test]
fn a_component_that_was_never_used_is_on_no_entity() {
    use crate::component::{Component, IdSlot, StorageKind, Untracked};

    struct NeverUsed;

    impl Component for NeverUsed {
        type Tracking = Untracked;
        const IDENTITY: crate::meta::ConstTypeIdOf<Self> = crate::meta::ConstTypeIdOf::opaque();
        const STORAGE: StorageKind = StorageKind::Sparse;

        fn id_slot() -> Option<&'static IdSlot<Self>> {
            static SLOT: IdSlot<NeverUsed> = IdSlot::new();
            Some(&SLOT)
        }
    }

    let mut world = World::new();
    let entity = world.spawn(Position::default());
    assert!(world.view::<NeverUsed>().iter().next().is_none());
    world.remove::<NeverUsed>(entity).unwrap();
    world.insert(entity, NeverUsed).unwrap();
    assert_eq!(world.view::<NeverUsed>().iter().count(), 1);
    world.remove::<NeverUsed>(entity).unwrap();
    assert!(world.view::<NeverUsed>().iter().next().is_none());
    checked(&world);
}
