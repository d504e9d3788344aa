//! Entities that die in a random order while others are born, one by one or all at once.

use crate::columns::Row;
use crate::components::row;
use crate::shuffle::shuffle;

/// A world, who lives in it, in which order they die, and the number of the next one to be born.
pub(crate) struct State<W, I> {
    pub(crate) world: W,
    pub(crate) living: Vec<I>,
    order: Vec<u32>,
    next: u32,
}

/// The last integer that a component of type `f32` tells from the one before is 2^24; numbers start over there.
const NUMBERS: u32 = 0x0100_0000;

impl<W, I: Copy> State<W, I> {
    /// Takes the ids in the order of spawning, so that everybody kills the same rows.
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

    /// Replaces each living entity once.
    #[inline]
    pub(crate) fn replace_all(&mut self, mut replace: impl FnMut(&mut W, I, Row) -> I) {
        for &victim in &self.order {
            let place = &mut self.living[victim as usize];
            *place = replace(&mut self.world, *place, row(self.next));
            self.next = (self.next + 1) % NUMBERS;
        }
    }

    /// Hands out the victims in the order in which they die, and the rows of those that are born instead, whose ids
    /// it wants back in that order.
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

/// The rows of those that are born.
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
