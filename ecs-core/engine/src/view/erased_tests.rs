//! Tests of views without types.

use alloc::string::ToString;
use alloc::vec::Vec;

use super::ErasedChunk;
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::test_components::{DropName, Health, Mood, Position, Stunned, Tag, Title, Velocity};
use crate::world::World;

/// 100 entities in several tables; each 2nd has a velocity, each 3rd a sparse component, each 5th a tag.
fn mixed() -> (World, Vec<Entity>) {
    let mut world = World::new();
    let spawn = |i: u32| {
        let entity = world.spawn((Position([i as f32; 3]), DropName::new(&i.to_string())));
        if i.is_multiple_of(2) {
            world.insert(entity, Velocity([1.0; 3])).unwrap();
        }
        if i.is_multiple_of(3) {
            world.insert(entity, Title::new(&i.to_string())).unwrap();
        }
        if i.is_multiple_of(5) {
            world.insert(entity, Tag).unwrap();
        }
        entity
    };
    let all = (0..100).map(spawn).collect();
    (world, all)
}

/// Compares an erased view with the typed one, value by value.
fn agree<T: Component + PartialEq + core::fmt::Debug>(world: &World, all: &[Entity]) {
    let typed = world.view::<T>();
    let erased = world.view_erased(ComponentId::of::<T>());
    assert_eq!(erased.len(), typed.len());
    assert_eq!(erased.is_empty(), typed.is_empty());
    assert_eq!(erased.layout(), core::alloc::Layout::new::<T>());
    let mut found = 0;
    for chunk in erased.chunks() {
        let values = chunk.downcast::<T>().unwrap();
        assert_eq!(values.as_ptr().cast(), chunk.as_ptr());
        for ((entity, value), (row, &other)) in
            chunk.iter().zip(chunk.entities().iter().enumerate())
        {
            assert_eq!(entity, other);
            assert_eq!(value.downcast::<T>(), typed.get(entity));
            assert_eq!(chunk.get(row).unwrap().as_ptr(), value.as_ptr());
            assert_eq!(&values[row], typed.get(entity).unwrap());
            found += 1;
        }
        assert!(chunk.get(chunk.len()).is_none());
    }
    assert_eq!(found, typed.len());
    for &entity in all {
        assert_eq!(erased.contains(entity), typed.contains(entity));
        let value = erased.get(entity).and_then(|value| value.downcast::<T>());
        assert_eq!(value, typed.get(entity));
    }
}

#[test]
fn erased_views_see_what_typed_views_see() {
    let (mut world, all) = mixed();
    world.despawn(all[6]).unwrap();
    agree::<Position>(&world, &all);
    agree::<DropName>(&world, &all);
    agree::<Velocity>(&world, &all);
    agree::<Title>(&world, &all);
    agree::<Tag>(&world, &all);
    agree::<Stunned>(&world, &all);
}

#[test]
fn values_of_another_type_are_not_returned() {
    let (world, all) = mixed();
    let mut view = world.view_erased_mut(ComponentId::of::<Position>());
    assert!(view.get(all[0]).unwrap().downcast::<Velocity>().is_none());
    assert!(
        view.get_mut(all[0])
            .unwrap()
            .downcast::<Velocity>()
            .is_none()
    );
    assert!(
        view.chunks()
            .all(|chunk| chunk.downcast::<Velocity>().is_none())
    );
    assert!(
        view.chunks_mut()
            .all(|chunk| chunk.downcast::<Velocity>().is_none())
    );
}

#[test]
fn a_view_borrows_its_component() {
    let (world, _) = mixed();
    let id = ComponentId::of::<Title>();
    let reader = world.view_erased(id);
    assert!(world.try_view::<Title>().is_ok());
    assert!(world.try_view_erased(id).is_ok());
    assert!(world.try_view_mut::<Title>().is_err());
    let error = world.try_view_erased_mut(id).unwrap_err();
    assert!(error.write && error.component == id.name());
    drop(reader);
    let writer = world.view_erased_mut(id);
    assert!(world.try_view::<Title>().is_err());
    assert!(world.try_view_erased(id).is_err());
    assert!(world.try_view_erased_mut(id).is_err());
    assert!(
        world
            .try_view_erased_mut(ComponentId::of::<DropName>())
            .is_ok()
    );
    drop(writer);
    assert!(world.try_view_mut::<Title>().is_ok());
}

#[test]
fn values_are_written_through_pointers_and_references() {
    let (mut world, all) = mixed();
    {
        let mut view = world.view_erased_mut(ComponentId::of::<Position>());
        for mut chunk in view.chunks_mut() {
            let first = chunk.as_mut_ptr().cast::<Position>();
            for row in 0..chunk.len() {
                // SAFETY: the component is `Position`, and the chunk has the row.
                let place = unsafe { first.add(row) };
                // SAFETY: the row has a value, which nothing else accesses.
                unsafe { (*place).0[0] += 1000.0 };
            }
            for (_, value) in chunk.iter_mut() {
                value.downcast::<Position>().unwrap().0[1] += 2000.0;
            }
            chunk.get_mut(0).unwrap().downcast::<Position>().unwrap().0[2] = -1.0;
        }
        for chunk in view.chunks_mut() {
            for value in chunk.downcast::<Position>().unwrap() {
                value.0[0] *= 2.0;
            }
        }
        let mut value = view.get_mut(all[7]).unwrap();
        // SAFETY: the component is `Position`, and nothing else accesses the value.
        unsafe { *value.as_mut_ptr().cast::<Position>() = Position([7.0; 3]) };
    }
    assert_eq!(
        world.get_mut::<Position>(all[7]),
        Some(&mut Position([7.0; 3]))
    );
    assert_eq!(
        world.get_mut::<Position>(all[9]),
        Some(&mut Position([2018.0, 2009.0, 9.0]))
    );
    let mut title = world.view_erased_mut(ComponentId::of::<Title>());
    title
        .get_mut(all[3])
        .unwrap()
        .downcast::<Title>()
        .unwrap()
        .0 = "new".to_string();
    drop(title);
    assert_eq!(world.get::<Title>(all[3]).unwrap().0, "new");
}

#[test]
fn changes_are_noted_and_ticks_are_read() {
    let mut world = World::new();
    let all: Vec<_> = (0..3)
        .map(|i| world.spawn((Health(i), Mood(i.to_string()))))
        .collect();
    for id in [ComponentId::of::<Health>(), ComponentId::of::<Mood>()] {
        let before = {
            let view = world.view_erased(id);
            let value = view.get(all[1]).unwrap();
            assert_eq!(value.added(), value.changed());
            value.changed().unwrap()
        };
        let now = world.tick();
        let mut view = world.view_erased_mut(id);
        let _ = view.get_mut(all[0]).unwrap().as_mut_ptr();
        assert!(view.get(all[0]).unwrap().changed().unwrap() > now);
        assert_eq!(view.get(all[0]).unwrap().added(), Some(before));
        assert_eq!(view.get(all[1]).unwrap().changed(), Some(before));
        let touched = |chunk: ErasedChunk<'_>| {
            chunk
                .iter()
                .filter(|(_, value)| value.changed() > Some(now))
                .count()
        };
        assert_eq!(view.chunks().map(touched).sum::<usize>(), 1);
        view.chunks_mut()
            .for_each(|mut chunk| assert!(!chunk.as_mut_ptr().is_null()));
        assert_eq!(view.chunks().map(touched).sum::<usize>(), 3);
    }
    let view = world.view_erased_mut(ComponentId::of::<Health>());
    assert_eq!(
        view.get(all[0]).unwrap().downcast::<Health>(),
        Some(&Health(0))
    );
    drop(view);
    world.spawn(Position([0.0; 3]));
    let view = world.view_erased(ComponentId::of::<Position>());
    let untracked = view.chunks().next().unwrap().get(0).unwrap();
    assert_eq!((untracked.added(), untracked.changed()), (None, None));
}

#[test]
fn rows_that_changed_after_a_tick_are_found_in_blocks_and_behind_them() {
    let mut world = World::new();
    let all = world.spawn_batch((0..100).map(Health)).to_vec();
    world.spawn_batch((0..100).map(|_| Position([0.0; 3])));
    let since = world.tick();
    for row in [0, 31, 32, 63, 96, 99] {
        world.get_mut::<Health>(all[row]).unwrap().0 += 1;
    }
    let mut rows = Vec::new();
    for chunk in world.view_erased(ComponentId::of::<Health>()).chunks() {
        assert!(chunk.push_changed(since, &mut rows));
    }
    assert_eq!(rows, [0, 31, 32, 63, 96, 99]);
    for chunk in world.view_erased(ComponentId::of::<Position>()).chunks() {
        assert!(!chunk.push_changed(since, &mut rows), "it is not tracked");
    }
}

#[test]
fn a_component_that_the_world_never_had_has_no_values() {
    let world = World::new();
    let view = world.view_erased(ComponentId::of::<Velocity>());
    assert_eq!((view.len(), view.chunks().count()), (0, 0));
    let view = world.view_erased(ComponentId::of::<Stunned>());
    assert!(view.is_empty() && view.chunks().count() == 0);
}
