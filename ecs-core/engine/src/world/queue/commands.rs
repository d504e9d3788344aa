//! Structural changes as commands.
//!
//! Systems often queue the same change for many entities in a row. If such commands move entities between the same two
//! tables, the bundle and the tables are looked up once, and the entities are moved column by column. This happens only if
//! it is not observable: no value is dropped and no hook is called, so no user code runs in between.
//!
//! By default, commands for a despawned entity do nothing; see [`World::on_command_error`].

use core::any::type_name;
use core::marker::PhantomData;
use core::mem::ManuallyDrop;

use super::buffer::CommandRun;
use super::{Command, World};
use crate::bundle::Bundle;
use crate::entity::{Entity, Location, TableId};
use crate::invariant::Invariant;
use crate::storage::{BATCH_SIZE, BatchMove, Storage};
use crate::tick::CompactTick;
use crate::world::batch_writer::BatchWriter;

/// Inserts a bundle into an entity.
pub(crate) struct Insert<B> {
    pub(crate) entity: Entity,
    pub(crate) bundle: B,
}

impl<B: Bundle> Command for Insert<B> {
    #[inline]
    fn apply(self, world: &mut World) {
        if let Err(error) = world.insert(self.entity, self.bundle) {
            world.command_failed("insert", type_name::<B>(), self.entity, error);
        }
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        match RunOf::insertions::<B>(self.entity, world) {
            RunOf::Any => self.apply(world),
            RunOf::Replacements(table) => self.replace_run(table, next, world),
            RunOf::Moves(from, target) => self.move_run((from, target), next, world),
        }
    }
}

/// The kind of the next insertions that can be made together.
enum RunOf {
    /// None may follow.
    Any,
    /// The entities are in this table, and have all components of the bundle, which are not tracked and need no drop.
    Replacements(TableId),
    /// The entities are in the first table, with no component of the bundle, and move to the second one.
    Moves(TableId, TableId),
}

impl RunOf {
    // Apart from the bundle: without optimisation, each place that moves a bundle has memory for it on the stack.
    #[inline]
    fn insertions<B: Bundle>(entity: Entity, world: &mut World) -> Self {
        let at = world.storage.entities.get(entity);
        let has_one_info = !B::IS_SPARSE_COMPONENT && !B::IS_VARIABLE;
        let Some(Location { table: from, .. }) = at.filter(|_| has_one_info) else {
            return Self::Any;
        };
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        if !info.is_plain() {
            return Self::Any;
        }
        let target = info.after_insert(from, storage);
        if target == from {
            // `write` would set the ticks of an addition, not of a change.
            let columns = info.starts_in(storage.table(from)).len();
            let is_tracked = columns > info.components().len();
            if is_tracked || info.needs_drop() {
                return Self::Any;
            }
            return Self::Replacements(from);
        }
        let has = |&component| !storage.store(component).column(from).is_null();
        if info.components().iter().any(has) {
            return Self::Any;
        }
        Self::Moves(from, target)
    }
}

impl<B: Bundle> Insert<B> {
    /// Implements [`apply_run`](Command::apply_run) for [`RunOf::Moves`].
    #[inline]
    fn move_run(
        self,
        (from, target): (TableId, TableId),
        next: &mut CommandRun<'_, Self>,
        world: &mut World,
    ) {
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        storage.reserve_rows(target, 1);
        let columns = info.starts_in(storage.table(target));
        let now = storage.clock.between();
        // SAFETY: `target != from`, and the target has all columns of `from`. The group has the only access to the storage
        // until it is dropped, and writing the bundle runs no user code.
        let mut group = unsafe { BatchMove::new(storage, from, target) };
        let mut first = Some(self);
        while let Some(Self { entity, bundle }) = first {
            // SAFETY: the first entity is in `from` and a row was reserved for it; for the others `fits` returned true. The
            // new columns of the target belong to the bundle, which is written below.
            let row = unsafe { group.add(entity) };
            // SAFETY: `columns` are the columns of the bundle in the target. The row is below its capacity, and the values
            // of the bundle's columns are not initialised in it.
            unsafe { write(bundle, &columns, row, now) };
            first = next.next_if(|command| group.fits(command.entity));
        }
    }

    /// Implements [`apply_run`](Command::apply_run) for [`RunOf::Replacements`].
    #[inline]
    fn replace_run(self, table: TableId, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let info = world.bundles.info::<B>(&mut world.storage);
        let storage = &mut world.storage;
        let columns = info.starts_in(storage.table(table));
        let at = |command: &Self| storage.entities.get(command.entity);
        let mut first = Some(self);
        while let Some(command) = first {
            let row = at(&command).expect("the entity is alive").row as usize;
            // SAFETY: `columns` are the columns of the bundle in the table, which has the row. The old values need no drop,
            // because the run is a `RunOf::Replacements`.
            unsafe { write(command.bundle, &columns, row, CompactTick::NEVER) };
            first = next.next_if(|command| at(command).is_some_and(|at| at.table == table));
        }
    }
}

/// Moves the bundle into a row.
///
/// # Safety
/// `columns` are [the columns](crate::bundle::BundleInfo::starts_in) of the bundle in a table that has memory for the row.
/// Values that are already in the row need no drop.
#[inline]
unsafe fn write<B: Bundle>(bundle: B, columns: &[*mut u8], row: usize, now: CompactTick) {
    let mut bundle = ManuallyDrop::new(bundle);
    let mut writer = BatchWriter {
        columns: columns.iter(),
        row,
        now,
    };
    // SAFETY: `bundle` is initialised, and `ManuallyDrop` keeps it from being dropped after its fields were moved out.
    unsafe { B::fields(&raw mut *bundle, &mut writer) };
}

/// Assigns the row after the last one to an entity that has no row yet.
///
/// # Safety
/// The table has room for the row, and every column of the row was initialised.
#[inline]
unsafe fn place(storage: &mut Storage, entity: Entity, table: TableId, row: usize) {
    // SAFETY: by the caller's contract the table has room for the row, and its columns are initialised.
    unsafe { storage.table_mut(table).push(entity) };
    let row = row as u32;
    storage.entities.place(entity, Location { table, row });
}

/// Removes the components of a bundle type from an entity.
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
        if let Err(error) = world.remove::<B>(self.entity) {
            world.command_failed("remove", type_name::<B>(), self.entity, error);
        }
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
            // The entity has none of the components.
            return;
        }
        storage.reserve_rows(target, 1);
        // SAFETY: `target != from`. The columns that the target lacks belong to the bundle, which needs no drop. The group
        // has the only access to the storage until it is dropped, and no user code runs.
        let mut group = unsafe { BatchMove::new(storage, from, target) };
        let mut first = Some(self);
        while let Some(Self { entity, .. }) = first {
            group.storage.note_left(entity, from, target);
            // SAFETY: the first entity is in `from` and a row was reserved for it; for the others `fits` returned true. The
            // target has no columns that `from` lacks.
            unsafe { group.add(entity) };
            first = next.next_if(|command| group.fits(command.entity));
        }
    }
}

/// Despawns an entity.
pub(crate) struct Despawn {
    pub(crate) entity: Entity,
}

impl Command for Despawn {
    #[inline]
    fn apply(self, world: &mut World) {
        if let Err(error) = world.despawn(self.entity) {
            world.command_failed("despawn", "", self.entity, error);
        }
    }

    fn apply_run(self, next: &mut CommandRun<'_, Self>, world: &mut World) {
        let storage = &mut world.storage;
        let from = match storage.entities.get(self.entity) {
            Some(at) if storage.drops_silently(self.entity, at.table) => at.table,
            _ => return self.apply(world),
        };
        let mut fits = |command: &Self| {
            let at = storage.entities.get(command.entity);
            at.is_some_and(|at| at.table == from && storage.drops_silently(command.entity, from))
        };
        let mut list = [self.entity; BATCH_SIZE];
        let mut count = 1;
        while count < BATCH_SIZE
            && let Some(command) = next.next_if(&mut fits)
        {
            list[count] = command.entity;
            count += 1;
        }
        let mut list = &list[..count];
        while !list.is_empty() {
            // SAFETY: by `drops_silently` none is an end of a relation, and no value needs a drop.
            let first = unsafe { storage.despawn_first(list, from) };
            // An entity can be in the list twice: its second occurrence is already despawned, and is skipped.
            list = &list[first.max(1)..];
        }
    }
}

/// Spawns a bundle with a reserved id. Unlike an insertion, it puts the entity straight into its table.
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
        if B::IS_VARIABLE {
            return self.apply(world);
        }
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
            // SAFETY: `columns` are the columns of the bundle in the table, which has room for the row; the row is new.
            unsafe { write(bundle, &columns, row, now) };
            // SAFETY: the table has room for the row, and all its columns belong to the bundle, which was written.
            unsafe { place(storage, entity, table, row) };
            if row + 1 == storage.table(table).capacity() {
                // Growing the table would invalidate `columns`.
                return;
            }
            first = next.next_if(|command| storage.entities.is_unplaced(command.entity));
        }
    }
}
