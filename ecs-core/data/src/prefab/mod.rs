//! Prefabs: trees of entities that are spawned many times.

mod copies;
mod error;
mod nested;
mod part;
mod update;

use std::fmt;
use std::io::Read;
use std::sync::OnceLock;

use ecs_engine::relation::ToOne;
use ecs_engine::{Entity, World};
use serde_core::de::{Deserializer, Error};

pub use copies::Copies;
pub use error::PrefabError;
pub use part::ChangesError;
pub use update::{KeptChange, UpdatedCopies};

use crate::clone::{self, Cloner};
use crate::hash::WorldHasher;
use crate::load::{Loader, PrefabEntities};
use crate::prefab_part::PrefabPart;
use crate::save::{PrefabRoot, first_root};
use crate::template::{CloneError, LeftOut, OutsidePolicy, TakeSource, Template};

/// A tree of entities that is spawned many times, such as a kind of monster with its weapons.
///
/// It is in no world: make it from a world's entities by [`from_tree`](Self::from_tree), or read it from a file, and then spawn
/// it in any world. Everything needed for cloning is computed once, when the prefab is made; [`copies`](Self::copies) fill
/// whole columns.
///
/// ```
/// use ecs_core::data::{Loader, Prefab};
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Sources;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Relation, Clone, Debug, Serialize, Deserialize)]
/// #[relation(data = "game.child_of", tree)]
/// struct ChildOf;
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.health")]
/// struct Health(u32);
///
/// #[derive(Component, Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.at")]
/// struct At(f32, f32);
///
/// // The goblin, and its spear.
/// let file = r#"{ "entities": [{ "game.health": 7 }, { "game.child_of": 0 }] }"#;
/// let loader = Loader::new().with::<Health>().with::<Sources<ChildOf>>();
/// let goblin = Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(file))?;
///
/// let mut world = World::new();
/// let first = goblin.spawn(&mut world)?;
/// assert_eq!(*world.get::<Health>(first).unwrap(), Health(7));
///
/// let goblins = goblin.copies(100).with(|i| At(i as f32, 0.0)).spawn(&mut world)?;
/// assert_eq!(*world.get::<At>(goblins[3]).unwrap(), At(3.0, 0.0));
/// assert_eq!(world.descendants::<ChildOf>(goblins[3]).count(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Prefab {
    /// Entity 0 is the root.
    template: Template,
    /// The number of each entity in the prefab that this one was changed from; empty if there was none.
    numbers: Vec<u32>,
    /// The number of each entity in the list of the file; for a part of a nested prefab, first its root's, and then the path in
    /// the nested prefab. Empty if these are the numbers.
    paths: Vec<Vec<u32>>,
    /// A hash of the prefab that copies remember, once it is known; 0 if it has none.
    version: OnceLock<u32>,
}

impl Prefab {
    /// Makes a prefab from an entity and everything below it in a relation. These entities stay in the world.
    ///
    /// [`Cloner::prefab`] can leave out components.
    ///
    /// # Errors
    /// See [`CloneError`]. It is also an error if a value names an entity outside of the prefab.
    ///
    /// # Panics
    /// If the relation is borrowed for writing.
    pub fn from_tree<R: ToOne>(world: &World, root: Entity) -> Result<Self, CloneError> {
        Cloner::new().prefab::<R>(world, root)
    }

    /// Reads a prefab from a save in columns.
    ///
    /// Any save is a prefab. Its root is the first entity that is not below another one in a
    /// [tree](ecs_engine::relation::Relation): entity 0 of a hand-written file. If each entity is below another one, the root is
    /// the first that is above all others in one of the trees, such as a king who guards one of his knights. The files of prefabs
    /// name their root if it is not entity 0. Resources in the save are ignored.
    ///
    /// # Errors
    /// See [`LoadError`](crate::LoadError). It is also an error if the save has no entity, or a value cannot be cloned.
    pub fn load(loader: &Loader, mut reader: impl Read) -> Result<Self, PrefabError> {
        let mut bytes = Vec::new();
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| PrefabError::Load(error.into()))?;
        let mut world = World::new();
        let loaded = loader.load_bytes_quietly(&mut world, &bytes);
        Self::of_loaded(&world, loaded.map_err(PrefabError::Load)?)
    }

    /// Reads a prefab from a save in any format of serde; otherwise like [`load`](Self::load).
    ///
    /// # Errors
    /// The errors of the format, which contain the errors of [`load`](Self::load).
    pub fn deserialize<'de, D: Deserializer<'de>>(
        loader: &Loader,
        deserializer: D,
    ) -> Result<Self, D::Error> {
        let mut world = World::new();
        let loaded = loader.deserialize_quietly(&mut world, deserializer)?;
        Self::of_loaded(&world, loaded).map_err(D::Error::custom)
    }

    /// Makes a prefab of all entities of a world that a file was loaded into.
    fn of_loaded(world: &World, loaded: PrefabEntities) -> Result<Self, PrefabError> {
        let PrefabEntities {
            entities,
            root,
            nested_paths,
        } = loaded;
        if entities.is_empty() {
            return Err(PrefabError::Empty);
        }
        let root = root.map(|root| root as usize);
        let root = root.unwrap_or_else(|| first_root(world, &entities));
        let mut list = entities.to_vec();
        // The others stay in their order.
        list[..=root].rotate_right(1);
        // Required components that are not data are constructed anew.
        let left_out = LeftOut {
            not_data: true,
            ..LeftOut::default()
        };
        let source = TakeSource::List(&list);
        let taken = Template::take(world, &source, &left_out, OutsidePolicy::Dead);
        let (template, _) = taken.map_err(PrefabError::NotCloned)?;
        let mut paths = Vec::new();
        if root != 0 || !nested_paths.is_empty() {
            let listed = entities.len() - nested_paths.len();
            paths.extend((0..listed as u32).map(|number| vec![number]));
            paths.extend(nested_paths);
            paths[..=root].rotate_right(1);
        }
        Ok(Self {
            template,
            numbers: Vec::new(),
            paths,
            version: OnceLock::new(),
        })
    }

    /// Returns the number of entities of a copy.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "there is always the root")]
    pub fn len(&self) -> usize {
        self.template.len()
    }

    /// Makes the components of the prefab, and the ones that they require, known to a world, so that it can load saves with
    /// them before the first copy is spawned. Spawning does the same.
    ///
    /// ```
    /// use ecs_core::data::{Loader, Prefab};
    /// use ecs_core::prelude::*;
    /// # use serde::{Deserialize, Serialize};
    /// #
    /// # #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// # #[component(data = "game.health")]
    /// # struct Health(u32);
    /// # fn goblin() -> Result<Prefab, Box<dyn std::error::Error>> {
    /// #     let file = r#"{ "entities": [{ "game.health": 7 }] }"#;
    /// #     let loader = Loader::new().with::<Health>();
    /// #     Ok(Prefab::deserialize(&loader, &mut serde_json::Deserializer::from_str(file))?)
    /// # }
    ///
    /// // The start of the game.
    /// let (mut world, goblin) = (World::new(), goblin()?);
    /// goblin.register(&mut world);
    /// # let mut other = World::new();
    /// # goblin.spawn(&mut other)?;
    /// # let autosave = other.save().to_vec()?;
    /// Loader::new().load_into(&mut world, &autosave[..])?;
    /// assert_eq!(world.query::<&Health>().count(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn register(&self, world: &mut World) {
        for component in self.template.components() {
            world.make_component_known(component);
        }
    }

    /// Spawns a copy, and returns its root.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is unchanged in that case.
    pub fn spawn(&self, world: &mut World) -> Result<Entity, CloneError> {
        let roots = self.spawn_n(world, 1)?;
        Ok(roots[0])
    }

    /// Spawns `n` copies column by column, and returns their roots.
    ///
    /// # Errors
    /// See [`CloneError`]. The world is unchanged in that case.
    pub fn spawn_n(&self, world: &mut World, n: usize) -> Result<Vec<Entity>, CloneError> {
        self.copies(n).spawn(world)
    }

    /// Prepares `n` copies, whose roots get components of their own.
    pub fn copies(&self, n: usize) -> Copies<'_> {
        Copies::new(self, n)
    }

    /// Returns the hash that copies remember.
    fn version(&self) -> u32 {
        *self.version.get_or_init(|| {
            let positions: Vec<u32> = (0..self.len() as u32).collect();
            let Ok(world) = self.laid_out(&positions, positions.len()) else {
                return 0;
            };
            let mut hasher = WorldHasher::new().only_data().without::<PrefabPart>();
            let hash = hasher.world(&world).unwrap_or(0);
            (hash ^ hash >> 32) as u32
        })
    }

    /// Returns a world with one copy of the prefab, and nothing else. Its [save](crate::WorldData::save) is the prefab's file.
    ///
    /// # Errors
    /// See [`CloneError`].
    pub fn to_world(&self) -> Result<World, CloneError> {
        let mut world = World::new();
        let copy = self.template.clone();
        let ids = copy.spawn(&mut world, 1, Vec::new(), None)?;
        world.insert_resource(PrefabRoot(ids[0]));
        Ok(world)
    }
}

impl fmt::Debug for Prefab {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Prefab({} entities)", self.len())
    }
}

impl Cloner {
    /// Makes a prefab from an entity and everything below it in a relation.
    ///
    /// Edges to other entities are left out, and ids of them are an error, or [dead](Self::dangling).
    ///
    /// # Errors
    /// See [`CloneError`].
    ///
    /// # Panics
    /// If the relation is borrowed for writing.
    pub fn prefab<R: ToOne>(&self, world: &World, root: Entity) -> Result<Prefab, CloneError> {
        let list = clone::tree::<R>(world, root)?;
        let source = TakeSource::List(&list);
        let (template, _) = Template::take(world, &source, &self.left_out, self.outside())?;
        Ok(Prefab {
            template,
            numbers: Vec::new(),
            paths: Vec::new(),
            version: OnceLock::new(),
        })
    }
}
