//! The hashes of the last frames.

use std::collections::VecDeque;

use ecs_engine::World;

use crate::hash::{HashError, WorldHasher};

/// The hashes of the world at the beginning of every few frames.
pub(super) struct Hashes {
    every: u32,
    hasher: WorldHasher,
    /// By ascending frames.
    last: VecDeque<(u64, u64)>,
}

/// The number of hashes to keep, so that a late one from another machine can be compared.
const KEPT: usize = 64;

impl Hashes {
    pub(super) fn new(every: u32, hasher: WorldHasher) -> Self {
        Self {
            every,
            hasher,
            last: VecDeque::new(),
        }
    }

    /// Hashes the world at the beginning of a frame, if that is one of those. It replaces the hashes of later frames.
    pub(super) fn add(&mut self, frame: u64, world: &World) -> Result<(), HashError> {
        if !frame.is_multiple_of(self.every.into()) {
            return Ok(());
        }
        self.last.retain(|(last, _)| *last < frame);
        self.last.push_back((frame, self.hasher.world(world)?));
        if self.last.len() > KEPT {
            self.last.pop_front();
        }
        Ok(())
    }

    pub(super) fn get(&self, frame: u64) -> Option<u64> {
        let found = self.last.iter().find(|(of, _)| *of == frame);
        found.map(|(_, hash)| *hash)
    }

    pub(super) fn frames(&self) -> impl DoubleEndedIterator<Item = u64> {
        self.last.iter().map(|(frame, _)| *frame)
    }
}
