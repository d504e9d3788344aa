//! The ids that the entities of a save get.

use ecs_engine::{Entity, World};

use super::{LoadError, Loader};
use crate::file::FileParts;

/// Returns the ids that the entities get.
pub(super) fn entities(
    loader: &Loader,
    world: &mut World,
    file: &FileParts<'_>,
) -> Result<Vec<Entity>, LoadError> {
    if !loader.same_ids {
        let ids = world.next_ids(file.entities as usize);
        return ids.map_err(LoadError::of_stage);
    }
    let ids = file.ids.as_ref().ok_or_else(no_ids)?;
    check_highest(loader, ids.iter().chain(&file.unplaced))?;
    Ok(ids.clone())
}

/// Refuses ids whose indices are higher than the loader allows: the memory of a world grows with its highest index.
pub(super) fn check_highest<'a>(
    loader: &Loader,
    ids: impl Iterator<Item = &'a Entity>,
) -> Result<(), LoadError> {
    let highest = ids.map(|entity| entity.index()).max().unwrap_or(0);
    if highest < loader.max_entities {
        return Ok(());
    }
    Err(LoadError::Ids {
        message: format!(
            "the save has an entity with the index {highest}, and the loader allows {} entities; help: raise the limit by `Loader::max_entities`",
            loader.max_entities
        ),
    })
}

/// Returns the error of a save without ids.
pub(super) fn no_ids() -> LoadError {
    LoadError::Ids {
        message: "the save has no ids; help: write it with `Save::with_ids`, or load it without `Loader::same_ids`".to_owned(),
    }
}
