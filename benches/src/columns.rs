//! Hand-written worlds for one kind of entity: the `limit` of the structural workloads.

use crate::components::{Position, Rotation, Transform, Velocity, row_values};
use crate::digest::Digest;

/// The components of one entity.
pub type Row = (Transform, Position, Rotation, Velocity);

/// One `Vec` per component, and one with the owner of each row.
#[derive(Default)]
pub struct Columns {
    /// The owner of each row.
    pub ids: Vec<Id>,
    /// A component of each row.
    pub transforms: Vec<Transform>,
    /// A component of each row.
    pub positions: Vec<Position>,
    /// A component of each row.
    pub rotations: Vec<Rotation>,
    /// A component of each row.
    pub velocities: Vec<Velocity>,
}

impl Columns {
    /// Makes columns with capacity for `rows`.
    #[must_use]
    pub fn with_capacity(rows: u32) -> Self {
        let rows = rows as usize;
        Self {
            ids: Vec::with_capacity(rows),
            transforms: Vec::with_capacity(rows),
            positions: Vec::with_capacity(rows),
            rotations: Vec::with_capacity(rows),
            velocities: Vec::with_capacity(rows),
        }
    }

    /// Sets the length of all columns.
    ///
    /// # Safety
    /// Each column has capacity for `rows`, and its first `rows` values are initialised.
    pub unsafe fn set_len(&mut self, rows: u32) {
        let rows = rows as usize;
        // SAFETY: `ids` has capacity for `rows`, and they are initialised, by the contract of this function.
        unsafe { self.ids.set_len(rows) };
        // SAFETY: `transforms` has capacity for `rows`, and they are initialised, by the contract of this function.
        unsafe { self.transforms.set_len(rows) };
        // SAFETY: `positions` has capacity for `rows`, and they are initialised, by the contract of this function.
        unsafe { self.positions.set_len(rows) };
        // SAFETY: `rotations` has capacity for `rows`, and they are initialised, by the contract of this function.
        unsafe { self.rotations.set_len(rows) };
        // SAFETY: `velocities` has capacity for `rows`, and they are initialised, by the contract of this function.
        unsafe { self.velocities.set_len(rows) };
    }
}

impl Columns {
    /// Returns a digest of all rows.
    #[must_use]
    pub fn digest_of(columns: &mut Self) -> u64 {
        columns.digest()
    }
}

/// The components of one entity.
pub trait Values {
    /// Returns all values, for a digest.
    fn values(&self) -> impl Iterator<Item = f32>;
}

impl Values for Row {
    fn values(&self) -> impl Iterator<Item = f32> {
        let (t, p, r, v) = self;
        row_values((t, p, r, v))
    }
}

/// A store of rows.
pub trait Rows {
    /// The components of one entity.
    type Row;

    /// Appends a row.
    fn push(&mut self, id: Id, row: Self::Row);

    /// Drops a row, moves the last row into its place and returns the moved row's owner; `None` if it was the last one.
    fn swap_remove(&mut self, row: usize) -> Option<Id>;

    /// Drops all rows, and returns their owners.
    fn clear(&mut self, owner: impl FnMut(Id));

    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// Returns a digest of all rows.
    fn digest(&self) -> u64;
}

impl Rows for Columns {
    type Row = Row;

    #[inline]
    fn push(&mut self, id: Id, (transform, position, rotation, velocity): Row) {
        self.ids.push(id);
        self.transforms.push(transform);
        self.positions.push(position);
        self.rotations.push(rotation);
        self.velocities.push(velocity);
    }

    #[inline]
    fn swap_remove(&mut self, row: usize) -> Option<Id> {
        self.ids.swap_remove(row);
        self.transforms.swap_remove(row);
        self.positions.swap_remove(row);
        self.rotations.swap_remove(row);
        self.velocities.swap_remove(row);
        self.ids.get(row).copied()
    }

    fn clear(&mut self, owner: impl FnMut(Id)) {
        self.ids.drain(..).for_each(owner);
        self.transforms.clear();
        self.positions.clear();
        self.rotations.clear();
        self.velocities.clear();
    }

    fn count(&self) -> usize {
        self.ids.len()
    }

    fn digest(&self) -> u64 {
        let rows = (self.transforms.iter().zip(&self.positions))
            .zip(self.rotations.iter().zip(&self.velocities));
        Digest::of(rows.map(|((t, p), (r, v))| row_values((t, p, r, v))))
    }
}

/// Three components, handled the same way.
impl<A: Copy, B: Copy, C: Copy> Rows for (Vec<Id>, Vec<A>, Vec<B>, Vec<C>)
where
    (A, B, C): Values,
{
    type Row = (A, B, C);

    #[inline]
    fn push(&mut self, id: Id, (a, b, c): Self::Row) {
        self.0.push(id);
        self.1.push(a);
        self.2.push(b);
        self.3.push(c);
    }

    #[inline]
    fn swap_remove(&mut self, row: usize) -> Option<Id> {
        self.0.swap_remove(row);
        self.1.swap_remove(row);
        self.2.swap_remove(row);
        self.3.swap_remove(row);
        self.0.get(row).copied()
    }

    fn clear(&mut self, owner: impl FnMut(Id)) {
        self.0.drain(..).for_each(owner);
        self.1.clear();
        self.2.clear();
        self.3.clear();
    }

    fn count(&self) -> usize {
        self.0.len()
    }

    fn digest(&self) -> u64 {
        let mut digest = Digest::default();
        for ((&a, &b), &c) in self.1.iter().zip(&self.2).zip(&self.3) {
            digest.row((a, b, c).values());
        }
        digest.finish()
    }
}

/// Whole rows in one `Vec`: the least work to add and remove, the most memory traffic to iterate.
impl<T: Values> Rows for Vec<(Id, T)> {
    type Row = T;

    #[inline]
    fn push(&mut self, id: Id, row: T) {
        self.push((id, row));
    }

    #[inline]
    fn swap_remove(&mut self, row: usize) -> Option<Id> {
        self.swap_remove(row);
        self.get(row).map(|(id, _)| *id)
    }

    fn clear(&mut self, mut owner: impl FnMut(Id)) {
        self.drain(..).for_each(|(id, _)| owner(id));
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn digest(&self) -> u64 {
        Digest::of(self.iter().map(|(_, row)| row.values()))
    }
}

/// The id of an entity: an index, and the number of its earlier uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Id {
    /// Position in the list of slots.
    pub index: u32,
    /// Distinguishes the entities that used the index one after the other.
    pub generation: u32,
}

impl Id {
    /// Makes the id of the first entity that uses the index.
    #[must_use]
    pub const fn first(index: u32) -> Self {
        Self {
            index,
            generation: 0,
        }
    }
}

/// Rows with look-up by [`Id`].
#[derive(Default)]
pub struct ById<R> {
    /// The rows.
    pub rows: R,
    slots: Vec<Slot>,
    free: Vec<u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    generation: u32,
    row: u32,
}

impl<R: Rows> ById<R> {
    /// Adds an entity.
    #[inline]
    pub fn spawn(&mut self, row: R::Row) -> Id {
        let at = self.rows.count() as u32;
        let index = self.free.pop().unwrap_or_else(|| {
            self.slots.push(Slot {
                generation: 0,
                row: at,
            });
            self.slots.len() as u32 - 1
        });
        let slot = &mut self.slots[index as usize];
        slot.row = at;
        let id = Id {
            index,
            generation: slot.generation,
        };
        self.rows.push(id, row);
        id
    }

    /// Returns the number of the entity's row.
    #[inline]
    fn row(&self, id: Id) -> Option<usize> {
        let slot = self.slots.get(id.index as usize)?;
        (slot.generation == id.generation).then_some(slot.row as usize)
    }

    /// Drops an entity, and returns whether it existed.
    #[inline]
    pub fn despawn(&mut self, id: Id) -> bool {
        let slot = &mut self.slots[id.index as usize];
        if slot.generation != id.generation {
            return false;
        }
        slot.generation += 1;
        let row = slot.row;
        self.free.push(id.index);
        if let Some(moved) = self.rows.swap_remove(row as usize) {
            self.slots[moved.index as usize].row = row;
        }
        true
    }

    /// Drops all entities.
    pub fn despawn_all(&mut self) {
        let Self { rows, slots, free } = self;
        rows.clear(|id| {
            slots[id.index as usize].generation += 1;
            free.push(id.index);
        });
    }
}

impl<T> ById<Vec<(Id, T)>>
where
    T: Values,
{
    /// Returns the row of an entity.
    #[inline]
    #[must_use]
    pub fn get(&self, id: Id) -> Option<&T> {
        Some(&self.rows.get(self.row(id)?)?.1)
    }
}
