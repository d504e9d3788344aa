//! Moves staged entities into a world.
//!
//! # Commit staged entities
//! Loading, cloning and prefabs make many entities whose types are not known. A `Staged` (`staging/staged.rs`) holds them by
//! number, with columns of values (`storage/erased_column.rs`), edges and resources. Its commit (`staging/commit.rs`) has
//! two halves. `ReadyStaged::prepare` does everything that can fail: it checks numbers, ids (`entity/given.rs`) and edges
//! (`staging/edges.rs`: cycles without recursion), makes components of sources, divides tables by the required components
//! that are missing (`staging/required.rs`) and constructs these, and reserves memory. `ReadyStaged::write` copies whole columns,
//! pushes rows and sparse values, and links edges in the order of their targets' lists (`storage/append.rs`,
//! `storage/links/append.rs`); no user code runs. In most loads the ids are simply the next ones: this is checked once
//! (`CheckedIds::Fresh`), and their slots are written once. Some values name entities that do not exist. The world gives ids
//! for these too (`entity/dead.rs`), from a counter of ids that no entity ever has, so that each load gets new ones, in the
//! order of the originals. `World::announce` (`world/hooks/announce.rs`) notes all events of the new entities before it
//! calls the first hook.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::any::Any;

use super::edges::{self, NewSources};
use super::required::{LackingEntities, SetOf, parts};
use super::staged::{Staged, StagedRows, StagedTable};
use super::{ErasedColumn, StageError, check};
use crate::bits::Bits;
use crate::component::{ComponentId, End};
use crate::entity::{CheckedIds, Entity, Location, TableId};
use crate::sort::sort_by_number;
use crate::storage::{AppendedValues, ColumnAges, EdgeList, Storage, TargetLink};
use crate::world::World;

#[doc(hidden)]
impl World {
    /// Returns the ids that the next `count` entities will get, unless other entities are spawned, reserved or despawned
    /// before. Does not reserve the ids. O(count).
    ///
    /// # Errors
    /// If there are not enough ids left.
    #[inline]
    pub fn next_ids(&mut self, count: usize) -> Result<Vec<Entity>, StageError> {
        let entities = count;
        let ids = self.storage.entities.next_ids(count);
        ids.ok_or(StageError::NoIds { entities })
    }

    /// Returns the ids that despawned entities have freed, with the generations that will be issued next, in the order
    /// of issue, and the lowest index that no entity has had.
    #[inline]
    pub fn freed_ids(&mut self) -> (impl Iterator<Item = Entity> + '_, u32) {
        self.storage.entities.freed_ids()
    }

    /// Returns the same ids as [`freed_ids`](Self::freed_ids), and the ids of entities that are reserved.
    #[must_use]
    #[inline]
    pub fn unplaced_ids(&self) -> Vec<Entity> {
        self.storage.entities.unplaced_ids()
    }

    /// Sets the generations of free indices, so that each index issues the given id next, or a later one. The memory
    /// for ids grows with the highest index.
    #[inline]
    pub fn free_given(&mut self, ids: &[Entity]) {
        self.storage.entities.free_given(ids);
    }

    /// Makes this world issue the same ids next as another world, if both have the same entities; otherwise returns
    /// false and changes nothing. Ids that are reserved there are reserved here afterwards. O(indices).
    #[inline]
    pub fn take_ids_of(&mut self, other: &World) -> bool {
        self.storage.entities.take_next_of(&other.storage.entities)
    }

    /// Returns ids that no entity of any world ever has, in ascending order, for values that name entities that do not
    /// exist. They differ from all ids that were [taken](Self::take_dead_ids). Does not take them.
    #[inline]
    pub fn next_dead_ids(&self, count: usize) -> impl Iterator<Item = Entity> + use<> {
        self.storage.entities.next_dead_ids(count)
    }

    /// Notes that values name these ids, so that [`next_dead_ids`](Self::next_dead_ids) returns others. Ids of entities are
    /// ignored.
    #[inline]
    pub fn take_dead_ids(&mut self, ids: &[Entity]) {
        self.storage.entities.take_dead_ids(ids);
    }

    /// Returns true if an id names nothing in this world: no entity has it, and it was not [taken](Self::take_dead_ids).
    #[must_use]
    #[inline]
    pub fn is_dead_id_free(&self, id: Entity) -> bool {
        self.storage.entities.is_dead_id_free(id)
    }

    /// Checks ids for [`commit`](Self::commit). With `revive`, ids of despawned entities are allowed; see
    /// [`Staged::revive`].
    ///
    /// # Errors
    /// [`StageError::Id`] if a new entity cannot have one of them.
    #[inline]
    pub fn check_ids(&mut self, ids: &[Entity], revive: bool) -> Result<(), StageError> {
        self.storage.entities.check_given(ids, revive)?;
        Ok(())
    }

    /// Adds staged entities, the edges between them, and resources to the world: all of it, or nothing. Entity number `i`
    /// gets the id `ids[i]`. Ids come from [`next_ids`](Self::next_ids), or are others that no entity of this world has had.
    /// Ids that entities have had need to be [revived](Staged::revive).
    ///
    /// * Missing [required](crate::component::Required) components are made first, table by table and row by row. Their
    ///   constructors are the only user code that runs before everything is in place.
    /// * Values count as added now and enter groups, and edges are known to both ends.
    /// * No hook and no observer is called; [`announce`](Self::announce) calls them. Resources are replaced, and the old
    ///   ones are dropped last.
    ///
    /// O(size of the staged data). The memory for ids grows with the highest index, so check the indices of ids from an
    /// untrusted source first.
    ///
    /// # Errors
    /// If the staged data does not fit together or into the world, see [`StageError`]. Then nothing has changed, apart from
    /// components that the world knows now, and the staged values are dropped.
    ///
    /// # Panics
    /// * If the constructor of a required component panics; nothing has changed in that case either.
    /// * If the `Drop` of a replaced resource panics; in that case everything is in place.
    #[inline]
    pub fn commit(&mut self, mut staged: Staged, ids: &[Entity]) -> Result<(), StageError> {
        self.commit_from(&mut staged, ids)
    }

    /// Does the same for entities that get the values of some columns, too, one by one and before any other change of the world.
    /// Only the checks of these values are made here, with all others.
    ///
    /// # Errors
    /// Like [`commit`](Self::commit), and if an entity cannot get its value.
    #[inline]
    pub fn commit_with(
        &mut self,
        mut staged: Staged,
        ids: &[Entity],
        others: &[(&ErasedColumn, &[Entity])],
    ) -> Result<(), StageError> {
        let ready = ReadyStaged::prepare(&mut staged, ids, others, self)?;
        self.finish_commit(ready, &mut staged, ids);
        Ok(())
    }

    /// Does the same as [`commit`](Self::commit), and leaves the staged data as it was if there is an error.
    #[inline]
    pub(crate) fn commit_from(
        &mut self,
        staged: &mut Staged,
        ids: &[Entity],
    ) -> Result<(), StageError> {
        let ready = self.prepare_commit(staged, ids)?;
        self.finish_commit(ready, staged, ids);
        Ok(())
    }

    /// Does everything of a commit that can fail. Until it is [finished](Self::finish_commit), rows and values may only leave
    /// the world. If there is an error, the staged data is as it was.
    #[inline]
    pub(crate) fn prepare_commit(
        &mut self,
        staged: &mut Staged,
        ids: &[Entity],
    ) -> Result<ReadyStaged, StageError> {
        ReadyStaged::prepare(staged, ids, &[], self)
    }

    /// Checks the values of staged entities, and of other entities that are about to get the values of some columns, by the checks
    /// of their components. In the same change the entities for which `leaves` returns true lose the values that they have.
    ///
    /// # Errors
    /// If an entity cannot get its value.
    #[inline]
    pub fn check_staged(
        &self,
        staged: &Staged,
        ids: &[Entity],
        others: &[(&ErasedColumn, &[Entity])],
        leaves: &dyn Fn(ComponentId, Entity) -> bool,
    ) -> Result<(), StageError> {
        if !staged.is_checked() && others.is_empty() {
            return Ok(());
        }
        let is_checked = |column: &ErasedColumn| column.component().is_checked();
        let in_tables = staged.tables.iter().flat_map(|table| {
            let columns = table.columns.iter().filter(|column| is_checked(column));
            columns.map(|column| (column, ids_of(&None, &table.rows, ids)))
        });
        let sets = staged.sets.iter().filter(|set| is_checked(&set.column));
        let in_sets = sets.map(|set| (&set.column, of_numbers(&set.numbers, ids)));
        let others = others.iter().filter(|(column, _)| is_checked(column));
        let others = others.map(|&(column, entities)| (column, Cow::Borrowed(entities)));
        let columns: Vec<_> = in_tables.chain(in_sets).chain(others).collect();
        let mut leaving = staged.leaving.clone();
        leaving.sort_unstable();
        let leaves =
            |component, entity| leaves(component, entity) || leaving.binary_search(&entity).is_ok();
        self.check_columns(&columns, &leaves)
            .map_err(StageError::Taken)
    }

    /// Does the rest of a commit, of the same data with the same ids.
    #[inline]
    pub(crate) fn finish_commit(
        &mut self,
        ready: ReadyStaged,
        staged: &mut Staged,
        ids: &[Entity],
    ) {
        ready.write(staged, ids, &mut self.storage);
        let mut replaced: Vec<Option<Box<dyn Any + Send + Sync>>> = Vec::new();
        for resource in core::mem::take(&mut staged.resources) {
            let old = self
                .resources_mut()
                .insert_erased(resource.name, resource.value);
            replaced.push(old);
        }
    }
}

/// Everything that was checked and reserved, so that nothing can fail any more.
pub(crate) struct ReadyStaged {
    given: CheckedIds,
    /// The ids of entities that are new, if some are in the world already.
    new: Option<Vec<Entity>>,
    /// Invariant 1: divides the staged tables, where each entity has one row; all required values are made.
    parts: Vec<LackingEntities>,
    /// By part: a table with exactly the components of the staged table, and the required ones.
    tables: Vec<TableId>,
    sources: Vec<NewSources>,
}

impl ReadyStaged {
    /// Does everything that can fail: checks, constructs required values, and reserves memory.
    #[inline]
    fn prepare(
        staged: &mut Staged,
        ids: &[Entity],
        others: &[(&ErasedColumn, &[Entity])],
        world: &mut World,
    ) -> Result<Self, StageError> {
        let entities = staged.entities;
        if ids.len() != entities as usize {
            let ids = ids.len();
            return Err(StageError::WrongIds { ids, entities });
        }
        let new = (!staged.fills.is_empty()).then(|| new_ids(staged, ids));
        let given = new.as_deref().unwrap_or(ids);
        let given = world.storage.entities.check_given(given, staged.revives)?;
        let placed = check::check(staged)?;
        world.check_staged(staged, ids, others, &|_, _| false)?;
        let storage = &mut world.storage;
        let rows: usize = staged.tables.iter().map(|table| table.rows.len()).sum();
        if rows < ids.len() {
            let mut rest: Vec<u32> = (0..entities).collect();
            rest.retain(|&number| !placed.contains(number as usize));
            staged.tables.push(StagedTable {
                rows: StagedRows::List(rest),
                columns: Vec::new(),
                ages: Vec::new(),
                copies: 1,
            });
        }
        let outgoing = staged.edges.iter().map(|edges| edges.outgoing);
        check::refuse_duplicate(outgoing.collect())?;
        let mut checked = Vec::with_capacity(staged.edges.len());
        for list in &staged.edges {
            checked.push(edges::check(staged, list, ids, storage)?);
        }
        register(staged, storage);
        let lists = staged.edges.iter().zip(&checked);
        let with_edges: Vec<(ComponentId, Vec<u32>)> = lists
            .map(|(list, checked)| (list.outgoing, checked.sources(list)))
            .collect();
        let sets = staged.sets.iter();
        let mut sets: Vec<SetOf<'_>> = sets
            .map(|set| (set.column.component(), &*set.numbers))
            .collect();
        let of_edges = with_edges.iter();
        sets.extend(of_edges.map(|(outgoing, numbers)| (*outgoing, &**numbers)));
        let mut parts = parts(staged, &sets);
        for (component, _) in parts.iter().flat_map(|part| &part.required) {
            storage.register(*component);
        }
        let tables = find_tables(staged, &parts, storage)?;
        for part in &mut parts {
            part.make(&staged.tables[part.table]);
        }
        let mut sources = Vec::with_capacity(checked.len());
        for (list, checked) in core::mem::take(&mut staged.edges).into_iter().zip(checked) {
            sources.push(edges::make(list, checked, ids));
        }
        reserve(staged, &sources, parts.iter().zip(&tables), storage);
        Ok(Self {
            given,
            new,
            parts,
            tables,
            sources,
        })
    }

    /// Writes everything. No user code runs, and nothing panics.
    #[inline]
    fn write(self, staged: &mut Staged, ids: &[Entity], storage: &mut Storage) {
        let Self {
            given,
            new,
            mut parts,
            tables,
            mut sources,
        } = self;
        storage
            .entities
            .take_given(new.as_deref().unwrap_or(ids), given);
        if !staged.fills.is_empty() {
            for &number in &staged.fills {
                storage.unplace(ids[number as usize]);
            }
            // The table that they leave may be one of these.
            let filled = parts.iter().zip(&tables);
            let filled = filled.filter(|(part, _)| part.len(&staged.tables[part.table]) > 0);
            filled.for_each(|(_, &table)| storage.note_rows_added(table));
        }
        for table in &mut staged.tables {
            for column in 0..table.columns.len() {
                // Plain bytes are not dropped.
                if !table.is_repeated(&table.columns[column]) {
                    forget(&mut table.columns[column]);
                }
            }
        }
        for (part, &table) in parts.iter_mut().zip(&tables) {
            let from = &mut staged.tables[part.table];
            let values = part.values(from);
            let mut ages = from.ages.iter();
            for column in &mut from.columns {
                let ages = ages.next().and_then(Option::as_ref);
                if !column.is_empty() {
                    // SAFETY: by invariant 1 the table has the component of each column, and capacity was reserved. The
                    // column holds plain bytes with the values of one copy: it was not forgotten.
                    unsafe { storage.write_repeated(table, column, values) };
                    continue;
                }
                // SAFETY: by invariant 1 the table has the component of each column, and capacity was reserved. The column has
                // a value for each row of its table, which is in one part, and it has forgotten them.
                unsafe { storage.write_column(table, column, values) };
                if let Some(ages) = ages {
                    // SAFETY: as above; ages belong to tracked components, one to each value.
                    unsafe { storage.write_ages(table, column.component(), ages) };
                }
            }
            for column in part.made.iter_mut().filter(|column| !is_sparse(column)) {
                let values = AppendedValues::All(column.len());
                forget(column);
                // SAFETY: by invariant 1 the table has the required components, and a value was made for each row; the column
                // has forgotten them. Capacity was reserved.
                unsafe { storage.write_rows(table, column.component(), column.as_ptr(), values) };
            }
            let rows = ids_of(&part.rows, &from.rows, ids);
            // SAFETY: capacity was reserved, and each column of the table was written: its components are the staged table's
            // and the required ones (invariant 1).
            unsafe { storage.push_rows(table, &rows) };
        }
        for set in &mut staged.sets {
            let (entities, ages) = (of_numbers(&set.numbers, ids), set.ages.as_ref());
            push_aged_set(&mut set.column, ages, &entities, storage);
        }
        for new in &mut sources {
            push_set(&mut new.column, &of_numbers(&new.numbers, ids), storage);
        }
        for part in &mut parts {
            let rows = ids_of(&part.rows, &staged.tables[part.table].rows, ids);
            for column in part.made.iter_mut().filter(|column| is_sparse(column)) {
                push_set(column, &rows, storage);
            }
        }
        for new in sources {
            storage.link_new(new.outgoing, new.links);
        }
        let mut drops = storage.take_drops();
        for part in &parts {
            for column in part.made.iter().filter(|column| is_link(column)) {
                for &entity in &*ids_of(&part.rows, &staged.tables[part.table].rows, ids) {
                    storage.link(&[column.component()], entity, &mut drops);
                }
            }
        }
        // Drops the values of required edges that cannot exist.
        storage.run(drops);
    }
}

/// Registers the components of the staged data, in the order of staging.
#[inline]
fn register(staged: &Staged, storage: &mut Storage) {
    for column in staged.tables.iter().flat_map(|table| &table.columns) {
        storage.register(column.component());
    }
    for set in &staged.sets {
        storage.register(set.column.component());
    }
    for edges in &staged.edges {
        storage.register(edges.outgoing);
    }
}

/// Returns the ids of the entities that are not in the world yet.
#[inline]
fn new_ids(staged: &Staged, ids: &[Entity]) -> Vec<Entity> {
    let mut fills = Bits::default();
    for &number in &staged.fills {
        fills.insert(number as usize);
    }
    let numbered = ids.iter().enumerate();
    let new = numbered.filter(|(number, _)| !fills.contains(*number));
    new.map(|(_, &id)| id).collect()
}

/// Returns the table of each part, which is created if there is none.
#[inline]
fn find_tables(
    staged: &Staged,
    parts: &[LackingEntities],
    storage: &mut Storage,
) -> Result<Vec<TableId>, StageError> {
    let mut keys = Vec::with_capacity(parts.len());
    let mut missing: Vec<Vec<usize>> = Vec::new();
    for part in parts {
        let columns = staged.tables[part.table].columns.iter();
        let mut key: Vec<ComponentId> = columns.map(ErasedColumn::component).collect();
        let required = part.required.iter().map(|&(component, _)| component);
        key.extend(
            required.filter(|component| !storage.store(*component).info.storage.is_by_entity()),
        );
        sort_by_number(&mut key, |&component| storage.rank(component).into());
        if storage.find_table(&key).is_err() {
            missing.push(key.iter().map(|component| component.index()).collect());
        }
        keys.push(key);
    }
    missing.sort_unstable();
    missing.dedup();
    let tables = storage.tables().len() + missing.len();
    if tables > Location::MAX_TABLES {
        return Err(StageError::TooManyTables { tables });
    }
    let found: Vec<TableId> = keys.iter().map(|key| storage.table_of(key)).collect();
    for (table, more) in totals(
        parts
            .iter()
            .zip(&found)
            .map(|(part, &table)| (table as usize, part.len(&staged.tables[part.table]))),
    ) {
        let rows = storage.table(table as TableId).len() + more;
        if rows > Location::MAX_ROWS {
            return Err(StageError::TooManyRows { rows });
        }
    }
    Ok(found)
}

/// Reserves memory for rows, sparse values and lists of sources. Reserved targets get rows.
#[inline]
fn reserve<'a>(
    staged: &Staged,
    sources: &[NewSources],
    parts: impl Iterator<Item = (&'a LackingEntities, &'a TableId)> + Clone,
    storage: &mut Storage,
) {
    let mut values: Vec<(usize, usize)> = Vec::new();
    for set in &staged.sets {
        values.push((set.column.component().index(), set.column.len()));
    }
    for new in sources {
        values.push((new.outgoing.index(), new.column.len()));
        values.push((new.incoming.index(), new.lists));
        new.links
            .iter()
            .for_each(|edge| storage.place_if_reserved(edge.target));
    }
    for column in parts.clone().flat_map(|(part, _)| &part.made) {
        if is_sparse(column) {
            values.push((column.component().index(), column.len()));
        }
        let targets = place_targets(column, storage);
        values.extend(targets.map(|(incoming, lists)| (incoming.index(), lists)));
    }
    for (component, more) in totals(values.into_iter()) {
        let store = storage.store_mut(ComponentId::from_index(component));
        store.set_mut().reserve_values(more);
    }
    let rows = parts.map(|(part, &table)| (table as usize, part.len(&staged.tables[part.table])));
    for (table, more) in totals(rows) {
        storage.reserve_rows(table as TableId, more);
    }
}

/// Gives rows to reserved targets of required values that are ends of a relation. Returns the component of targets, and the
/// maximum number of lists that these need.
#[inline]
pub(super) fn place_targets(
    column: &ErasedColumn,
    storage: &mut Storage,
) -> Option<(ComponentId, usize)> {
    let link = column.component().info().link?;
    let incoming = link.other();
    let mut lists = 0;
    let mut prepare = |target| {
        storage.place_if_reserved(target);
        let list = storage.list(incoming, target);
        let end = list.map_or(0, EdgeList::end) + column.len();
        assert!(
            u32::try_from(end).is_ok(),
            "an entity is related to fewer than 2^32 others"
        );
        lists += 1;
    };
    for row in 0..column.len() {
        let value = column.get(row)?;
        match link.end {
            End::Target { .. } => {
                // SAFETY: the value is one of the component, and begins with a `TargetLink` by invariant 1 of `RawLink`.
                let link = unsafe { *value.cast::<TargetLink>() };
                prepare(link.target);
            }
            End::Targets { .. } => {
                // SAFETY: the value is one of the component, and begins with an `EdgeList` by invariant 1 of `RawLink`.
                let list = unsafe { &*value.cast::<EdgeList>() };
                list.iter().for_each(&mut prepare);
            }
            End::Sources { .. } => {}
        }
    }
    Some((incoming, lists))
}

/// Adds up the numbers of each key.
#[inline]
fn totals(numbers: impl Iterator<Item = (usize, usize)>) -> Vec<(usize, usize)> {
    let mut list: Vec<(usize, usize)> = numbers.collect();
    list.sort_unstable();
    list.dedup_by(|next, sum| {
        let is_same = next.0 == sum.0;
        sum.1 += if is_same { next.1 } else { 0 };
        is_same
    });
    list
}

/// Moves the values of a sparse component into new entities, and adds these entities to groups.
#[inline]
pub(super) fn push_set(column: &mut ErasedColumn, entities: &[Entity], storage: &mut Storage) {
    push_aged_set(column, None, entities, storage);
}

/// Does the same, with values of some ages.
#[inline]
fn push_aged_set(
    column: &mut ErasedColumn,
    ages: Option<&ColumnAges>,
    entities: &[Entity],
    storage: &mut Storage,
) {
    let component = column.component();
    debug_assert_eq!(column.len(), entities.len());
    forget(column);
    // SAFETY: the column had a value for each entity, and has forgotten them. Capacity was reserved, and the entities are
    // new and all different: they have rows, and get each component once.
    unsafe { storage.push_values(component, entities, column.as_ptr()) };
    if let Some(ages) = ages {
        // SAFETY: the values are the last ones of the set; ages belong to tracked components, one to each value.
        unsafe { storage.write_ages_of_set(component, ages) };
    }
    if storage.store(component).member.is_grouped() {
        for &entity in entities {
            storage.enter_groups(component, entity);
        }
    }
}

/// Forgets the values of a column, which are moved elsewhere.
#[inline]
fn forget(column: &mut ErasedColumn) {
    // SAFETY: an empty column has no values that have to be initialised.
    unsafe { column.set_len(0) };
}

#[inline]
fn is_sparse(column: &ErasedColumn) -> bool {
    column.component().info().storage.is_by_entity()
}

#[inline]
fn is_link(column: &ErasedColumn) -> bool {
    column.component().info().link.is_some()
}

/// Returns the ids of some rows, or of all of them.
#[inline]
fn ids_of<'a>(part: &Option<Vec<u32>>, rows: &StagedRows, ids: &'a [Entity]) -> Cow<'a, [Entity]> {
    match (part, rows) {
        (None, StagedRows::Range(range)) if range.is_empty() => Cow::Borrowed(&[]),
        (None, StagedRows::Range(range)) => {
            Cow::Borrowed(&ids[range.start as usize..range.end as usize])
        }
        (None, StagedRows::List(numbers)) => of_numbers(numbers, ids),
        (Some(part), rows) => {
            let numbers = part.iter().map(|&row| rows.at(row as usize));
            Cow::Owned(numbers.map(|number| ids[number as usize]).collect())
        }
    }
}

/// Returns the ids of entities by their numbers.
#[inline]
fn of_numbers<'a>(numbers: &[u32], ids: &'a [Entity]) -> Cow<'a, [Entity]> {
    let entities = numbers.iter().map(|&number| ids[number as usize]);
    Cow::Owned(entities.collect())
}
