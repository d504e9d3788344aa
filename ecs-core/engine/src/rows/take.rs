//! Takes entities out of a world.
//!
//! Everything that can fail, and all user code, comes first: the list and the edges are checked, keys are asked for, and values
//! that may name entities are written, to find these. Then values are moved out by copying their bytes, edges first, and nothing
//! can stop in the middle.

use alloc::vec::Vec;

use super::error::TakeRowsError;
use super::found::{KeyOf, LeavingValues, RowNumbers};
use super::named::named;
use super::stubs::{LeftStubs, MakeStubs, columns_of};
use super::{OutsideEntity, Rows};
use crate::bundle::Bundle;
use crate::entity::Entity;
use crate::world::{ReadOnlyWorld, World};

impl World {
    /// Takes entities out of this world, with all their values, to [put](Self::put_rows) them into another one. Their ids become
    /// invalid, as by a despawn, but nothing is dropped, and no hook and no observer is called. The [module](crate::rows) has an
    /// example, and says what travels.
    ///
    /// `key` returns the number by which the other world knows an entity. It is called for each entity of the list, and for each
    /// other one that these name: targets of their edges, and entities in values that are data. No two entities have the same
    /// key.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    ///
    /// let (mut one, mut other) = (World::new(), World::new());
    /// let hero = one.spawn(Health(3));
    /// // Nothing in the other world has a key yet, so any number does.
    /// let rows = one.take_rows(&[hero], |_, entity| Some(entity.to_bits()))?;
    /// let hero = other.put_rows(rows, |_| None)?.entities[0];
    /// assert_eq!(other.get::<Health>(hero).unwrap().0, 3);
    /// assert!(one.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// O(values of these entities and their edges), however many others there are.
    ///
    /// # Errors
    /// See [`TakeRowsError`]; nothing has changed.
    ///
    /// # Panics
    /// If `key` or the `Serialize` of a value panics; nothing has changed.
    #[inline]
    pub fn take_rows(
        &mut self,
        entities: &[Entity],
        mut key: impl FnMut(ReadOnlyWorld<'_>, Entity) -> Option<u64>,
    ) -> Result<Rows, TakeRowsError> {
        take(self, entities, None, &mut key)
    }

    /// Takes entities out like [`take_rows`](Self::take_rows), and leaves a [stub](crate::rows#keys) of each: an entity with the
    /// same id, and with the components that `stub` returns for its key; `|_| ()` leaves none. Edges from other entities lead to
    /// the stub, so the entities of the list may be targets of others. When an entity comes back,
    /// [`put_rows_with_stubs`](Self::put_rows_with_stubs) turns the stub into it.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::ChildOf;
    ///
    /// #[derive(Component, Clone, Copy, Debug, PartialEq)]
    /// struct Gid(u64);
    /// #[derive(Component)]
    /// struct Ship;
    ///
    /// let (mut here, mut there) = (World::new(), World::new());
    /// let ship = here.spawn((Gid(7), Ship));
    /// let flag = here.spawn((Gid(8), ChildOf.to(ship)));
    /// let rows = here.take_rows_leaving_stubs(&[ship], |world, entity| Some(world.get::<Gid>(entity)?.0), Gid)?;
    /// assert!(here.is_related::<ChildOf>(flag, ship) && !here.has::<Ship>(ship));
    /// assert_eq!(*here.get::<Gid>(ship).unwrap(), Gid(7));
    /// let away = there.put_rows(rows, |_| None)?.entities;
    ///
    /// let rows = there.take_rows(&away, |world, entity| Some(world.get::<Gid>(entity)?.0))?;
    /// let put = here.put_rows_with_stubs(rows, |gid| (gid == 7).then_some(ship), Gid)?;
    /// assert!(put.entities == [ship] && here.has::<Ship>(ship));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As for [`take_rows`](Self::take_rows), except [`TakeRowsError::Related`].
    ///
    /// # Panics
    /// As for [`take_rows`](Self::take_rows), and if `stub` panics, or there is no room for the rows of stubs. Nothing has
    /// changed.
    #[inline]
    pub fn take_rows_leaving_stubs<B: Bundle>(
        &mut self,
        entities: &[Entity],
        mut key: impl FnMut(ReadOnlyWorld<'_>, Entity) -> Option<u64>,
        mut stub: impl FnMut(u64) -> B,
    ) -> Result<Rows, TakeRowsError> {
        let mut make = |keys: &[u64]| columns_of(keys, &mut stub);
        take(self, entities, Some(&mut make), &mut key)
    }
}

fn take(
    world: &mut World,
    entities: &[Entity],
    stubs: Option<MakeStubs<'_>>,
    key: KeyOf<'_>,
) -> Result<Rows, TakeRowsError> {
    let leaves_stubs = stubs.is_some();
    world.storage.place_reserved();
    let numbers = RowNumbers::of(entities)?;
    let found = LeavingValues::of(world, &numbers, leaves_stubs)?;
    let keys = keys(world, entities, key)?;
    let (outside, with_ids) = named(&world.storage, &found, &numbers)?;
    let outside = outside.keyed(world, key)?;
    refuse_same_keys(entities, &keys, &outside)?;
    let stubs = stubs.map(|make| LeftStubs::prepare(world, entities, make(&keys)));
    let stubs = stubs.transpose()?;
    let staged = found.move_out(&mut world.storage, &numbers, leaves_stubs);
    if let Some(stubs) = stubs {
        stubs.write(world);
    }
    Ok(Rows {
        staged,
        entities: entities.iter().copied().zip(keys).collect(),
        outside,
        with_ids,
    })
}

fn keys(world: &mut World, entities: &[Entity], key: KeyOf<'_>) -> Result<Vec<u64>, TakeRowsError> {
    let world = world.read_only();
    let mut keys = Vec::with_capacity(entities.len());
    for &entity in entities {
        let named_by = None;
        let key = key(world, entity).ok_or(TakeRowsError::NoKey { entity, named_by })?;
        keys.push(key);
    }
    Ok(keys)
}

fn refuse_same_keys(
    entities: &[Entity],
    keys: &[u64],
    outside: &[OutsideEntity],
) -> Result<(), TakeRowsError> {
    if outside.is_empty() && keys.is_sorted_by(|one, other| one < other) {
        return Ok(());
    }
    let inside = keys.iter().copied().zip(entities.iter().copied());
    let others = outside.iter();
    let others = others.filter_map(|outside| Some((outside.key?, outside.id)));
    let mut all: Vec<(u64, Entity)> = inside.chain(others).collect();
    all.sort_unstable();
    match all.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        None => Ok(()),
        Some(pair) => Err(TakeRowsError::KeyTwice {
            key: pair[0].0,
            entities: [pair[0].1, pair[1].1],
        }),
    }
}
