//! Copies for saves, which other threads write.

use std::fmt;

use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::snapshot::{Snapshot, Snapshotter};

use crate::clone;
use crate::kept::is_kept;
use crate::save::{Save, SaveOptions};
use crate::saved::is_saved;
use crate::template::{CloneError, LeftOut};

/// A copy of everything that a save has. Any thread can write it while the game goes on, which then pays for the copy alone.
///
/// Values that are `Copy` are copied as bytes, others by their `Clone`. A part of a world is written alone, but the copy is of the
/// whole world; if the part is small, [`Save::to_vec`] in the frame costs less. [`SaveWriter`](crate::SaveWriter) writes
/// copies into [slots](crate::SaveSlots), and `Autosave` of `ecs_core::app` does so for an app.
///
/// ```
/// use ecs_core::data::{SaveCopy, write_file};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.gold")]
/// struct Gold(u32);
///
/// # let path = std::env::temp_dir().join(format!("ecs-doc-save-copy-{}", std::process::id()));
/// # let file = path.clone();
/// let mut world = World::new();
/// let hoard = world.spawn(Gold(7));
/// let before = world.save().to_vec()?;
/// let copy = SaveCopy::take(&mut world, |world| world.save())?;
/// let thread = std::thread::spawn(move || {
///     copy.write(|save| write_file(&file, |out| save.to_writer(out)))
/// });
/// world.get_mut::<Gold>(hoard).unwrap().0 = 0; // meanwhile
///
/// thread.join().unwrap()?;
/// assert_eq!(std::fs::read(&path)?, before);
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SaveCopy {
    options: SaveOptions,
    world: WorldCopy,
}

/// A copy of a world.
enum WorldCopy {
    Snapshot {
        snapshotter: Box<Snapshotter>,
        snapshot: Box<Snapshot>,
        /// The types that the world knows.
        types: Vec<&'static DataType>,
    },
    /// Slower: values without `Clone` were written and read.
    World(Box<World>),
}

/// The reason why a world cannot be copied for a save.
#[derive(Debug)]
#[non_exhaustive]
pub enum SaveCopyError {
    /// The save has keys for [entities outside of it](Save::map_ids), which are found in the world itself.
    MappedIds,
    /// A value cannot be copied.
    NotCopied(CloneError),
}

impl SaveCopy {
    /// Copies the world of a save that a function makes. Applies waiting commands first. O(values of the world).
    ///
    /// # Errors
    /// See [`SaveCopyError`].
    ///
    /// # Panics
    /// If a `Clone` or a waiting command panics, or the function returns the save of another world.
    pub fn take(
        world: &mut World,
        save: impl FnOnce(&World) -> Save<'_>,
    ) -> Result<Self, SaveCopyError> {
        world.flush();
        let save = save(world);
        assert!(
            core::ptr::eq(save.world, world),
            "the save is one of another world; help: make it of the argument"
        );
        let options = save.into_options().ok_or(SaveCopyError::MappedIds)?;
        if let Some(copy) = snapshot_of(world, &options) {
            return Ok(Self {
                options,
                world: copy,
            });
        }
        let left_out = LeftOut {
            not_data: true,
            ..LeftOut::default()
        };
        let copy = clone::copy_of(world, &left_out, &options.resources);
        let copy = copy.map_err(SaveCopyError::NotCopied)?;
        Ok(Self {
            options,
            world: WorldCopy::World(Box::new(copy)),
        })
    }

    /// Calls a function with the save, which is as it was when the copy was taken.
    pub fn write<R>(self, write: impl FnOnce(&Save<'_>) -> R) -> R {
        let world = match self.world {
            WorldCopy::World(world) => world,
            WorldCopy::Snapshot {
                snapshotter,
                mut snapshot,
                types,
            } => {
                let mut world = Box::new(World::new());
                for data in types {
                    world.make_data_known(data);
                }
                snapshot.give_to(&world);
                let returned = snapshotter.restore(&mut world, &mut snapshot);
                returned.expect("a whole snapshot without schedules");
                world
            }
        };
        write(&Save::with_options(&world, self.options))
    }
}

/// Copies a world by a snapshot; `None` if some data would not be part of it.
fn snapshot_of(world: &mut World, options: &SaveOptions) -> Option<WorldCopy> {
    let types = world.data_types();
    let all = types.iter().chain(&options.resources);
    let mut saved = all.copied().filter(|data| is_saved(data));
    let is_copied =
        |data: &'static DataType| data.is_clone() || data.is_copy() && !data.is_resource();
    if !saved.all(is_copied) {
        return None;
    }
    let is_part = |data: &DataType| is_saved(data) || is_kept(data);
    let mut snapshotter = Snapshotter::new().only_written(is_part).without_others();
    for data in &options.resources {
        snapshotter = snapshotter.resource_of(data);
    }
    let snapshot = Box::new(snapshotter.take(world).ok()?);
    Some(WorldCopy::Snapshot {
        snapshotter: Box::new(snapshotter),
        snapshot,
        types,
    })
}

impl fmt::Debug for SaveCopy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SaveCopy").finish_non_exhaustive()
    }
}

impl fmt::Display for SaveCopyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MappedIds => f.write_str(
                "the save has keys for entities outside of it, which are found in the world itself; help: write it by `Save::to_vec` in the frame",
            ),
            Self::NotCopied(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SaveCopyError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::NotCopied(error) => Some(error),
            Self::MappedIds => None,
        }
    }
}
