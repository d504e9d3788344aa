//! Ids in a packet: each is written as the distance from the one before it, which is mostly one byte.
//!
//! ```text
//! id: (distance << 2 | has generation << 1 | bit): varint, and if it has one, generation: varint
//! ```
//! The distance is between the indices, in zigzag form: 0, -1, 1, -2 and so on are 0, 1, 2, 3. An id without a generation has
//! the generation of the one before. A list begins as if -1 with generation 1 came before. The bit belongs to the user of the id.

use ecs_engine::Entity;

use crate::file::{FileError, FileInput, put_number};

/// The id before the next one.
#[derive(Clone, Copy)]
pub(super) struct DeltaIds {
    index: i64,
    generation: u32,
}

impl DeltaIds {
    /// The greatest number of bytes of an id.
    pub(super) const MOST: usize = 6 + 5;

    pub(super) const fn new() -> Self {
        Self {
            index: -1,
            generation: 1,
        }
    }

    /// Appends an id, and a bit.
    pub(super) fn put(&mut self, out: &mut Vec<u8>, id: Entity, bit: bool) {
        let (head, generation) = self.next(id);
        put_number(out, head | u64::from(bit));
        if let Some(generation) = generation {
            put_number(out, generation.into());
        }
    }

    /// Returns the number of bytes of the next id, which then is the one before.
    pub(super) fn len(&mut self, id: Entity) -> usize {
        let (head, generation) = self.next(id);
        number_len(head) + generation.map_or(0, |generation| number_len(generation.into()))
    }

    /// Returns the greatest number of bytes of an id in a list of ascending ones.
    pub(super) fn most(id: Entity) -> usize {
        let head = (u64::from(id.index()) + 1) << 3;
        number_len(head) + number_len(id.to_bits() >> 32)
    }

    fn next(&mut self, id: Entity) -> (u64, Option<u32>) {
        let index = i64::from(id.index());
        let distance = index - self.index;
        let zigzag = (distance << 1 ^ distance >> 63) as u64;
        let generation = (id.to_bits() >> 32) as u32;
        let is_other = generation != self.generation;
        *self = Self { index, generation };
        let head = zigzag << 2 | u64::from(is_other) << 1;
        (head, is_other.then_some(generation))
    }

    /// Reads an id and its bit.
    pub(super) fn read(&mut self, input: &mut FileInput<'_>) -> Result<(Entity, bool), FileError> {
        let head = input.number()?;
        self.read_behind(head, input)
    }

    /// Reads the rest of an id that begins with this number.
    pub(super) fn read_behind(
        &mut self,
        head: u64,
        input: &mut FileInput<'_>,
    ) -> Result<(Entity, bool), FileError> {
        let before = input.at();
        let generation = match head & 2 {
            0 => u64::from(self.generation),
            _ => input.number()?,
        };
        let zigzag = (head >> 2) as i64;
        let distance = zigzag >> 1 ^ -(zigzag & 1);
        let index = self.index.checked_add(distance);
        let index = index.and_then(|index| u32::try_from(index).ok());
        let generation = u32::try_from(generation).ok();
        let bits = index.zip(generation).map(|(index, generation)| {
            *self = Self {
                index: index.into(),
                generation,
            };
            u64::from(generation) << 32 | u64::from(index)
        });
        let id = bits.and_then(Entity::from_bits);
        let id = id
            .ok_or_else(|| input.malformed(input.at() - before, "it is not the id of an entity"))?;
        Ok((id, head & 1 == 1))
    }
}

/// Returns the number of bytes of a list of ids, without their number.
pub(super) fn list_len(ids: &[Entity]) -> usize {
    let mut list = DeltaIds::new();
    ids.iter().map(|&id| list.len(id)).sum()
}

/// Appends a list of ids, without their number.
pub(super) fn put_list(out: &mut Vec<u8>, ids: &[Entity]) {
    let mut list = DeltaIds::new();
    ids.iter().for_each(|&id| list.put(out, id, false));
}

/// Reads a list of ids, whose number has been read.
pub(super) fn read_list(input: &mut FileInput<'_>, count: usize) -> Result<Vec<Entity>, FileError> {
    let mut list = DeltaIds::new();
    (0..count)
        .map(|_| list.read(input).map(|(id, _)| id))
        .collect()
}

/// Reads the number of elements of a list, of which each has at least this many bytes.
pub(super) fn read_count(input: &mut FileInput<'_>, size: usize) -> Result<usize, FileError> {
    let count = input.number()?;
    let most = (input.left() / size) as u64;
    if count > most {
        return Err(input.malformed(1, "a list is longer than the packet"));
    }
    Ok(count as usize)
}

/// Returns how many of the first things fit into so many bytes.
pub(super) fn fitting(lengths: impl Iterator<Item = usize>, room: usize) -> usize {
    let mut taken = 0;
    let fits = |length: &usize| {
        taken += length;
        taken <= room
    };
    lengths.take_while(fits).count()
}

/// Returns the number of bytes that [`put_number`] writes.
pub(super) const fn number_len(number: u64) -> usize {
    let bits = 64 - (number | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(index: u32, generation: u32) -> Entity {
        Entity::from_bits(u64::from(generation) << 32 | u64::from(index)).unwrap()
    }

    #[test]
    fn ids_come_back_and_take_the_bytes_that_were_promised() {
        let last = u32::MAX - 1;
        let ids = [
            id(0, 1),
            id(last, 1),
            id(0, u32::MAX),
            id(last, u32::MAX),
            id(7, 3),
            id(7, 4),
            id(7, 4),
            id(6, 4),
        ];
        let mut bytes = Vec::new();
        let mut list = DeltaIds::new();
        for (at, &id) in ids.iter().enumerate() {
            let before = bytes.len();
            list.put(&mut bytes, id, at % 3 == 0);
            assert!(bytes.len() - before <= DeltaIds::MOST);
        }
        assert_eq!(bytes.len(), list_len(&ids));
        let (mut input, mut list) = (FileInput::new(&bytes), DeltaIds::new());
        for (at, &id) in ids.iter().enumerate() {
            assert_eq!(list.read(&mut input).unwrap(), (id, at % 3 == 0));
        }
        assert_eq!(input.left(), 0);
    }

    #[test]
    fn neighbours_take_one_byte() {
        let ids: Vec<Entity> = (0..10).map(|index| id(index, 1)).collect();
        assert_eq!(list_len(&ids), 10);
    }

    #[test]
    fn an_index_or_generation_out_of_bounds_is_an_error() {
        let before_the_first = [1 << 2];
        let generation_0 = [2 << 2 | 2, 0];
        let mut beyond = Vec::new();
        put_number(&mut beyond, u64::MAX);
        put_number(&mut beyond, 1);
        let mut generation = vec![2 << 2 | 2];
        put_number(&mut generation, 1 << 32);
        for bytes in [&before_the_first[..], &generation_0, &beyond, &generation] {
            let read = DeltaIds::new().read(&mut FileInput::new(bytes));
            assert!(matches!(read, Err(FileError::Malformed { .. })), "{read:?}");
        }
    }
}
