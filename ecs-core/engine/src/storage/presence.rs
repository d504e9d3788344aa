//! The sparse components that an entity may have.
//!
//! # Why
//! No structural change asks all sparse sets. `storage/presence.rs` keeps a word for each entity that has ever had a sparse
//! value. Components are numbered, and bit `i` of the word stands for all components whose number modulo 64 is `i`; a second
//! word holds the quotients if the number is above 63. `SparseSet::push` sets the bits, so no path can forget them; the end of
//! an entity reads and clears them; removal leaves them. Values that views insert through `&World` are not noted, so immediate
//! components always count as present. The index of a set and these words are a `SparseArray`: an array, as long as its entries
//! justify at 512 bytes each, and a hash table (`storage/word_table.rs`) for indices beyond it. So a look-up is one load, and
//! one value at index 1,000,000 takes less than 1 KiB. Pages were tried: they cost the loops over several sets, and insertion
//! with removal, more instructions (`storage/sparse_array.rs`).

use super::sparse_array::SparseArray;
use crate::bytes::Bytes;
use crate::component::ComponentId;
use crate::entity::Entity;

/// The sparse components that each entity may have. Thanks to them, despawning an entity does not have to ask each set.
///
/// The components have numbers, in the order of registration. Two words per entity say which numbers it may have: one holds
/// their remainders of a division by 64, the other the quotients, and is not needed if all are 0. A bit is set when a value
/// comes, and stays when the value is removed: the words are an upper bound, and removal does not touch them.
pub(super) struct Presence {
    /// By entity index. Invariant 1: has the remainders of all numbers that an entity has, unless they are in `always`;
    /// 0 where no entity is placed.
    remainders: SparseArray,
    /// By entity index. Invariant 2: the same for quotients; bit 0 may be missing. 0 where `remainders` is 0.
    quotients: SparseArray,
    /// The numbers of components that views insert through a shared reference, which can note nothing.
    always: NumberSet,
    /// The number of entities whose remainders are not 0.
    entities: usize,
}

/// The length of the arrays for each entity that has sparse components: 4 KiB. There is one pair of arrays for all
/// components.
const LEN_PER_ENTITY: usize = 512;

impl Default for Presence {
    fn default() -> Self {
        Self {
            remainders: SparseArray::new(LEN_PER_ENTITY),
            quotients: SparseArray::new(LEN_PER_ENTITY),
            always: NumberSet::default(),
            entities: 0,
        }
    }
}

/// A set of numbers, which may contain more numbers than were added.
///
/// Exact for one number; otherwise the product of the remainders and the quotients.
#[derive(Clone, Copy, Default)]
pub(crate) struct NumberSet {
    remainders: u64,
    quotients: u64,
}

impl NumberSet {
    const WORD: usize = u64::BITS as usize;

    /// Returns the set of one number.
    pub(super) fn of(number: usize) -> Self {
        Self {
            remainders: 1 << (number % Self::WORD),
            quotients: 1 << (number / Self::WORD % Self::WORD),
        }
    }

    /// Returns true if the set has no number.
    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.remainders == 0
    }

    /// Returns true if the set has all numbers of the other one.
    #[cfg(feature = "validate")]
    fn has(self, other: Self) -> bool {
        self.remainders & other.remainders == other.remainders
            && self.quotients & other.quotients == other.quotients
    }

    /// Returns the numbers in ascending order.
    pub(crate) fn list(self) -> NumberList {
        NumberList {
            all: self,
            quotients: 0,
            remainders: 0,
            quotient: 0,
            next: 0,
        }
    }
}

/// The remaining numbers of a set, in ascending order.
pub(crate) struct NumberList {
    all: NumberSet,
    /// The quotients still to come among the current 64.
    quotients: u64,
    /// The remainders still to come for the current quotient.
    remainders: u64,
    quotient: usize,
    /// The first of the next 64 quotients.
    next: usize,
}

impl NumberList {
    /// Returns the component of the next number; `components` are the numbered ones.
    #[inline]
    pub(crate) fn next(&mut self, components: &[ComponentId]) -> Option<ComponentId> {
        loop {
            while self.remainders == 0 {
                while self.quotients == 0 {
                    if self.next * NumberSet::WORD >= components.len() {
                        return None;
                    }
                    self.quotient = self.next;
                    self.quotients = self.all.quotients;
                    self.next += NumberSet::WORD;
                }
                self.quotient =
                    self.next - NumberSet::WORD + self.quotients.trailing_zeros() as usize;
                self.quotients &= self.quotients - 1;
                self.remainders = self.all.remainders;
            }
            let number =
                self.quotient * NumberSet::WORD + self.remainders.trailing_zeros() as usize;
            self.remainders &= self.remainders - 1;
            if let Some(&component) = components.get(number) {
                return Some(component);
            }
        }
    }
}

impl Presence {
    /// Adds a number to those that every entity may have.
    pub(super) fn note_always(&mut self, number: NumberSet) {
        self.always.remainders |= number.remainders;
        self.always.quotients |= number.quotients;
    }

    /// Notes that a placed entity has the component of a number.
    #[inline]
    pub(super) fn note(&mut self, entity: Entity, number: NumberSet) {
        match self.remainders.near_mut(entity.index()) {
            Some(word) => {
                self.entities += usize::from(*word == 0);
                *word |= number.remainders;
            }
            None => self.note_far(entity, number),
        }
        if number.quotients > 1 {
            self.note_quotient(entity, number);
        }
    }

    #[cold]
    #[inline(never)]
    fn note_far(&mut self, entity: Entity, number: NumberSet) {
        let word = self.remainders.get(entity.index());
        self.entities += usize::from(word == 0);
        let word = word | number.remainders;
        self.remainders.set(entity.index(), word, self.entities);
    }

    #[inline(never)]
    fn note_quotient(&mut self, entity: Entity, number: NumberSet) {
        let word = self.quotients.get(entity.index()) | number.quotients;
        self.quotients.set(entity.index(), word, self.entities);
    }

    /// Returns the numbers that an entity may have.
    #[inline]
    pub(super) fn get(&self, entity: Entity) -> NumberSet {
        if self.entities == 0 {
            return self.always;
        }
        let remainders = self.remainders.get(entity.index());
        if remainders == 0 {
            return self.always;
        }
        NumberSet {
            remainders: remainders | self.always.remainders,
            quotients: self.quotients.get(entity.index()) | self.always.quotients | 1,
        }
    }

    /// Returns the numbers that an entity may have, and forgets them.
    #[inline]
    pub(super) fn take(&mut self, entity: Entity) -> NumberSet {
        if self.entities == 0 {
            return self.always;
        }
        let remainders = self.remainders.take(entity.index());
        if remainders == 0 {
            return self.always;
        }
        self.entities -= 1;
        NumberSet {
            remainders: remainders | self.always.remainders,
            quotients: self.quotients.take(entity.index()) | self.always.quotients | 1,
        }
    }

    /// Counts the words of both kinds.
    pub(super) fn bytes(&self) -> Bytes {
        self.remainders.bytes() + self.quotients.bytes()
    }

    /// The bytes that [`shrink`](Self::shrink) gives back.
    pub(super) fn spare_bytes(&self) -> usize {
        self.remainders.spare_bytes() + self.quotients.spare_bytes()
    }

    /// Gives back the memory after the last entity that may have any component.
    pub(super) fn shrink(&mut self) {
        self.remainders.shrink();
        self.quotients.shrink();
    }

    /// Forgets all entities.
    pub(super) fn clear(&mut self) {
        self.remainders.clear();
        self.quotients.clear();
        self.entities = 0;
    }

    /// Checks that an entity is known to have the component of a number.
    #[cfg(feature = "validate")]
    pub(super) fn check_noted(&self, entity: Entity, number: NumberSet) {
        assert!(
            self.get(entity).has(number),
            "{entity} is known to have a sparse component"
        );
    }

    /// Checks that only placed entities are known to have anything.
    #[cfg(feature = "validate")]
    pub(super) fn check(&self, is_placed: impl Fn(u32) -> bool) {
        let noted = self.remainders.check();
        assert_eq!(noted.len(), self.entities, "noted entities are counted");
        for index in noted {
            assert!(is_placed(index), "the noted entity at {index} is alive");
        }
        for index in self.quotients.check() {
            assert!(
                self.remainders.get(index) != 0,
                "the entity at {index} has quotients and remainders"
            );
        }
    }
}

#[cfg(test)]
#[path = "presence_tests.rs"]
mod tests;
