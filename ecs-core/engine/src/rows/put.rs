//! Adds rows to a world.
//!
//! Ids are chosen first: of stubs that are filled, of new entities, and of stubs that are missing. Then values with ids are read
//! anew, and everything is committed like any staged entities, with the ages of ticks (`staging/commit.rs`). If anything fails,
//! the rows are as they were.

use alloc::vec::Vec;

use super::found::{LeavingValues, RowNumbers};
use super::stubs::{MakeStubs, columns_of, stage};
use super::{PutRowsError, PutRowsReason, Rows};
use crate::bundle::Bundle;
use crate::component::{ComponentId, End};
use crate::entity::Entity;
use crate::hash::IdMap;
use crate::staging::{EdgeTarget, ErasedColumn, Staged, StagedPlace};
use crate::storage::Storage;
use crate::world::World;

/// The result of [`World::put_rows`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PutRows {
    /// The ids of the entities in this world, in their order among the rows.
    pub entities: Vec<Entity>,
    /// The keys and ids of new [stubs](crate::rows#keys), for entities that are elsewhere.
    pub stubs: Vec<(u64, Entity)>,
}

impl World {
    /// Adds entities that were [taken](Self::take_rows) out of another world, or out of this one. Values are moved, no hook and no
    /// observer is called, and ticks keep their age. The [module](crate::rows) has an example, and says what travels.
    ///
    /// `find` returns the entity of this world that has a key, if there is one. It is called for each row, in their order, and then
    /// for each other entity that rows name. For a row the entity has to be a stub: one without components, which may be the
    /// target of relations. It becomes the entity of the row. (Stubs may have components for
    /// [`put_rows_with_stubs`](Self::put_rows_with_stubs).) For all other rows, and for named entities that are not found, new
    /// entities are made.
    ///
    /// O(values and edges).
    ///
    /// # Errors
    /// See [`PutRowsReason`]. Nothing has changed, apart from components that the world knows now, and the error
    /// [returns](PutRowsError::into_rows) the rows.
    ///
    /// # Panics
    /// * If `find` or the `Deserialize` of a value panics; nothing has changed, and the rows are dropped.
    /// * If the `Drop` of a value that was read anew, because it names entities, panics; everything is in place then.
    #[inline]
    pub fn put_rows(
        &mut self,
        rows: Rows,
        mut find: impl FnMut(u64) -> Option<Entity>,
    ) -> Result<PutRows, PutRowsError> {
        put(self, rows, &mut find, &mut |_| Vec::new())
    }

    /// Does the same as [`put_rows`](Self::put_rows), and gives new stubs the components that `stub` returns for their keys.
    /// Entities that `find` returns for rows may have the same components, which are dropped when they become the entities of the
    /// rows: so they may be stubs of another `put_rows_with_stubs`, or of
    /// [`take_rows_leaving_stubs`](Self::take_rows_leaving_stubs).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component, Clone, Copy, Debug, PartialEq)]
    /// struct Gid(u64);
    /// /// Lives elsewhere.
    /// #[derive(Component)]
    /// struct Elsewhere;
    /// #[derive(Relation)]
    /// struct Follows;
    ///
    /// let (mut east, mut west) = (World::new(), World::new());
    /// let leader = east.spawn(Gid(1));
    /// let wagon = east.spawn((Gid(2), Follows.to(leader)));
    /// let rows = east.take_rows(&[wagon], |world, entity| Some(world.get::<Gid>(entity)?.0))?;
    ///
    /// let put = west.put_rows_with_stubs(rows, |_| None, |gid| (Gid(gid), Elsewhere))?;
    /// let [(1, stub)] = put.stubs[..] else { panic!("the leader stayed behind") };
    /// assert_eq!(*west.get::<Gid>(stub).unwrap(), Gid(1));
    /// assert_eq!(west.query_filtered::<&Gid, Without<Elsewhere>>().iter().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`put_rows`](Self::put_rows).
    ///
    /// # Panics
    /// As for [`put_rows`](Self::put_rows), and if `stub` panics, like `find`, or the `Drop` of a component of a stub, like those
    /// of values that were read anew.
    #[inline]
    pub fn put_rows_with_stubs<B: Bundle>(
        &mut self,
        rows: Rows,
        mut find: impl FnMut(u64) -> Option<Entity>,
        mut stub: impl FnMut(u64) -> B,
    ) -> Result<PutRows, PutRowsError> {
        put(self, rows, &mut find, &mut |keys| {
            columns_of(keys, &mut stub)
        })
    }
}

fn put(
    world: &mut World,
    mut rows: Rows,
    find: &mut dyn FnMut(u64) -> Option<Entity>,
    stubs: MakeStubs<'_>,
) -> Result<PutRows, PutRowsError> {
    world.storage.place_reserved();
    let of_stubs = stubs(&[]);
    let of_stubs: Vec<ComponentId> = of_stubs.iter().map(ErasedColumn::component).collect();
    let ids = match RowIds::find(world, &rows, find, &of_stubs) {
        Ok(ids) => ids,
        Err(reason) => return Err(PutRowsError::new(rows, reason)),
    };
    let mut translated = match rows.translated([&ids.all[..rows.len()], &ids.outside]) {
        Ok(translated) => translated,
        Err(reason) => return Err(PutRowsError::new(rows, reason)),
    };
    let columns = stubs(&ids.stub_keys);
    let filled = (!of_stubs.is_empty()).then(|| FilledStubs::find(world, &ids));
    let former = rows.prepare(&ids, &mut translated);
    let of_new = rows.entities.len() as u32..ids.all.len() as u32;
    stage(&mut rows.staged, of_new, columns);
    let ready = match world.prepare_commit(&mut rows.staged, &ids.all) {
        Ok(ready) => ready,
        Err(error) => {
            rows.restore(former, &mut translated);
            let reason = PutRowsReason::Stage(error);
            return Err(PutRowsError::new(rows, reason));
        }
    };
    let dropped = filled.map(|filled| filled.empty(&mut world.storage));
    world.finish_commit(ready, &mut rows.staged, &ids.all);
    if rows.staged.has_ages() {
        world.storage.clock.note_moved();
    }
    world.take_dead_ids(&ids.dead);
    let mut entities = ids.all;
    let stubs = entities.split_off(rows.len());
    let stubs = ids.stub_keys.into_iter().zip(stubs).collect();
    // The values that were read anew are dropped last, with the components of stubs.
    drop((rows, translated, dropped));
    Ok(PutRows { entities, stubs })
}

/// The ids of entities in a world.
struct RowIds {
    /// First the ids of the rows, then the ids of new stubs.
    all: Vec<Entity>,
    /// The numbers of the rows whose entities are in the world already.
    fills: Vec<u32>,
    /// By entity outside, its id.
    outside: Vec<Entity>,
    /// By entity outside, its number if it is a new stub.
    new_stubs: Vec<Option<u32>>,
    stub_keys: Vec<u64>,
    /// Those of `outside` that name nothing.
    dead: Vec<Entity>,
}

impl RowIds {
    fn find(
        world: &mut World,
        rows: &Rows,
        find: &mut dyn FnMut(u64) -> Option<Entity>,
        of_stubs: &[ComponentId],
    ) -> Result<Self, PutRowsReason> {
        let inside = rows.entities.iter().map(|&(_, key)| find(key));
        let inside: Vec<Option<Entity>> = inside.collect();
        let outside = rows.outside.iter();
        let outside: Vec<Option<Entity>> = outside.map(|at| find(at.key?)).collect();
        check_found(&world.storage, rows, [&inside, &outside], of_stubs)?;
        let mut ids = Self {
            all: Vec::with_capacity(inside.len()),
            fills: Vec::new(),
            outside: Vec::with_capacity(outside.len()),
            new_stubs: Vec::with_capacity(outside.len()),
            stub_keys: Vec::new(),
            dead: Vec::new(),
        };
        let is_missing = |entity: &&Option<Entity>| entity.is_none();
        let new = inside.iter().filter(is_missing).count();
        let pairs = outside.iter().zip(&rows.outside);
        let stubs = pairs.filter(|(found, at)| found.is_none() && at.key.is_some());
        let new = world.next_ids(new + stubs.count());
        let mut new = new.map_err(PutRowsReason::Stage)?.into_iter();
        let mut next = || new.next().expect("there is an id for each");
        for (number, found) in (0..).zip(inside) {
            ids.fills.extend(found.map(|_| number));
            ids.all.push(found.unwrap_or_else(&mut next));
        }
        let mut dead: Vec<Entity> = Vec::new();
        for (found, at) in outside.into_iter().zip(&rows.outside) {
            let mut stub = None;
            let id = match (found, at.key) {
                (Some(found), _) => found,
                (None, Some(key)) => {
                    stub = Some(ids.all.len() as u32);
                    let id = next();
                    ids.all.push(id);
                    ids.stub_keys.push(key);
                    id
                }
                (None, None) => {
                    dead.push(at.id);
                    at.id
                }
            };
            ids.outside.push(id);
            ids.new_stubs.push(stub);
        }
        // In the order of the old ids.
        dead.sort_unstable();
        ids.dead = world.next_dead_ids(dead.len()).collect();
        for (id, at) in ids.outside.iter_mut().zip(&rows.outside) {
            if at.key.is_none()
                && let Ok(position) = dead.binary_search(&at.id)
            {
                *id = ids.dead[position];
            }
        }
        Ok(ids)
    }
}

/// Checks that entities that were found exist, that none has two keys, and that rows find stubs.
fn check_found(
    storage: &Storage,
    rows: &Rows,
    [inside, outside]: [&[Option<Entity>]; 2],
    of_stubs: &[ComponentId],
) -> Result<(), PutRowsReason> {
    if inside.iter().chain(outside).all(Option::is_none) {
        return Ok(());
    }
    let keys = rows.entities.iter().map(|&(_, key)| key);
    let of_rows = keys.zip(inside);
    let of_others = rows.outside.iter().zip(outside);
    let of_others = of_others.filter_map(|(at, found)| Some((at.key?, found)));
    let found = |(key, found): (u64, &Option<Entity>)| found.map(|entity| (entity, key));
    let mut all: Vec<(Entity, u64)> = of_rows.clone().chain(of_others).filter_map(found).collect();
    for &(entity, key) in &all {
        if storage.entities.get(entity).is_none() {
            return Err(PutRowsReason::NoEntity { key, entity });
        }
    }
    for (entity, key) in of_rows.filter_map(found) {
        if !is_stub(storage, entity, of_stubs) {
            return Err(PutRowsReason::NoStub { key, entity });
        }
    }
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => Err(PutRowsReason::EntityTwice {
            keys: [pair[0].1, pair[1].1],
            entity: pair[0].0,
        }),
    }
}

/// Returns true if an entity has none but the components of stubs, except for lists of its sources.
fn is_stub(storage: &Storage, entity: Entity, of_stubs: &[ComponentId]) -> bool {
    let Some(at) = storage.entities.get(entity) else {
        return false;
    };
    let mut in_table = storage.table(at.table).components();
    in_table.all(|component| of_stubs.contains(&component))
        && storage.sparse_of(entity).all(|component| {
            let store = storage.store(component);
            let end = store.info.link.map(|link| link.end);
            matches!(end, Some(End::Sources { .. }))
                || of_stubs.contains(&component)
                // SAFETY: rows are put with the world borrowed exclusively, so no view changes a set.
                || !unsafe { crate::storage::Frozen::new(store) }.set().contains(entity)
        })
}

/// The stubs that become entities of rows, and their components.
struct FilledStubs {
    entities: Vec<Entity>,
    values: LeavingValues,
}

impl FilledStubs {
    fn find(world: &mut World, ids: &RowIds) -> Self {
        let fills = ids.fills.iter();
        let entities: Vec<Entity> = fills.map(|&number| ids.all[number as usize]).collect();
        let numbers = RowNumbers::of(&entities);
        let numbers = numbers.expect("none has two keys");
        let values = LeavingValues::of(world, &numbers, true);
        let values = values.expect("they exist, and a stub has no observers");
        world
            .storage
            .reserve_rows(Storage::EMPTY_TABLE, entities.len());
        Self { entities, values }
    }

    /// Takes the components away; the caller drops them. Nothing fails, and no user code runs.
    fn empty(self, storage: &mut Storage) -> Staged {
        let numbers = RowNumbers::of(&self.entities);
        let numbers = numbers.expect("none has two keys");
        self.values.move_out(storage, &numbers, true)
    }
}

/// The parts of rows that were changed before they were committed.
struct Former {
    edges: Vec<Vec<EdgeTarget>>,
    /// The numbers of tables and sets.
    staged: (usize, usize),
}

impl Rows {
    /// Makes the rows belong to another world: with its ids in edges, and in values that were read anew, which change places with
    /// the former ones.
    fn prepare(&mut self, ids: &RowIds, translated: &mut [ErasedColumn]) -> Former {
        self.exchange(translated);
        let mut outside = IdMap::<EdgeTarget>::default();
        let targets = ids.outside.iter().zip(&ids.new_stubs);
        for (at, (&id, stub)) in self.outside.iter().zip(targets) {
            let target = stub.map_or(EdgeTarget::Living(id), EdgeTarget::New);
            outside.insert(at.id.to_bits(), target);
        }
        let edges = self.staged.exchange_targets(&|target| match target {
            EdgeTarget::Living(entity) => outside.get(&entity.to_bits()).copied(),
            EdgeTarget::New(_) => None,
        });
        let staged = self.staged.begin_put(ids.all.len() as u32, &ids.fills);
        Former { edges, staged }
    }

    /// Undoes [`prepare`](Self::prepare).
    fn restore(&mut self, former: Former, translated: &mut [ErasedColumn]) {
        self.exchange(translated);
        self.staged.set_targets(former.edges);
        self.staged
            .end_put(self.entities.len() as u32, former.staged);
    }

    fn exchange(&mut self, translated: &mut [ErasedColumn]) {
        let places: &[StagedPlace] = &self.with_ids;
        for (&place, column) in places.iter().zip(translated) {
            core::mem::swap(self.staged.column_at_mut(place), column);
        }
    }
}
