//! One value and all the rest.
//!
//! # Why lists of slices
//! `ecs-containers` has no unsafe code, so `split` is made of slices. A `Rest` (`rest.rs`) is a list of the slots between the
//! excluded ones, and a nested one is a copy of that list with one slice cut in two. An `Arena` is a `GenerationalVec` with a
//! heap of free indices. It shares no code with the engine, whose data structures have other requirements. A slot of
//! `entity/entities.rs` is one word with the entity's row, and ids are reserved through `&World`; `storage/sparse_array.rs`
//! is an array as far as possible, for fast joins, while the pages here bound the memory for any set of keys.

use alloc::vec::Vec;

use crate::Id;
use crate::slot::ValueSlot;

/// All values of a container but those that were split off by [`Arena::split`](crate::Arena::split).
///
/// It can be iterated any number of times, shared or mutable, with ids, and split again; the value that a nested rest
/// excludes is back in the outer one when the nested one ends. Splitting and look-ups cost O(exclusions). Up to three
/// excluded values take no memory from the heap.
///
/// ```
/// use ecs_core::containers::Arena;
///
/// let mut bounty = Arena::new();
/// let ids = [1, 2, 3, 4].map(|gold| bounty.insert(gold));
///
/// let (hunter, mut others) = bounty.split(ids[0]);
/// let hunter = hunter.unwrap();
/// for (id, other) in others.iter_mut() {
///     assert_ne!(id, ids[0]);
///     *hunter += core::mem::take(other);             // both may be changed
/// }
/// let (ally, mut targets) = others.split(ids[1]);
/// *ally.unwrap() = 5;
/// assert_eq!(targets.iter().count(), 2);             // neither hunter nor ally
/// targets.iter_mut().for_each(|(_, target)| *target = *hunter);
/// assert!(others.get(ids[0]).is_none());             // the hunter is still out,
/// assert_eq!(others.get(ids[1]), Some(&5));          // the ally is back
/// assert_eq!(bounty[ids[2]], 10);
/// ```
pub struct Rest<'a, T> {
    /// The first pieces, in order of index, followed by empty ones. No piece has the slot of an excluded value.
    pieces: [Piece<'a, T>; INLINE],
    /// The number of pieces in `pieces` that are in use.
    used: usize,
    /// The pieces that do not fit into `pieces`.
    more: Vec<Piece<'a, T>>,
}

/// One exclusion adds at most one piece.
const INLINE: usize = 4;

/// Consecutive slots.
struct Piece<'a, T> {
    /// The index of the first slot.
    first: usize,
    slots: &'a mut [ValueSlot<T>],
}

impl<T> Piece<'_, T> {
    /// Returns the place of an id in `slots`; `None` if it is not there.
    #[inline]
    fn place(&self, id: Id) -> Option<usize> {
        let place = (id.index() as usize).checked_sub(self.first)?;
        (place < self.slots.len()).then_some(place)
    }

    #[inline]
    fn entries(&self) -> impl Iterator<Item = (Id, &T)> {
        let slots = self.slots.iter().zip(self.first..);
        slots.filter_map(|(slot, index)| slot.entry(index))
    }

    #[inline]
    fn entries_mut(&mut self) -> impl Iterator<Item = (Id, &mut T)> {
        let slots = self.slots.iter_mut().zip(self.first..);
        slots.filter_map(|(slot, index)| slot.entry_mut(index))
    }
}

impl<'a, T> Rest<'a, T> {
    /// Returns the rest without any values.
    fn empty() -> Self {
        Self {
            pieces: core::array::from_fn(|_| Piece {
                first: 0,
                slots: &mut [],
            }),
            used: 0,
            more: Vec::new(),
        }
    }

    /// Returns the rest with all values.
    #[inline]
    pub(crate) fn all(slots: &'a mut [ValueSlot<T>]) -> Self {
        let mut rest = Self::empty();
        rest.push(0, slots);
        rest
    }

    /// Adds a piece after the others.
    #[inline]
    fn push(&mut self, first: usize, slots: &'a mut [ValueSlot<T>]) {
        if slots.is_empty() {
            return;
        }
        let piece = Piece { first, slots };
        match self.pieces.get_mut(self.used) {
            Some(place) => *place = piece,
            None => return self.more.push(piece),
        }
        self.used += 1;
    }

    #[inline]
    fn pieces(&self) -> impl Iterator<Item = &Piece<'a, T>> {
        self.pieces.iter().chain(&self.more)
    }

    #[inline]
    fn pieces_mut(&mut self) -> impl Iterator<Item = &mut Piece<'a, T>> {
        self.pieces.iter_mut().chain(&mut self.more)
    }

    /// Splits the slot of a value off; excludes nothing if the id finds no value.
    #[inline]
    pub(crate) fn split_off(self, id: Id) -> (Option<&'a mut T>, Self) {
        let (mut one, mut rest) = (None, Self::empty());
        for piece in self.pieces.into_iter().chain(self.more) {
            let place = piece.place(id);
            match place.filter(|&place| piece.slots[place].get(id).is_some()) {
                None => rest.push(piece.first, piece.slots),
                Some(place) => {
                    let (before, from) = piece.slots.split_at_mut(place);
                    let (slot, behind) = from.split_first_mut().expect("the place has a slot");
                    one = slot.value.as_mut();
                    rest.push(piece.first, before);
                    rest.push(piece.first + place + 1, behind);
                }
            }
        }
        (one, rest)
    }

    /// Returns the same rest for a shorter lifetime.
    #[inline]
    fn reborrow(&mut self) -> Rest<'_, T> {
        let mut rest = Rest::empty();
        for piece in self.pieces_mut() {
            rest.push(piece.first, piece.slots);
        }
        rest
    }

    /// Returns a value; `None` if the id is stale or its value was split off. O(exclusions).
    #[inline]
    #[must_use]
    pub fn get(&self, id: Id) -> Option<&T> {
        self.pieces()
            .find_map(|piece| piece.slots[piece.place(id)?].get(id))
    }

    /// Returns a value, mutably; `None` if the id is stale or its value was split off. O(exclusions).
    #[inline]
    #[must_use]
    pub fn get_mut(&mut self, id: Id) -> Option<&mut T> {
        self.pieces_mut().find_map(|piece| {
            let place = piece.place(id)?;
            piece.slots[place].get_mut(id)
        })
    }

    /// Returns true if the id finds a value that was not split off. O(exclusions).
    #[must_use]
    pub fn contains(&self, id: Id) -> bool {
        self.get(id).is_some()
    }

    /// Iterates over all values that were not split off, with their ids, in order of index.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Id, &T)> {
        self.pieces().flat_map(Piece::entries)
    }

    /// Iterates over all values that were not split off, mutably, with their ids, in order of index.
    #[inline]
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (Id, &mut T)> {
        self.pieces_mut().flat_map(Piece::entries_mut)
    }

    /// Returns a value, mutably, and a nested rest without it: the value is back in this rest when both are dropped. If
    /// the id is stale or its value was split off already, there is no value, and the nested rest has the same values as
    /// this one. O(exclusions).
    #[inline]
    #[must_use]
    pub fn split(&mut self, id: Id) -> (Option<&mut T>, Rest<'_, T>) {
        self.reborrow().split_off(id)
    }
}
