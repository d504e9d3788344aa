use alloc::string::String;
use alloc::vec::Vec;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Storage;
use crate::command::Commands;
use crate::component::ComponentId;
use crate::entity::{Entity, Location, TableId};
use crate::query::With;
use crate::test_components::{DropName, Position, Tag, Vast, Velocity};
use crate::world::{CommandQueue, World};

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
    let ids = [ComponentId::of::<Tag>(), ComponentId::of::<DropName>()];
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

#[test]
fn reserved_entities_that_do_not_fit_are_gone_and_the_world_goes_on() {
    let mut world = World::new();
    let old = world.spawn(());
    world.despawn(old).unwrap();
    let reserved: Vec<Entity> = (0..5).map(|_| world.reserve_entity()).collect();
    let place = |world: &mut World, rows| {
        let place = AssertUnwindSafe(|| world.storage.place_reserved_up_to(rows));
        catch_unwind(place).map_err(|message| *message.downcast::<String>().unwrap())
    };
    let message = place(&mut world, 3).unwrap_err();
    assert!(
        message.starts_with("2 of 5 reserved entities have no room"),
        "{message}"
    );
    assert!(message.contains("help: "), "{message}");
    let alive: Vec<bool> = reserved.iter().map(|&id| world.contains(id)).collect();
    assert_eq!(alive, [true, true, true, false, false]);
    assert_eq!(world.len(), 3);
    // Nothing is left that panics again, and no id comes twice.
    assert_eq!(place(&mut world, 3), Ok(()));
    world.flush();
    let more: Vec<Entity> = (0..3).map(|_| world.reserve_entity()).collect();
    assert!(more.iter().all(|id| !reserved.contains(id)));
    assert!(place(&mut world, 3).is_err());
    assert!(!world.contains(more[0]));
    let spawned = world.spawn(());
    assert!(!more.contains(&spawned) && !reserved.contains(&spawned));
    world.despawn(reserved[0]).unwrap();
    assert_eq!(world.len(), 3);
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

/// The tables that loops over all entities visit.
///
/// # Panics
/// If a table with rows is not among them.
fn visited(world: &World) -> Vec<TableId> {
    let storage = &world.storage;
    let visited: Vec<TableId> = storage.occupied(storage.all_tables().blocks()).collect();
    for (id, table) in (0..).zip(storage.tables()) {
        assert!(table.len() == 0 || visited.contains(&id), "table {id}");
    }
    visited
}

/// The tables that have rows.
fn with_rows(world: &World) -> Vec<TableId> {
    let tables = (0..).zip(world.storage.tables());
    let tables = tables.filter(|(_, table)| table.len() > 0);
    tables.map(|(id, _)| id).collect()
}

#[test]
fn loops_visit_the_tables_that_have_rows_and_no_others() {
    let mut world = World::new();
    let check = |world: &World, rows: &[usize]| {
        assert_eq!(visited(world), with_rows(world));
        let tables = with_rows(world).into_iter();
        let found: Vec<usize> = tables.map(|id| world.storage.table(id).len()).collect();
        assert_eq!(found, rows, "the rows of each table that has some");
        assert_eq!(
            world.view::<Position>().iter().count(),
            world.view::<Position>().len()
        );
    };
    check(&world, &[]);
    // An entity that gets its components one by one.
    let one = world.spawn(());
    world.insert(one, Position::default()).unwrap();
    world.insert(one, Velocity::default()).unwrap();
    check(&world, &[1]);
    let two = world.spawn((Position::default(), Velocity::default()));
    check(&world, &[2]);
    world.remove::<Velocity>(one).unwrap();
    check(&world, &[1, 1]);
    world.despawn(two).unwrap();
    check(&world, &[1]);
    world.despawn(one).unwrap();
    check(&world, &[]);
    // Several at once, and by commands, which move entities together.
    let many = world
        .spawn_batch((0..5).map(|_| (Position::default(), Tag)))
        .to_vec();
    check(&world, &[5]);
    let mut queue = CommandQueue::default();
    for &entity in &many[..2] {
        let mut commands = Commands::new(&mut queue, world.entities());
        commands.insert(entity, DropName(String::new()));
    }
    queue.apply(&mut world);
    check(&world, &[3, 2]);
    for &entity in &many {
        Commands::new(&mut queue, world.entities()).remove::<Tag>(entity);
    }
    queue.apply(&mut world);
    check(&world, &[3, 2]);
    // Whole tables.
    world.insert_all::<With<Position>, _>(Velocity::default());
    check(&world, &[3, 2]);
    world.remove_all::<DropName, With<Position>>();
    check(&world, &[5]);
    world.despawn_all::<With<Position>>();
    check(&world, &[]);
    let reserved = world.reserve_entity();
    world.flush();
    check(&world, &[1]);
    world.despawn(reserved).unwrap();
    world.spawn(Tag);
    world.clear();
    check(&world, &[]);
}
