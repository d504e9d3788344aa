use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Storage;
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::test_components::{Name, Position, Tag, Vast, Velocity};
use crate::world::World;

/// Registers the components and returns their table.
fn table_of(storage: &mut Storage, components: &[ComponentId]) -> TableId {
    for &component in components {
        storage.register(component);
    }
    storage.table_of(components)
}

/// The message of the panic if so many rows cannot be reserved.
fn refusal(storage: &mut Storage, table: TableId, more: usize) -> String {
    let reserve = AssertUnwindSafe(|| storage.reserve_rows(table, more));
    *catch_unwind(reserve).unwrap_err().downcast().unwrap()
}

#[test]
fn rows_that_no_table_can_have_are_refused_and_change_nothing() {
    let mut storage = Storage::default();
    let ids = [ComponentId::of::<Tag>(), ComponentId::of::<Name>()];
    let table = table_of(&mut storage, &ids);
    storage.reserve_rows(table, 10);
    let capacity = storage.table(table).capacity();
    for more in [Location::MAX_ROWS + 1, usize::MAX] {
        let message = refusal(&mut storage, table, more);
        let expected = "do not fit into one table, which has at most 67108864 rows";
        assert!(message.contains(expected), "{message}");
        assert_eq!(storage.table(table).capacity(), capacity);
    }
}

#[test]
fn rows_that_do_not_fit_into_the_address_space_are_refused_and_change_nothing() {
    let mut storage = Storage::default();
    let ids = [ComponentId::of::<Position>(), ComponentId::of::<Vast>()];
    let table = table_of(&mut storage, &ids);
    let message = refusal(&mut storage, table, Location::MAX_ROWS);
    assert!(message.contains("capacity overflow"), "{message}");
    assert_eq!(storage.table(table).capacity(), 0);
}

/// The address of the positions in the entity's table, and the table's capacity.
fn positions(world: &World, entity: Entity) -> (*mut u8, usize) {
    let table = world.storage.entities.get(entity).unwrap().table;
    let store = world.storage.store(ComponentId::of::<Position>());
    (store.column(table), world.storage.table(table).capacity())
}

#[test]
fn all_rows_of_a_table_move_into_an_empty_one_with_or_without_its_memory() {
    for (room, rows) in [(100, 10), (10, 100), (10, 10), (8, 5)] {
        let mut world = World::new();
        let moving = |n: usize| (Position([n as f32; 3]), Velocity([1.0; 3]));
        let all = world.spawn_batch((0..room).map(moving)).to_vec();
        let (into, capacity) = positions(&world, all[0]);
        world.despawn_all::<()>();
        let all = world.spawn_batch((0..rows).map(|n| moving(n).0)).to_vec();
        let (from, own) = positions(&world, all[0]);
        world.insert_all::<(), _>(Velocity([2.0; 3]));
        let (now, large) = positions(&world, all[0]);
        assert!(large >= rows, "the target has capacity");
        if capacity > own {
            assert_eq!((now, large), (into, capacity), "the larger memory is kept");
        } else if capacity == own {
            assert_eq!((now, large), (from, own), "the memory was swapped");
        }
        // Fill both tables up to their capacity.
        let more = world.spawn_batch((rows..2 * large).map(moving)).to_vec();
        let old = world
            .spawn_batch((0..2 * own).map(|n| moving(n).0))
            .to_vec();
        let value = |entity| world.get::<Position>(entity).unwrap().0[0] as usize;
        assert!(all.into_iter().chain(more).map(value).eq(0..2 * large));
        assert!(old.into_iter().map(value).eq(0..2 * own));
    }
}
