//! Entities that remember their prefab, and their differences from it.

use std::fmt;

use ecs_engine::component::ComponentId;
use ecs_engine::query::AndDisabled;
use ecs_engine::{Entity, World};

use super::Prefab;
use crate::diff::{ApplyError, Diff, DiffError, Differ};
use crate::prefab_part::PrefabPart;
use crate::template::{CloneError, LeftOut, OutsidePolicy, TakeSource, Template};

/// The reason why a copy cannot be compared with its prefab, or changes do not fit a prefab.
#[derive(Debug)]
#[non_exhaustive]
pub enum ChangesError {
    /// The entity is not the root of a copy that remembers its prefab.
    NotRemembered {
        /// The entity.
        entity: Entity,
    },
    /// The entities cannot be copied.
    Copy(CloneError),
    /// The values cannot be compared.
    Diff(DiffError),
    /// The changes do not start from this prefab.
    Apply(ApplyError),
    /// The changes remove the root.
    NoRoot,
}

impl fmt::Display for ChangesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotRemembered { entity } => write!(
                f,
                "entity {entity} is not the root of a copy that remembers its prefab; help: spawn it by `Copies::remembered`"
            ),
            Self::Copy(error) => error.fmt(f),
            Self::Diff(error) => error.fmt(f),
            Self::Apply(error) => error.fmt(f),
            Self::NoRoot => f.write_str("the changes despawn the root of the prefab"),
        }
    }
}

impl std::error::Error for ChangesError {}

impl Prefab {
    /// Returns the differences between the prefab and a copy that [remembers](super::Copies::remembered) it: to print, to save
    /// alone, or to make [another prefab](Self::changed).
    ///
    /// Entities have their numbers in the prefab as indices: `0v1` is the root. It compares the components that are data, and the
    /// edges between the entities of the copy. Ids of others are dead ids in it; entities that were added to the copy are not
    /// part of it.
    ///
    /// ```
    /// use ecs_core::data::Prefab;
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
    /// #[relation(data = "game.child_of", tree)]
    /// struct ChildOf;
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.health")]
    /// struct Health(u32);
    ///
    /// let mut world = World::new();
    /// let goblin = world.spawn(Health(7));
    /// world.spawn((Health(100), ChildOf.to(goblin)));
    /// let prefab = Prefab::from_tree::<ChildOf>(&world, goblin)?;
    ///
    /// let goblin = prefab.copies(1).remembered("goblin").spawn(&mut world)?[0];
    /// world.get_mut::<Health>(goblin).unwrap().0 = 3;
    /// let changes = prefab.changes(&world, goblin)?;
    /// assert_eq!(changes.to_string(), "0v1 game.health: 7 -> 3\n");
    ///
    /// let text = serde_json::to_string(&changes)?;
    /// let wounded = prefab.changed(&serde_json::from_str(&text)?)?;
    /// let other = wounded.spawn(&mut world)?;
    /// assert_eq!(world.get::<Health>(other).unwrap().0, 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// O(entities that remember a prefab, and the values of the copy).
    ///
    /// # Errors
    /// See [`ChangesError`].
    ///
    /// # Panics
    /// If `PrefabPart` is borrowed for writing.
    pub fn changes(&self, world: &World, root: Entity) -> Result<Diff, ChangesError> {
        let remembers = world.get::<PrefabPart>(root);
        if !remembers.is_some_and(|part| part.number() == 0 && part.root() == root) {
            return Err(ChangesError::NotRemembered { entity: root });
        }
        let mut parts: Vec<(u32, Entity)> = Vec::new();
        for (entity, part) in &world.query_filtered::<(Entity, &PrefabPart), AndDisabled>() {
            if part.root() == root && (part.number() as usize) < self.len() {
                parts.push((part.number(), entity));
            }
        }
        // If a part was cloned, the oldest clone counts.
        parts.sort_unstable();
        parts.dedup_by_key(|(number, _)| *number);
        let list: Vec<Entity> = parts.iter().map(|(_, entity)| *entity).collect();
        let left_out = LeftOut {
            components: vec![ComponentId::of::<PrefabPart>()],
            not_data: true,
        };
        let source = TakeSource::List(&list);
        let taken = Template::take(world, &source, &left_out, OutsidePolicy::Dead);
        let (template, _) = taken.map_err(ChangesError::Copy)?;
        let mut now = World::new();
        let all = now.next_ids(self.len());
        let all = all.map_err(|error| ChangesError::Copy(error.into()))?;
        let ids: Vec<Entity> = parts
            .iter()
            .map(|(number, _)| all[*number as usize])
            .collect();
        let staged = template
            .stage(1, &ids, Vec::new())
            .map_err(ChangesError::Copy)?;
        now.commit(staged, &ids)
            .map_err(|error| ChangesError::Copy(error.into()))?;
        let before = self.to_world().map_err(ChangesError::Copy)?;
        let differ = Differ::new().only_data();
        differ.between(&before, &now).map_err(ChangesError::Diff)
    }

    /// Returns the prefab with the [changes](Self::changes) of a copy. Copies of the result remember their numbers in the
    /// first prefab, too.
    ///
    /// # Errors
    /// If the changes do not start from this prefab, despawn its root, or have values that do not fit their types.
    pub fn changed(&self, changes: &Diff) -> Result<Self, ChangesError> {
        let mut world = self.to_world().map_err(ChangesError::Copy)?;
        changes.apply(&mut world).map_err(ChangesError::Apply)?;
        let mut entities: Vec<Entity> = Vec::new();
        for (of_table, _) in world.tables_with_rows() {
            entities.extend(of_table);
        }
        entities.sort_unstable_by_key(|entity| entity.index());
        if entities.first().is_none_or(|first| first.index() != 0) {
            return Err(ChangesError::NoRoot);
        }
        let left_out = LeftOut {
            not_data: true,
            ..LeftOut::default()
        };
        let source = TakeSource::List(&entities);
        let taken = Template::take(&world, &source, &left_out, OutsidePolicy::Dead);
        let (template, _) = taken.map_err(ChangesError::Copy)?;
        let numbers = entities.iter().map(|entity| self.number_of(entity.index()));
        let paths = entities.iter().map(|entity| self.path_of(entity.index()));
        Ok(Self {
            template,
            numbers: numbers.collect(),
            paths: paths.collect(),
            version: self.version().into(),
        })
    }

    /// Returns the path of an entity in the files that the prefab was read from.
    pub(super) fn path_of(&self, position: u32) -> Vec<u32> {
        let path = self.paths.get(position as usize).cloned();
        path.unwrap_or_else(|| vec![self.number_of(position)])
    }

    /// Translates the number of an entity in this prefab to its number in the first prefab.
    pub(super) fn number_of(&self, number: u32) -> u32 {
        let known = self.numbers.get(number as usize);
        known.copied().unwrap_or(number)
    }
}
