//! Exact snapshots as bytes.
//!
//! ```text
//! "ecssnaps", form: u32
//! length: u64, body            written and read by the engine, except for its values
//! types: [(name, version, shape)]
//! checksum: u64                of all before: XXH3
//! ```
//! Values in the body are the number of a type, a form (`u8`), the length in bytes (`u64`) and the bytes, as in a save. Ids in
//! values are their bits, so ids of dead entities stay what they are.

mod error;
mod read;
mod write;

use ecs_engine::World;
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::schedule::Schedule;
use ecs_engine::snapshot::bytes::LOCAL;
use ecs_engine::snapshot::{Snapshot, Snapshotter};

use crate::saved::{DataSerde, Saved, is_saved};

pub use error::{ReadSnapshotError, WriteSnapshotError};

/// The first bytes.
const MAGIC: &[u8; 8] = b"ecssnaps";

/// The version of the form that is written.
const FORM: u32 = 4;

/// The oldest version that is read.
const OLDEST: u32 = 2;

/// Replaces the last eight bytes by the checksum of the bytes before, so that tests of hostile bytes get past it.
pub fn seal_snapshot(bytes: &mut Vec<u8>) {
    bytes.truncate(bytes.len().saturating_sub(8));
    let sum = crate::file::checksum_of(bytes);
    bytes.extend(sum.to_le_bytes());
}

/// Writes a [`Snapshot`] as bytes; needs this trait in scope, and the prelude of `ecs_core` has it.
///
/// The bytes have everything that the snapshot has: rows and their order, tables, sparse sets, ids and those that come next, the
/// order of relations, ticks, ids of dead entities inside of values, events and the positions of readers, and what systems
/// remember. A world that [returns](Snapshotter::restore_with) to them has the same future, in this process or another
/// one, on any machine, as long as the program is the same: types and systems with the same names. A [save](crate::Save) is for
/// programs that change; it has values and edges, and the rest begins anew.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::snapshot::Snapshotter;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place(i32);
///
/// #[system]
/// fn fall(mut places: Query<&mut Place>, mut speed: Local<i32>) {
///     *speed += 1;
///     places.for_each(|place| place.0 -= *speed);
/// }
///
/// fn game() -> Result<(World, Schedule), ecs_core::schedule::ScheduleError> {
///     let (mut world, mut sim) = (World::new(), Schedule::new());
///     sim.add(fall);
///     sim.prepare(&mut world)?;
///     Ok((world, sim))
/// }
///
/// let (mut world, mut sim) = game()?;
/// let gone = world.spawn(());
/// let ball = world.spawn(Place(100));
/// world.despawn(gone)?;
/// sim.run(&mut world)?;
/// let snapshotter = Snapshotter::new();
/// let bytes = snapshotter.take_with(&mut world, &mut [&mut sim])?.to_bytes()?;
///
/// // In another process: a new world, with the same systems.
/// let (mut other, mut other_sim) = game()?;
/// let mut snapshot = snapshotter.read_bytes(&other, &bytes)?;
/// snapshotter.restore_with(&mut other, &mut [&mut other_sim], &mut snapshot)?;
/// for (world, sim) in [(&mut world, &mut sim), (&mut other, &mut other_sim)] {
///     sim.run(world)?;
///     assert_eq!(*world.get::<Place>(ball).unwrap(), Place(100 - 1 - 2));
///     assert_eq!(world.spawn(()).to_string(), "0v2", "the same ids come next");
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait SnapshotBytes {
    /// Returns the snapshot as bytes. O(values).
    ///
    /// The form of bytes has a version and a checksum. Fields that the `Serialize` of a type skips are left out, and get their
    /// defaults when they are read.
    ///
    /// # Errors
    /// If the snapshot is not complete, or not of a whole world; if it has values of types that are not data, whose names the
    /// error lists; or if the `Serialize` of a value fails.
    fn to_bytes(&self) -> Result<Vec<u8>, WriteSnapshotError> {
        let mut bytes = Vec::new();
        self.to_bytes_into(&mut bytes)?;
        if bytes.capacity() / 2 > bytes.len() {
            bytes.shrink_to_fit();
        }
        Ok(bytes)
    }

    /// Like [`to_bytes`](Self::to_bytes), in the memory of earlier bytes, which are replaced. Use it for snapshots that are written
    /// again and again: of a large world, the system takes longer to give new memory than the values take to be written.
    ///
    /// # Errors
    /// As for [`to_bytes`](Self::to_bytes). The bytes are empty then.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::{Snapshot, Snapshotter};
    ///
    /// let (mut world, snapshotter) = (World::new(), Snapshotter::new());
    /// let (mut snapshot, mut bytes) = (Snapshot::new(), Vec::new());
    /// for _ in 0..3 {
    ///     world.spawn(());
    ///     snapshotter.take_into(&mut world, &mut snapshot)?;
    ///     snapshot.to_bytes_into(&mut bytes)?;
    /// }
    /// assert_eq!(bytes, snapshotter.take(&mut world)?.to_bytes()?);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    fn to_bytes_into(&self, bytes: &mut Vec<u8>) -> Result<(), WriteSnapshotError>;
}

impl SnapshotBytes for Snapshot {
    fn to_bytes_into(&self, bytes: &mut Vec<u8>) -> Result<(), WriteSnapshotError> {
        write::write(self, bytes)
    }
}

/// Reads a [`Snapshot`] from bytes; needs this trait in scope, and the prelude of `ecs_core` has it. See [`SnapshotBytes`].
pub trait SnapshotterBytes: Sized {
    /// Reads a snapshot, and makes it one of a world, which can return to it. The world need not be the one that the snapshot
    /// was taken of. O(bytes).
    ///
    /// The world knows the data: it has registered the components and resources, or a schedule that is prepared for it names
    /// them. To restore systems, prepare the same schedules for the world before.
    ///
    /// The bytes may come from a stranger: no input causes a panic, except in the `Deserialize` of a type. Memory stays in
    /// proportion to the length of the input: besides the values, whose size in memory depends on their types, it takes at most
    /// about twice as much.
    ///
    /// # Errors
    /// If the bytes are not a snapshot or are damaged, if the world does not know a type in them, or if a type has changed.
    fn read_bytes(&self, world: &World, bytes: &[u8]) -> Result<Snapshot, ReadSnapshotError>;

    /// Like [`read_bytes`](Self::read_bytes), for a snapshot that was taken [with](Snapshotter::take_with) these schedules, and
    /// names the first system that differs.
    ///
    /// # Errors
    /// As for [`read_bytes`](Self::read_bytes); also if the schedules have other systems, or systems that remember other things.
    fn read_bytes_with(
        &self,
        world: &World,
        schedules: &mut [&mut Schedule],
        bytes: &[u8],
    ) -> Result<Snapshot, ReadSnapshotError>;

    /// Like [`Snapshotter::local`], for values that can also be written as bytes. Numbers, `bool`, `char`, `String` and
    /// `Duration` need not be named, nor resources that are data.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[system]
    /// fn remember(mut seen: Local<Vec<Entity>>, all: Query<Entity>) {
    ///     seen.extend(&all);
    /// }
    ///
    /// let (mut world, mut sim) = (World::new(), Schedule::new());
    /// sim.add(remember);
    /// sim.run(&mut world)?;
    /// let error = Snapshotter::new()
    ///     .local::<Vec<Entity>>()
    ///     .take_with(&mut world, &mut [&mut sim])?
    ///     .to_bytes()
    ///     .unwrap_err();
    /// assert!(error.to_string().ends_with("help: name the type of a `Local` in `local_data`"), "{error}");
    ///
    /// let snapshotter = Snapshotter::new().local_data::<Vec<Entity>>();
    /// let bytes = snapshotter.take_with(&mut world, &mut [&mut sim])?.to_bytes()?;
    /// assert!(snapshotter.read_bytes(&world, &bytes).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn local_data<T: DataSerde + Clone + Send + Sync + 'static>(self) -> Self;

    /// Takes snapshots that can become bytes: a type without a written form counts as one that cannot be copied. It is refused by name when
    /// a snapshot is taken, or, by [`without_others`](Snapshotter::without_others), left out with a list: [`SnapshotBytes::to_bytes`]
    /// succeeds then, unless the `Serialize` of a value fails.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::snapshot::Snapshotter;
    ///
    /// #[derive(Component, Clone)]
    /// struct Sprite(u32);
    ///
    /// let mut world = World::new();
    /// let hero = world.spawn(Sprite(7));
    /// let snapshotter = Snapshotter::new().component::<Sprite>().for_bytes();
    /// let error = snapshotter.take(&mut world).unwrap_err();
    /// assert!(error.to_string().contains("Sprite` cannot be copied: entity 0v1 has it"), "{error}");
    ///
    /// let snapshotter = snapshotter.without_others();
    /// let snapshot = snapshotter.take(&mut world)?;
    /// assert!(snapshot.left_out().components[0].ends_with("Sprite"));
    /// let bytes = snapshot.to_bytes()?;
    ///
    /// let mut other = World::new();
    /// other.register::<Sprite>();
    /// let mut snapshot = snapshotter.read_bytes(&other, &bytes)?;
    /// snapshotter.restore(&mut other, &mut snapshot)?;
    /// assert!(other.contains(hero) && other.get::<Sprite>(hero).is_none());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    fn for_bytes(self) -> Self;
}

impl SnapshotterBytes for Snapshotter {
    fn read_bytes(&self, world: &World, bytes: &[u8]) -> Result<Snapshot, ReadSnapshotError> {
        read::read(self, world, None, bytes)
    }

    fn read_bytes_with(
        &self,
        world: &World,
        schedules: &mut [&mut Schedule],
        bytes: &[u8],
    ) -> Result<Snapshot, ReadSnapshotError> {
        read::read(self, world, Some(schedules), bytes)
    }

    fn local_data<T: DataSerde + Clone + Send + Sync + 'static>(self) -> Self {
        let data: &'static DataType = const {
            let data = DataTypeOf::<T>::new(LOCAL, 1).cloned();
            &Self::value_data(data.coded(const { &Saved::of::<T>() }))
        };
        self.local_of::<T>(data)
    }

    fn for_bytes(self) -> Self {
        self.only_written(is_saved)
    }
}
