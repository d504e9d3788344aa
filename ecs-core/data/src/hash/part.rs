//! Hashes of a part of a world, so that a large world is hashed over several frames.

use std::ops::Range;

use ecs_engine::World;
use ecs_engine::staging::{EdgeTarget, RelationInfo};

use super::{HashError, WorldHasher};
use crate::saved::is_saved;

/// A part of a world: the same share of the rows of each table, sparse set and relation, and of the list of resources.
///
/// Each value is in one of the parts `0..of`, as long as rows stay in their places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HashPart {
    number: u32,
    of: u32,
}

impl HashPart {
    /// The whole world.
    pub const WHOLE: Self = Self { number: 0, of: 1 };

    /// Returns a part; `None` if there is none with the number.
    #[must_use]
    pub fn new(number: u32, of: u32) -> Option<Self> {
        (number < of).then_some(Self { number, of })
    }

    /// Returns the number of the part, and of all.
    #[must_use]
    pub fn numbers(self) -> [u32; 2] {
        [self.number, self.of]
    }

    /// Returns true if it is the whole world.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.of == 1
    }

    /// Returns the rows of a list that are in the part.
    pub(super) fn rows(self, len: usize) -> Range<usize> {
        let at = |number: u32| {
            let place = len as u128 * u128::from(number) / u128::from(self.of);
            place as usize
        };
        at(self.number)..at(self.number + 1)
    }

    /// Returns true if something with a place in a list is in the part.
    pub(super) fn has(self, place: usize) -> bool {
        place % self.of as usize == self.number as usize
    }
}

/// The parts that have had their turns.
///
/// The number of a frame decides which part it can hash, so recorders of two machines that hash the same frame hash the same part.
/// A frame whose part has had its turn in this round hashes nothing. So each round of hashes has every part once, whichever
/// frames a recorder leaves out.
#[derive(Clone, Debug, Default)]
pub struct HashTurns {
    of: u32,
    /// A bit for each part of this round.
    seen: Vec<u64>,
    count: u32,
}

impl HashTurns {
    /// Returns the part that is hashed after a frame, and notes its turn; `None` if it had its turn, so that a later frame hashes
    /// another one: at most `of - 1` frames later.
    pub fn take(&mut self, frame: u64, of: u32) -> Option<HashPart> {
        if self.of != of || self.count == of {
            (self.of, self.count) = (of, 0);
            self.seen.clear();
            self.seen.resize(of.div_ceil(64) as usize, 0);
        }
        let number = (frame % u64::from(of)) as u32;
        let (word, bit) = (&mut self.seen[number as usize / 64], 1 << (number % 64));
        if *word & bit != 0 {
            return None;
        }
        *word |= bit;
        self.count += 1;
        HashPart::new(number, of)
    }
}

impl Default for HashPart {
    fn default() -> Self {
        Self::WHOLE
    }
}

impl WorldHasher {
    /// Returns the number of parts of a world such that each has about `most` values, or fewer: a power of two, which seldom
    /// changes. O(components and tables).
    #[must_use]
    pub fn parts(&self, world: &World, most: usize) -> u32 {
        let tables = world.tables_with_rows();
        let mut values: usize = tables.map(|(entities, _)| entities.len()).sum();
        for component in world.registered_components() {
            let is_hashed = !component.is_end() && component.data().is_some();
            if is_hashed && let Ok(view) = world.try_view_erased(component) {
                values += view
                    .chunks()
                    .map(|chunk| chunk.entities().len())
                    .sum::<usize>();
            }
        }
        for relation in world.relations() {
            values += world.sources_of_relation(&relation).len();
        }
        let parts = values.div_ceil(most.max(1)).next_power_of_two();
        parts.min(1 << 16) as u32
    }

    /// Returns the hash of a part of the entities. For the whole world it is [`rows`](Self::rows). The order of a target's sources
    /// is only in the hash of the whole.
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn rows_of(&mut self, world: &World, part: HashPart) -> Result<u64, HashError> {
        self.in_part(part, |hasher| hasher.rows(world))
    }

    /// Returns the hash of a part of the resources. For the whole world it is [`resources`](Self::resources).
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn resources_of(&mut self, world: &World, part: HashPart) -> Result<u64, HashError> {
        self.in_part(part, |hasher| hasher.resources(world))
    }

    /// Returns the hash of a part of the world. For the whole it is [`world`](Self::world).
    ///
    /// # Errors
    /// See [`HashError`].
    pub fn part(&mut self, world: &World, part: HashPart) -> Result<u64, HashError> {
        self.in_part(part, |hasher| hasher.world(world))
    }

    /// Calls a function that hashes only this part.
    fn in_part<R>(&mut self, part: HashPart, hash: impl FnOnce(&mut Self) -> R) -> R {
        self.part = part;
        let result = hash(self);
        self.part = HashPart::WHOLE;
        result
    }

    /// Returns the hash of a part of the edges: of those from some of the sources.
    pub(super) fn edges_of_part(&mut self, world: &World) -> Result<u64, HashError> {
        let mut sum = 0_u64;
        for relation in world.relations() {
            if !self.leaves_out(&relation) {
                sum = sum.wrapping_add(self.edges_of(world, &relation)?);
            }
        }
        Ok(sum)
    }

    fn edges_of(&mut self, world: &World, relation: &RelationInfo) -> Result<u64, HashError> {
        let sources = world.sources_of_relation(relation);
        let sources = &sources[self.part.rows(sources.len())];
        if sources.is_empty() || !relation.data().is_some_and(is_saved) {
            return Ok(0);
        }
        let Some(of_type) = self.data(relation.data(), relation.outgoing().name())? else {
            return Ok(0);
        };
        let mut sum = 0_u64;
        for found in world.gather_edges(relation, sources, &|_| None) {
            let source = sources[found.edge.source as usize];
            let EdgeTarget::Living(target) = found.edge.target else {
                unreachable!("no target has a number");
            };
            // SAFETY: it is the value of an edge, whose data `of_type` is, and the world is borrowed.
            let hash =
                unsafe { self.edge(&of_type, [source, target], found.position, found.value) };
            sum = sum.wrapping_add(hash?);
        }
        Ok(sum)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_row_is_in_one_part() {
        for of in [1, 2, 8, 64] {
            for len in [0, 1, 7, 64, 1000] {
                let parts = (0..of).map(|number| HashPart { number, of });
                let rows: Vec<usize> = parts.flat_map(|part| part.rows(len)).collect();
                assert_eq!(rows, (0..len).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn every_part_has_its_turn_in_each_round_whichever_frames_are_left_out() {
        for of in [1, 2, 8, 64, 256] {
            for step in [1, 2, 3, 4, 5, 7, 64, 100] {
                let mut turns = HashTurns::default();
                let (mut frame, mut last) = (999, 999);
                for round in 0..3 {
                    let mut seen = vec![false; of as usize];
                    for _ in 0..of {
                        let part = loop {
                            match turns.take(frame, of) {
                                Some(part) => break part,
                                None => frame += 1,
                            }
                        };
                        assert!(frame - last < u64::from(of) + step, "{of} by {step}");
                        let number = part.number as usize;
                        assert!(!seen[number], "{of} by {step}, {round}");
                        seen[number] = true;
                        last = frame;
                        frame += step;
                    }
                }
            }
        }
    }

    #[test]
    fn another_number_of_parts_begins_a_new_round() {
        let mut turns = HashTurns::default();
        let mut take = |frame, of| turns.take(frame, of).map(HashPart::numbers);
        assert_eq!(take(0, 2), Some([0, 2]));
        assert_eq!(take(2, 2), None);
        assert_eq!(take(2, 4), Some([2, 4]));
        assert_eq!(take(2, 2), Some([0, 2]));
        assert_eq!(take(3, 2), Some([1, 2]));
        assert_eq!(take(4, 2), Some([0, 2]));
        assert_eq!(take(4, 1), Some([0, 1]));
        assert_eq!(take(5, 1), Some([0, 1]));
    }
}
