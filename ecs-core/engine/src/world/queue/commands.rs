//! The verbs as commands.
//!
//! Systems often ask for the same change of many entities, one command after the other. Where these commands move entities
//! between the same two tables, what is known of the bundle and of the tables is looked up once, and columns are moved one
//! after the other. That is done only where nobody could tell: no value is dropped and no hook called, so no user code runs in
//! between.
//!
//! An entity that is gone is not an error here; [`Commands`](crate::Commands) says why.

use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::buffer::CommandRun;
use super::{Command, World};
use crate::bundle::Bundle;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{BatchMove, Storage};
use crate::tick::CompactTick;
use crate::world::spawn::BatchWriter;

/// Gives an entity components.
pub(crate) struct Insert<B> {
    pub(crate) entity: Entity,
    pub(crate) bundle: B,
}

impl<B: Bundle> Command for Insert<B> {
    #[inline]
    fn apply(self, world: &mut World) {
        let _ = world.insert(self.entity, self.bundle);
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let at = world.storage.entities.get(self.entity);
        let Some(Location { table: from, .. }) = at.filter(|_| !B::IS_SPARSE_COMPONENT) else {
            return self.apply(world);
        };
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        if !info.is_plain() {
            return self.apply(world);
        }
        let target = info.after_insert(from, storage);
        if target == from {
            return self.replace_run(from, next, world);
        }
        let has = |&component| !storage.store(component).column(from).is_null();
        if info.components().iter().any(has) {
            return self.apply(world);
        }
        storage.reserve_rows(target, 1);
        let columns = info.starts_in(storage.table(target));
        let now = storage.clock.between();
        // SAFETY: the target has more components, so the tables differ, and all that the old one has.
        let mut group = unsafe { BatchMove::new(storage, from, Some(target)) };
        let mut first = Some(self);
        while let Some(Self { entity, bundle }) = first {
            // SAFETY: the first one is in the table and room was made for it, the others fit. The bundle, which is all that
            // the target has in addition, is written below.
            let row = unsafe { group.add(entity) };
            // SAFETY: nothing of the bundle is in the row, which is below the capacity; the columns are those of the bundle.
            unsafe { write(bundle, &columns, row, now) };
            first = next.next_if(|command| group.fits(command.entity));
        }
    }
}

impl<B: Bundle> Insert<B> {
    /// As [`apply_run`](Command::apply_run), where the entity has all components of the bundle already.
    fn replace_run(self, table: TableId, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        let columns = info.starts_in(storage.table(table));
        // A change is not an addition, of which `write` would note the ticks.
        let is_tracked = columns.len() > info.components().len();
        if is_tracked || info.needs_drop() {
            return self.apply(world);
        }
        let at = |command: &Self| storage.entities.get(command.entity);
        let mut first = Some(self);
        while let Some(command) = first {
            let row = at(&command).expect("it lives").row as usize;
            // SAFETY: the table has the row, the old values of which need no drop; the columns are those of the bundle.
            unsafe { write(command.bundle, &columns, row, CompactTick::NEVER) };
            first = next.next_if(|command| at(command).is_some_and(|at| at.table == table));
        }
    }
}

/// Moves the bundle into a row.
///
/// # Safety
/// The columns are [those](crate::bundle::BundleInfo::starts_in) of the bundle in a table that has memory for the row. What
/// is in their places, if anything, needs no drop.
#[inline]
unsafe fn write<B: Bundle>(bundle: B, columns: &[*mut u8], row: usize, now: CompactTick) {
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = BatchWriter {
        columns: columns.iter(),
        row,
        now,
    };
    // SAFETY: the bundle is initialised, and being `ManuallyDrop` it is not dropped when its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
}

/// Gives the row, which is the one behind the last one, to an entity that has no place yet.
///
/// # Safety
/// The table has room for the row, and every column of it was initialised.
#[inline]
unsafe fn place(storage: &mut Storage, entity: Entity, table: TableId, row: usize) {
    // SAFETY: the caller promises room and initialised columns.
    unsafe { storage.table_mut(table).push(entity) };
    let row = row as u32;
    storage.entities.place(entity, Location { table, row });
}

/// Takes components off an entity.
pub(crate) struct Remove<B> {
    entity: Entity,
    of: Invariant<B>,
}

impl<B> Remove<B> {
    pub(crate) fn new(entity: Entity) -> Self {
        let of = PhantomData;
        Self { entity, of }
    }
}

impl<B: Bundle> Command for Remove<B> {
    #[inline]
    fn apply(self, world: &mut World) {
        let _ = world.remove::<B>(self.entity);
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let at = world.storage.entities.get(self.entity);
        let Some(Location { table: from, .. }) = at.filter(|_| !B::IS_SPARSE_COMPONENT) else {
            return self.apply(world);
        };
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        if !info.is_plain() || info.needs_drop() {
            return self.apply(world);
        }
        let target = info.after_remove(from, storage);
        if target == from {
            // It has none of them.
            return;
        }
        storage.reserve_rows(target, 1);
        // SAFETY: the tables differ; what the target lacks are components of the bundle, which need no drop.
        let mut group = unsafe { BatchMove::new(storage, from, Some(target)) };
        let mut first = Some(self);
        while let Some(Self { entity, .. }) = first {
            group.storage.note_left(entity, from, target);
            // SAFETY: the first one is in the table and room was made for it, the others fit. The target has no columns
            // that the old table lacks.
            unsafe { group.add(entity) };
            first = next.next_if(|command| group.fits(command.entity));
        }
    }
}

/// Ends an entity.
pub(crate) struct Despawn {
    pub(crate) entity: Entity,
}

impl Command for Despawn {
    #[inline]
    fn apply(self, world: &mut World) {
        let _ = world.despawn(self.entity);
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let storage = &mut world.storage;
        let from = match storage.entities.get(self.entity) {
            Some(at) if storage.is_left_silently(at.table) => at.table,
            _ => return self.apply(world),
        };
        let mut drops = storage.take_drops();
        // SAFETY: values of the table need no drop.
        let mut group = unsafe { BatchMove::new(storage, from, None) };
        let mut first = Some(self);
        while let Some(Self { entity }) = first {
            // SAFETY: the first one is in the table, the others fit. The id ends below.
            unsafe { group.add(entity) };
            group.storage.forget(entity, from, &mut drops);
            first = next.next_if(|command| group.fits(command.entity));
        }
        drop(group);
        world.storage.run(drops);
    }
}

/// Fills an entity that was reserved for it; not an insertion, so that the entity goes straight to its place.
pub(crate) struct Spawn<B> {
    pub(crate) entity: Entity,
    pub(crate) bundle: B,
}

impl<B: Bundle> Command for Spawn<B> {
    #[inline]
    fn apply(self, world: &mut World) {
        world.spawn_reserved(self.entity, self.bundle);
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        if !info.is_plain() || !storage.entities.is_unplaced(self.entity) {
            return self.apply(world);
        }
        let table = info.spawn_table();
        storage.reserve_rows(table, 1);
        let columns = info.starts_in(storage.table(table));
        let now = storage.clock.between();
        let mut first = Some(self);
        while let Some(Self { entity, bundle }) = first {
            let row = storage.table(table).len();
            // SAFETY: there is room, and the row is new; the columns are those of the bundle.
            unsafe { write(bundle, &columns, row, now) };
            // SAFETY: there is room, and the bundle was written, of which all columns of the table are.
            unsafe { place(storage, entity, table, row) };
            if row + 1 == storage.table(table).capacity() {
                // More room would move the columns.
                return;
            }
            first = next.next_if(|command| storage.entities.is_unplaced(command.entity));
        }
    }
}
