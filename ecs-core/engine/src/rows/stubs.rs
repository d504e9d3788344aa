//! The components that stubs have.

use alloc::vec::Vec;
use core::mem::ManuallyDrop;

use super::TakeRowsError;
use crate::bundle::{Bundle, FieldVisitor, TypeVisitor};
use crate::component::{Component, ComponentId};
use crate::entity::Entity;
use crate::staging::{ErasedColumn, ReadyStaged, Staged, StagedRows};
use crate::storage::Storage;
use crate::world::World;

/// Makes the components of the stubs with some keys: a column of each, also if there are no keys.
pub(super) type MakeStubs<'a> = &'a mut dyn FnMut(&[u64]) -> Vec<ErasedColumn>;

/// Makes a column of each component of a bundle.
#[inline]
pub(super) fn columns_of<B: Bundle>(
    keys: &[u64],
    stub: &mut impl FnMut(u64) -> B,
) -> Vec<ErasedColumn> {
    const {
        assert!(
            !B::HAS_EFFECTS,
            "a stub has components and no relations; help: relate the entities that move"
        );
        assert!(
            !B::IS_VARIABLE,
            "all stubs have the same components; help: make the component itself optional, as in `struct Label(Option<String>)`"
        );
        let () = B::DISTINCT;
    }
    let mut columns = BundleColumns::default();
    B::types(&mut columns);
    for &key in keys {
        let mut bundle = ManuallyDrop::new(stub(key));
        columns.next = 0;
        // SAFETY: the bundle is initialised, and as a `ManuallyDrop` it is not dropped after its fields were moved out.
        unsafe { B::fields(&raw mut *bundle, &mut columns) };
    }
    columns.columns
}

/// Moves the fields of bundles into columns.
#[derive(Default)]
struct BundleColumns {
    columns: Vec<ErasedColumn>,
    /// The number of the next field.
    next: usize,
}

impl TypeVisitor for BundleColumns {
    #[inline]
    fn visit<T: Component>(&mut self) {
        let column = ErasedColumn::new(ComponentId::of::<T>());
        self.columns.push(column);
    }
}

impl FieldVisitor for BundleColumns {
    #[inline]
    unsafe fn visit<T: Component>(&mut self, value: *mut T) {
        // SAFETY: the value is initialised and may be moved out, by the contract of `visit`.
        let value = unsafe { value.read() };
        let column = &mut self.columns[self.next];
        self.next += 1;
        let pushed = column.push(value);
        assert!(pushed.is_ok(), "a bundle visits the fields that it named");
    }
}

/// Stages components of entities, the ones in tables and the sparse ones.
#[inline]
pub(super) fn stage(
    staged: &mut Staged,
    entities: core::ops::Range<u32>,
    columns: Vec<ErasedColumn>,
) {
    let (sparse, in_tables): (Vec<_>, Vec<_>) = columns
        .into_iter()
        .partition(|column| column.component().storage().is_by_entity());
    if !in_tables.is_empty() {
        staged.add_table(StagedRows::Range(entities.clone()), in_tables);
    }
    for column in sparse {
        staged.add_set(entities.clone().collect(), column);
    }
}

/// The components of stubs that entities leave behind.
pub(super) struct LeftStubs<'a> {
    entities: &'a [Entity],
    staged: Staged,
    ready: ReadyStaged,
}

impl<'a> LeftStubs<'a> {
    /// Does everything that can fail.
    pub(super) fn prepare(
        world: &mut World,
        entities: &'a [Entity],
        columns: Vec<ErasedColumn>,
    ) -> Result<Self, TakeRowsError> {
        let storage = &mut world.storage;
        storage.reserve_rows(Storage::EMPTY_TABLE, entities.len());
        let count = entities.len() as u32;
        let mut staged = Staged::new(count);
        staged.make_only(false, Vec::new());
        stage(&mut staged, 0..count, columns);
        staged.begin_put(count, &Vec::from_iter(0..count));
        let ready = world.prepare_commit(&mut staged, entities);
        let ready = ready.map_err(TakeRowsError::Stub)?;
        Ok(Self {
            entities,
            staged,
            ready,
        })
    }

    /// Gives the components to the entities, which have none any more.
    pub(super) fn write(mut self, world: &mut World) {
        world.finish_commit(self.ready, &mut self.staged, self.entities);
    }
}
