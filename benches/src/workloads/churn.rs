//! Entities that are despawned in random order while others are spawned, one by one or all at once.

use crate::columns::{Row, Values};
use crate::components::{Position, row};
use crate::digest::Digest;
use crate::shuffle::shuffle;
use crate::workloads::linked::{self, Chain};

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

/// The positions that observers have seen come and go.
#[derive(Clone, Copy, Default)]
pub(crate) struct Seen {
    come: u64,
    gone: u64,
}

impl Seen {
    #[inline]
    pub(crate) fn note_come(&mut self, position: &Position) {
        self.come += position.0.x as u64;
    }

    #[inline]
    pub(crate) fn note_gone(&mut self, position: &Position) {
        self.gone += position.0.x as u64;
    }

    /// Returns the digest of the observers and the rows.
    pub(crate) fn digest(self, rows: u64) -> u64 {
        rows ^ self.come.rotate_left(20) ^ self.gone.rotate_left(40)
    }
}

/// The number of components of a wide entity.
pub(crate) const WIDE: usize = 20;

/// Calls `$action!(l0 L0 .. l19 L19)`: a name for each component of `linked` that a wide entity has, and the component.
macro_rules! with_wide_components {
    ($action:ident) => {
        $action! {
            l0 L0, l1 L1, l2 L2, l3 L3, l4 L4, l5 L5, l6 L6, l7 L7, l8 L8, l9 L9;
            l10 L10, l11 L11, l12 L12, l13 L13, l14 L14, l15 L15, l16 L16, l17 L17, l18 L18, l19 L19
        }
    };
}
pub(crate) use with_wide_components;

impl Values for [f32; WIDE] {
    fn values(&self) -> impl Iterator<Item = f32> {
        self.iter().copied()
    }
}

/// Returns the value of all components of a wide entity that replaces another one, or is one of the first.
#[inline]
pub(crate) fn wide_value((_, position, ..): &Row) -> f32 {
    position.0.x
}

macro_rules! define_wide_bundle {
    ($($a:ident $A:ident),*; $($b:ident $B:ident),*) => {
        /// Returns the components of a wide entity, which all have its value.
        #[inline]
        pub(crate) fn wide_bundle(row: &Row) -> (($(linked::$A,)*), ($(linked::$B,)*)) {
            let value = wide_value(row);
            (($(linked::$A::of(value),)*), ($(linked::$B::of(value),)*))
        }
    };
}
with_wide_components!(define_wide_bundle);

/// Returns the digest of wide entities.
pub(crate) fn digest_wide(rows: impl IntoIterator<Item = [f32; WIDE]>) -> u64 {
    Digest::of(rows)
}
