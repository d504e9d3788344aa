use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Storage;
use crate::component::ComponentId;
use crate::entity::{Location, TableId};
use crate::test_components::{Name, Position, Tag, Vast};

/// A table with the components.
fn table_of(storage: &mut Storage, components: &[ComponentId]) -> TableId {
    for &component in components {
        storage.meet(component);
    }
    storage.table_of(components)
}

/// What the panic says when there is no room for so many rows more.
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
