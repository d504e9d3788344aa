//! `ChildOf`, and methods for it.

#[cfg(feature = "data")]
use crate::data_type::{CopyProbe, DataType, DataTypeOf};

use crate::command::EntityCommands;
use crate::entity::Entity;
use crate::relation::{
    RelateError, Relation, RelationIdSlots, SourceCommands, SourceSpawner, Target, ToOne,
};
use crate::world::EntityMut;

/// The relation of an entity to its parent: a tree whose children are despawned with their parent.
///
/// [`children!`](crate::tree::children) spawns children together with their parent. Everything that works with
/// [relations](crate::relation) works with it.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::Sources;
/// use ecs_core::tree::ChildOf;
///
/// let mut world = World::new();
/// let parent = world.spawn(());
/// let child = world.spawn(ChildOf.to(parent));
/// assert_eq!(**world.get::<Sources<ChildOf>>(parent).unwrap(), [child]);
/// world.despawn(parent)?;
/// assert!(world.is_empty());
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ChildOf;

#[diagnostic::do_not_recommend]
impl Relation for ChildOf {
    type Outgoing = Target<Self>;
    const TREE: bool = true;
    const DESPAWNS_SOURCES: bool = true;
    #[cfg(feature = "data")]
    const DATA: &'static [DataType] = &[DataTypeOf::<Self>::new("ecs.child_of", 1)
        .relation()
        .cloned()
        .copied(CopyProbe::<Self>::COPY)
        .printed()
        .erased()];

    fn slots() -> Option<&'static RelationIdSlots<Self>> {
        static SLOTS: RelationIdSlots<ChildOf> = RelationIdSlots::new();
        Some(&SLOTS)
    }
}

#[diagnostic::do_not_recommend]
impl ToOne for ChildOf {}

impl EntityMut<'_> {
    /// Calls a function that spawns children of the entity; see [`with_related`](Self::with_related).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// let mut world = World::new();
    /// let ship = world.spawn(Name::new("ship"));
    /// world.entity_mut(ship)?.with_children(|ship| {
    ///     ship.spawn(Name::new("turret")).with_children(|turret| {
    ///         for name in ["left barrel", "right barrel"] {
    ///             turret.spawn(Name::new(name));
    ///         }
    ///     });
    ///     ship.spawn(Name::new("engine"));
    /// });
    /// assert!(world.find("ship/turret/right barrel").is_ok());
    /// # Ok::<(), ecs_core::world::NoSuchEntity>(())
    /// ```
    pub fn with_children(
        &mut self,
        spawn: impl FnOnce(&mut SourceSpawner<'_, ChildOf>),
    ) -> &mut Self {
        self.with_related(ChildOf, spawn)
    }

    /// Makes entities children of this one, and inserts them at a position among its children; see
    /// [`World::insert_sources_at`](crate::World::insert_sources_at).
    ///
    /// # Errors
    /// If one of the entities does not exist, or is this entity or one of its ancestors; in that case nothing has changed.
    #[inline]
    pub fn insert_children_at(
        &mut self,
        index: usize,
        children: &[Entity],
    ) -> Result<&mut Self, RelateError> {
        self.insert_sources_at(index, ChildOf, children)
    }

    /// Moves the entity beneath another parent, after its other children; the entity's own children stay with it. The same
    /// as [`relate`](Self::relate) with [`ChildOf`]; [`detach`](Self::detach) takes it from its parent.
    ///
    /// # Errors
    /// If the parent does not exist, or is this entity or a descendant of it; in that case nothing has changed.
    #[doc(alias = "set_parent")]
    #[doc(alias = "add_child")]
    #[inline]
    pub fn reparent(&mut self, parent: Entity) -> Result<&mut Self, RelateError> {
        self.relate(ChildOf, parent)
    }
}

impl EntityCommands<'_> {
    /// Calls a function that spawns children of the entity; see [`with_related`](Self::with_related).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// #[system]
    /// fn build(mut commands: Commands) {
    ///     commands.spawn(Name::new("ship")).with_children(|ship| {
    ///         ship.spawn(Name::new("turret")).with_children(|turret| {
    ///             turret.spawn(Name::new("barrel"));
    ///         });
    ///     });
    /// }
    ///
    /// let mut world = World::new();
    /// world.run(build);
    /// assert!(world.find("ship/turret/barrel").is_ok());
    /// ```
    pub fn with_children(
        &mut self,
        spawn: impl FnOnce(&mut SourceCommands<'_, ChildOf>),
    ) -> &mut Self {
        self.with_related(ChildOf, spawn)
    }

    /// Makes entities children of this one, and inserts them at a position among its children; see
    /// [`Commands::insert_sources_at`](crate::Commands::insert_sources_at).
    #[doc(alias = "insert_children")]
    #[doc(alias = "add_children")]
    #[inline]
    pub fn insert_children_at(&mut self, index: usize, children: &[Entity]) -> &mut Self {
        self.insert_sources_at(index, ChildOf, children)
    }

    /// Moves the entity beneath another parent, after its other children; the entity's own children stay with it. Does
    /// nothing if [`EntityMut::reparent`] returns an error when the command is applied.
    #[inline]
    pub fn reparent(&mut self, parent: Entity) -> &mut Self {
        self.relate(ChildOf, parent)
    }
}

/// Makes a part of a bundle: children of the entity that gets the bundle. They are spawned with it.
///
/// `children![a, b, ..]` takes a bundle for each child; a bundle may have children of its own. It is
/// [`related!`](crate::relation::related) with [`ChildOf`]; see
/// [`SpawnRelated`](crate::relation::SpawnRelated) for the order and the costs.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::tree::{Name, children};
///
/// /// A ship to spawn.
/// fn ship(name: &'static str) -> impl Bundle {
///     let barrels = children![Name::new("left barrel"), Name::new("right barrel")];
///     (Name::new(name), children![(Name::new("turret"), barrels), Name::new("engine")])
/// }
///
/// #[system]
/// fn launch(mut commands: Commands) {
///     commands.spawn(ship("second"));
/// }
///
/// let mut world = World::new();
/// world.spawn(ship("first"));
/// world.run(launch);
/// for path in ["first/turret/left barrel", "second/turret/right barrel", "second/engine"] {
///     assert!(world.find(path).is_ok());
/// }
/// ```
// At the root of the crate, like all exported macros; `tree` re-exports it.
#[doc(hidden)]
#[macro_export]
macro_rules! __children {
    ($($bundle:expr),* $(,)?) => {
        $crate::relation::SpawnRelated::<$crate::tree::ChildOf>::new()$(.and($crate::tree::ChildOf, $bundle))*
    };
}
