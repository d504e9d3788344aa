//! The snapshots of the last frames.

use alloc::collections::VecDeque;
use alloc::vec::Vec;
use core::fmt;

use super::{RestoreError, Snapshot, SnapshotError, Snapshotter};
use crate::schedule::Schedule;
use crate::world::World;

/// The snapshots of the last frames of a world, to go back to any of them: the basis of rollback.
///
/// Once it is full, each snapshot is taken into the memory of an older one.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::{Ring, Snapshotter};
///
/// #[derive(Component, Clone, Debug, PartialEq)]
/// struct Place(i32);
///
/// let mut world = World::new();
/// let ball = world.spawn(Place(0));
/// let mut ring = Ring::new(Snapshotter::new().component::<Place>(), 8);
/// let step = |world: &mut World, push: i32| world.get_mut::<Place>(ball).unwrap().0 += push;
/// for frame in 0..20 {
///     ring.take(frame, &mut world)?;
///     step(&mut world, 1);
/// }
/// assert_eq!(*world.get::<Place>(ball).unwrap(), Place(20));
///
/// // Another player's input for frame 15 arrives late: go back, and run the frames again with it.
/// ring.restore(15, &mut world)?;
/// for frame in 15..20 {
///     ring.take(frame, &mut world)?;
///     step(&mut world, if frame == 15 { -1 } else { 1 });
/// }
/// assert_eq!(*world.get::<Place>(ball).unwrap(), Place(18));
/// assert!(ring.restore(3, &mut world).is_err(), "too long ago");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Ring {
    snapshotter: Snapshotter,
    /// By ascending frames.
    taken: VecDeque<(u64, Snapshot)>,
    /// Snapshots of frames that were replaced, whose memory is reused. There is at least one once the ring has been full,
    /// so that a snapshot is never taken into one that may still be needed.
    spare: Vec<Snapshot>,
    frames: usize,
}

impl Ring {
    /// Makes an empty ring for the snapshots of a number of frames.
    ///
    /// # Panics
    /// If it is for none.
    #[must_use]
    #[inline]
    #[track_caller]
    pub fn new(snapshotter: Snapshotter, frames: usize) -> Self {
        assert!(frames > 0, "a ring of no frames could not keep any");
        Self {
            snapshotter,
            taken: VecDeque::new(),
            spare: Vec::new(),
            frames,
        }
    }

    /// Takes the snapshot of a frame. The world is now before that frame. The snapshot replaces any earlier one of the same
    /// frame and the snapshots of later frames, and the oldest one if the ring is full.
    ///
    /// # Errors
    /// As for [`Snapshotter::take`]; the ring is as it was.
    ///
    /// # Panics
    /// As for [`Snapshotter::take`]; the ring is as it was.
    #[inline]
    pub fn take(&mut self, frame: u64, world: &mut World) -> Result<(), SnapshotError> {
        self.take_with(frame, world, &mut [])
    }

    /// Like [`take`](Self::take), with the values that systems of schedules remember; see [`Snapshotter::take_with`].
    ///
    /// # Errors
    /// As for [`Snapshotter::take_with`]; the ring is as it was.
    ///
    /// # Panics
    /// As for [`Snapshotter::take`]; the ring is as it was.
    #[inline]
    pub fn take_with(
        &mut self,
        frame: u64,
        world: &mut World,
        schedules: &mut [&mut Schedule],
    ) -> Result<(), SnapshotError> {
        let mut snapshot = self.spare.pop().unwrap_or_default();
        if let Err(error) = self
            .snapshotter
            .take_into_with(world, schedules, &mut snapshot)
        {
            self.spare.push(snapshot);
            return Err(error);
        }
        let is_later = |taken: &(u64, Snapshot)| taken.0 >= frame;
        while self.taken.back().is_some_and(is_later) {
            let later = self.taken.pop_back();
            self.spare.extend(later.map(|(_, snapshot)| snapshot));
        }
        self.taken.push_back((frame, snapshot));
        if self.taken.len() > self.frames
            && let Some((_, oldest)) = self.taken.pop_front()
        {
            self.spare.push(oldest);
        }
        Ok(())
    }

    /// Returns the world to the snapshot of a frame. Snapshots of later frames stay until they are replaced.
    ///
    /// # Errors
    /// If there is no snapshot of the frame, or for the reasons of [`Snapshotter::restore`]; in that case nothing has changed.
    ///
    /// # Panics
    /// As for [`Snapshotter::restore`].
    #[inline]
    pub fn restore(&mut self, frame: u64, world: &mut World) -> Result<(), RestoreError> {
        self.restore_with(frame, world, &mut [])
    }

    /// Like [`restore`](Self::restore), for a snapshot that was taken [with](Self::take_with) schedules.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore); also if these are different schedules. Then nothing has changed.
    ///
    /// # Panics
    /// As for [`Snapshotter::restore`].
    #[inline]
    pub fn restore_with(
        &mut self,
        frame: u64,
        world: &mut World,
        schedules: &mut [&mut Schedule],
    ) -> Result<(), RestoreError> {
        let mut taken = self.taken.iter_mut();
        let found = taken.find(|(of, _)| *of == frame);
        let (_, snapshot) = found.ok_or(RestoreError::NoSuchFrame { frame })?;
        self.snapshotter.restore_with(world, schedules, snapshot)
    }

    /// Returns the frames that have a snapshot, in ascending order.
    #[inline]
    pub fn frames(&self) -> impl DoubleEndedIterator<Item = u64> + '_ {
        self.taken.iter().map(|(frame, _)| *frame)
    }
}

impl fmt::Debug for Ring {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.frames()).finish()
    }
}
