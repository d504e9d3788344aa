//! Copies that take the changes of their prefab.
//!
//! The changes are the difference between the two prefabs. Its index of an entity is a *slot*: the position in the old prefab, or a
//! number behind these if the entity is new. For each copy a merge turns them into a difference of the world; all of them
//! together are one difference, which is applied as a whole.

mod copy;
mod files;
mod matches;
mod merge;
mod plan;

use std::fmt;

use ecs_engine::{Entity, World};

use super::{ChangesError, Prefab};
use crate::diff::Diff;
use files::FileChanges;
use plan::UpdatePlan;

/// The result of [`Prefab::update_copies`]: the changes, and the things that copies have kept.
#[derive(Clone, Debug)]
pub struct UpdatedCopies {
    is_other_prefab: bool,
    copies: usize,
    changed: usize,
    kept: Vec<KeptChange>,
    diff: Diff,
}

impl UpdatedCopies {
    /// Returns true if the prefab differs from its old version, whether or not there are copies.
    #[must_use]
    pub fn is_other_prefab(&self) -> bool {
        self.is_other_prefab
    }

    /// Returns the number of copies in the world.
    #[must_use]
    pub fn copies(&self) -> usize {
        self.copies
    }

    /// Returns the number of copies that are different now.
    #[must_use]
    pub fn changed(&self) -> usize {
        self.changed
    }

    /// Returns the changes of the prefab that copies have not taken, because the game had changed the same: copy by copy.
    #[must_use]
    pub fn kept(&self) -> &[KeptChange] {
        &self.kept
    }

    /// Returns the changes of the world. [Reversed](Diff::reversed), they are the way back.
    #[must_use]
    pub fn diff(&self) -> &Diff {
        &self.diff
    }
}

/// Something that a copy of a prefab has kept, although the prefab has changed it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptChange {
    root: Entity,
    number: u32,
    name: Option<String>,
}

impl KeptChange {
    /// Returns the root of the copy.
    #[must_use]
    pub fn root(&self) -> Entity {
        self.root
    }

    /// Returns the number of the entity in the prefab: in the old one, unless it is new.
    #[must_use]
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Returns the name of the component or relation. `None` is the entity as a whole: the game has despawned it, or it has changed
    /// one that is no longer in the prefab.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }
}

impl fmt::Display for KeptChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "copy {}, entity {}", self.root, self.number)?;
        match &self.name {
            Some(name) => write!(f, ", `{name}`"),
            None => Ok(()),
        }
    }
}

impl Prefab {
    /// Gives copies that another version of the prefab has spawned all later changes: after an edit of its file, or in a world from
    /// an old save. The copies are those that [remember](super::Copies::remembered) this name.
    ///
    /// The game's changes of a copy stay: a value is only replaced if it is the one of the old prefab. In a struct this goes
    /// for each field. So a goblin that was hit keeps its `health.now`, and takes a new `health.max`. In the same way
    ///
    /// * a component or an edge that the game has inserted, removed or changed stays so;
    /// * an entity that the game has despawned stays away, and so do new entities below it;
    /// * an entity that is no longer in the prefab is despawned, unless the game has changed its data or has related others to it.
    ///   In that case it stays, and no longer remembers the prefab;
    /// * sources take the prefab's new order if the game has not changed it, and those from elsewhere keep their places;
    /// * the parts of a copy whose root was despawned take changes, too.
    ///
    /// The edges of an entity in a relation are one value. Components that are not data are left alone.
    ///
    /// An entity with a [`Name`](ecs_engine::tree::Name) that no other entity of the file has is known by it. The others are known by their
    /// place in the list; if there are more or fewer than before, by their values, in their order. Parts of a nested prefab belong to their
    /// root. A copy that already has the new version, which it remembers, changes nothing.
    ///
    /// ```
    /// use ecs_core::data::{Loader, Prefab};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health {
    ///     now: u32,
    ///     max: u32,
    /// }
    ///
    /// let loader = Loader::new().with::<Health>();
    /// let read = |file| Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(file));
    /// let old = read(r#"{ "entities": [{ "game.health": { "now": 7, "max": 7 } }] }"#)?;
    /// let new = read(r#"{ "entities": [{ "game.health": { "now": 9, "max": 9 } }] }"#)?;
    ///
    /// let mut world = World::new();
    /// let goblins = old.copies(2).remembered("goblin").spawn(&mut world)?;
    /// world.get_mut::<Health>(goblins[0]).unwrap().now = 3;
    ///
    /// let updated = new.update_copies("goblin", &old, &mut world)?;
    /// assert_eq!((updated.copies(), updated.changed()), (2, 2));
    /// assert_eq!(*world.get::<Health>(goblins[0]).unwrap(), Health { now: 3, max: 9 });
    /// assert_eq!(*world.get::<Health>(goblins[1]).unwrap(), Health { now: 9, max: 9 });
    /// assert_eq!(updated.kept()[0].to_string(), "copy 0v1, entity 0, `game.health`");
    ///
    /// updated.diff().reversed().apply(&mut world)?;
    /// assert_eq!(*world.get::<Health>(goblins[1]).unwrap(), Health { now: 7, max: 7 });
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Hooks and observers are called as by [`Diff::apply_with_hooks`], and change tracking sees the changes.
    ///
    /// O(both prefabs, entities that remember a prefab, and the changes of each copy).
    ///
    /// # Errors
    /// See [`ChangesError`]. No entity has changed in that case.
    ///
    /// # Panics
    /// Like [`Diff::apply_with_hooks`]; and if `PrefabPart` is borrowed for writing.
    pub fn update_copies(
        &self,
        name: &str,
        old: &Self,
        world: &mut World,
    ) -> Result<UpdatedCopies, ChangesError> {
        world.flush();
        old.register(world);
        self.register(world);
        let files = FileChanges::between(old, self)?;
        let (copies, current) = copy::find(world, name, &files);
        let mut updated = UpdatedCopies {
            is_other_prefab: !files.is_empty(),
            copies: copies.len() + current,
            changed: 0,
            kept: Vec::new(),
            diff: Diff::default(),
        };
        if copies.is_empty() || !updated.is_other_prefab {
            return Ok(updated);
        }
        let plan = UpdatePlan::of(world, name, &files, copies)?;
        let dead = plan.dead();
        (updated.changed, updated.kept, updated.diff) = plan.finish();
        let applied = updated.diff.apply_with_hooks(world);
        applied.map_err(ChangesError::Apply)?;
        world.take_dead_ids(dead.as_slice());
        Ok(updated)
    }
}
