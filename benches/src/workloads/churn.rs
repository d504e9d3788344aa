//! Entities that are despawned in random order while others are spawned, one by one or all at once.

use crate::columns::Row;
use crate::components::row;
use crate::shuffle::shuffle;

/// A world, its entities, the order to despawn them in, and the number of the next one.
pub(crate) struct State<W, I> {
    pub(crate) world: W,
    pub(crate) living: Vec<I>,
    order: Vec<u32>,
    next: u32,
}

/// The limit of numbers: above 2^24 an `f32` does not distinguish integers, so they start over there.
const NUMBERS: u32 = 0x0100_0000;

impl<W, I: Copy> State<W, I> {
    /// Takes the ids in the order of spawning, so that all peers despawn the same rows.
    pub(crate) fn new(world: W, living: Vec<I>) -> Self {
        let next = living.len() as u32;
        let mut order: Vec<u32> = (0..next).collect();
        shuffle(&mut order);
        Self {
            world,
            living,
            order,
            next,
        }
    }

    /// Replaces each entity once.
    #[inline]
    pub(crate) fn replace_all(&mut self, mut replace: impl FnMut(&mut W, I, Row) -> I) {
        for &victim in &self.order {
            let place = &mut self.living[victim as usize];
            *place = replace(&mut self.world, *place, row(self.next));
            self.next = (self.next + 1) % NUMBERS;
        }
    }

    /// Passes the entities to despawn, in order, and the rows to spawn instead; expects the new ids in the same order.
    #[inline]
    pub(crate) fn replace_at_once(
        &mut self,
        replace: impl FnOnce(&mut W, Vec<I>, Births) -> Vec<I>,
    ) {
        let victims = self.order.iter();
        let victims = victims.map(|&victim| self.living[victim as usize]);
        let victims = victims.collect();
        let births = Births {
            next: self.next,
            left: self.order.len(),
        };
        self.next = (self.next + self.order.len() as u32) % NUMBERS;
        self.living = replace(&mut self.world, victims, births);
    }
}

/// The rows to spawn.
#[derive(Clone)]
pub(crate) struct Births {
    next: u32,
    left: usize,
}

impl Iterator for Births {
    type Item = Row;

    #[inline]
    fn next(&mut self) -> Option<Row> {
        if self.left == 0 {
            return None;
        }
        let born = row(self.next);
        self.next = (self.next + 1) % NUMBERS;
        self.left -= 1;
        Some(born)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Births {}
