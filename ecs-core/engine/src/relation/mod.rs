//! Relations: typed edges between entities, such as from a child to its parent.
//!
//! A relation is a type that you define. A source with one target, such as a parent, has the component [`Target<R>`](Target); a
//! source that may have many has [`Targets<R>`](Targets). A target has [`Sources<R>`](Sources): its sources, from the first
//! one related to the last. You write one end, and the world updates the other one.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::relation::{Sources, Targets};
//!
//! /// From a child to its parent.
//! #[derive(Relation)]
//! #[relation(tree, sources = "despawn")]
//! struct ChildOf;
//!
//! /// From an entity to one that it likes, and how much.
//! #[derive(Relation)]
//! #[relation(many)]
//! struct Likes(u32);
//!
//! #[derive(Component)]
//! struct Name(&'static str);
//!
//! let mut world = World::new();
//! let ann = world.spawn(Name("Ann"));
//! let bob = world.spawn((Name("Bob"), ChildOf.to(ann)));
//! let eve = world.spawn((Name("Eve"), ChildOf.to(ann)));
//! assert_eq!(**world.get::<Sources<ChildOf>>(ann).unwrap(), [bob, eve]);
//!
//! world.insert(eve, ChildOf.to(bob))?;
//! assert_eq!(**world.get::<Sources<ChildOf>>(ann).unwrap(), [bob]);
//! assert!(world.relate(ann, ChildOf, eve).is_err(), "eve is a descendant of ann");
//!
//! world.relate(ann, Likes(3), eve)?;
//! world.relate(bob, Likes(1), eve)?;
//! assert_eq!(world.get::<Targets<Likes>>(ann).unwrap().get(eve).unwrap().0, 3);
//!
//! world.despawn(bob)?;
//! assert!(world.contains(ann) && !world.contains(eve), "children are despawned with their parents");
//! assert!(world.get::<Targets<Likes>>(ann).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Usage
//! * All three are ordinary components to views, joins, queries, filters, hooks, observers, bundles and commands:
//!   children with a position are `(&positions, &targets)`, roots `Without<Target<ChildOf>>`, inner nodes
//!   `With<Sources<ChildOf>>`. They are sparse: no entity changes its table for them. Closed worlds do not keep the
//!   ends consistent.
//! * They are read-only: writing one would make the two ends inconsistent. Borrowing them mutably does not compile
//!   (`cargo build` reports it). [`World::sources_mut`](crate::World::sources_mut) reorders sources.
//!
//!   ```compile_fail,E0080
//!   # use ecs_core::prelude::*;
//!   # use ecs_core::relation::Target;
//!   # #[derive(Relation)] struct ChildOf;
//!   # let mut world = World::new();
//!   # let parent = world.spawn(());
//!   # let child = world.spawn(ChildOf.to(parent));
//!   world.get_mut::<Target<ChildOf>>(child); // also an error if the value is only read
//!   ```
//! * [`Comp`](crate::Comp) of `Sources` and `Target` and the [`World`] traverse whole trees:
//!   [`descendants`](crate::World::descendants), [`ancestors`](crate::World::ancestors), [`root`](crate::World::root).
//!   The traversals are iterative, so depth is not limited by the stack.
//!
//! # What can be related
//! * No entity to itself. In a relation with `#[relation(tree)]`, no entity to one of its descendants either.
//!   [`World::relate`](crate::World::relate) returns an error then; inserting a bundle panics with a message, before
//!   anything is changed. The check is free for entities without sources, such as new ones; otherwise it walks up from
//!   the target. A relation with one target that is not a tree may have cycles; traversals visit each entity once
//!   nevertheless.
//! * Only to entities that are alive. [`World::relate`](crate::World::relate) returns an error for others. If the target of
//!   an inserted `Target` is not alive, which may happen to commands, the source is left without one, as if the target had
//!   been despawned directly afterwards: hooks are not notified of the insertion.
//!
//! # When the target is despawned
//! The relation determines what happens to the sources of a despawned target:
//! * `#[relation(sources = "detach")]`, the default: they stay, without this target.
//! * `#[relation(sources = "despawn")]`: they are despawned too, and their sources, and so on. One structural change
//!   despawns all of them: the hooks of all run first, targets before sources, and the sources of several relations in
//!   the [order of registration](crate::World#order); if one panics, none is despawned. Then all are despawned, and
//!   values are dropped last. Cycles terminate, and there is no recursion.
//!
//! *Removing* `Sources`, `Target` or `Targets` from an entity cuts the edges and despawns nothing.
//!
//! # Hooks and observers
//! The two ends change together, in one of the writes of a structural change: hooks and observers never see them
//! inconsistent, and a panic does not leave them so. Observers of `Target` are notified when it is inserted, replaced or
//! removed, and when it is removed because the target is despawned. `Sources` and `Targets` are also added and removed along
//! with their edges; observers are not notified of that, only of structural changes that remove them explicitly. None of
//! these changes is tracked.
//!
//! # Cost
//! Relating and unrelating an entity is O(1), regardless of the number of sources of the target and the position among
//! them. The edge knows its position in the list; removing one from the middle leaves a gap, and gaps are closed when
//! they are more than half of the list. While there are gaps in the middle, the first use of [`Sources`] as a slice
//! copies it without them; [`iter`](Sources::iter), [`len`](Sources::len), [`first`](Sources::first) and
//! [`last`](Sources::last) do not.

mod cascade;
mod changes;
mod commands;
mod edges;
mod effect;
mod error;
mod events;
mod order;
mod place;
mod sources;
mod spawner;
mod target;
mod target_filter;
mod targets;
mod up;
mod walks;

#[doc(inline)]
pub use crate::__related as related;
pub use crate::storage::ListIter as SourcesIter;
pub use cascade::Cascade;
pub use edges::Edge;
#[doc(hidden)]
pub use effect::SourceList;
pub use effect::SpawnRelated;
pub use error::RelateError;
pub use order::SourcesMut;
pub use sources::Sources;
pub use spawner::{SourceCommands, SourceSpawner};
pub use target::Target;
pub use target_filter::Related;
pub use targets::{Targets, TargetsIter};
pub use up::{Inherited, Up};
pub use walks::{Ancestors, Descendants, DescendantsBreadthFirst};

use crate::component::{Component, ComponentId, IdSlot};
use crate::data_type::{DataKind, DataType, DataTypeOf};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::world::World;

/// A kind of edge between entities; see the [module](self).
///
/// Implement it with the derive:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Relation)] // to one target; sources are detached when it is despawned
/// struct Follows;
///
/// #[derive(Relation)]
/// #[relation(tree, sources = "despawn")] // no cycles; sources are despawned with their target
/// struct PartOf;
///
/// #[derive(Relation)]
/// #[relation(many)] // to any number of targets, with a value for each
/// struct Owes { coins: u32 }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a relation",
    label = "not a relation",
    note = "add `#[derive(Relation)]` to the type"
)]
pub trait Relation: Send + Sync + Sized + 'static {
    /// The component of sources: [`Target<Self>`](Target) or [`Targets<Self>`](Targets).
    type Outgoing: Outgoing<Self>;

    /// True if no entity can be related to its own descendants.
    const TREE: bool = false;

    /// True if sources are despawned with their target.
    const DESPAWNS_SOURCES: bool = false;

    /// The description of the values of edges, if the relation is `data`: a list with the description of the type, or of
    /// some instances of a generic type.
    #[doc(hidden)]
    const DATA: &'static [DataType] = &[];

    /// The identity, which is an argument of the identities of both ends.
    #[doc(hidden)]
    const RELATION: ConstTypeIdOf<Self> = ConstTypeIdOf::opaque();

    /// The cached ids of the components.
    #[doc(hidden)]
    #[must_use]
    fn slots() -> Option<&'static RelationIdSlots<Self>> {
        None
    }

    /// Returns the component that relates an entity to `target`, to be spawned or inserted.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # use ecs_core::relation::Target;
    /// # #[derive(Relation)] struct ChildOf;
    /// let mut world = World::new();
    /// let parent = world.spawn(());
    /// let child = world.spawn(ChildOf.to(parent));
    /// assert_eq!(world.get::<Target<ChildOf>>(child).unwrap().entity(), parent);
    /// ```
    #[must_use]
    fn to(self, target: Entity) -> Self::Outgoing {
        <Self::Outgoing as sealed::OutgoingOps<Self>>::single(self, target)
    }
}

impl<R: Relation> DataTypeOf<R> {
    /// Says that the type is a relation.
    #[doc(hidden)]
    #[must_use]
    pub const fn relation(self) -> Self {
        self.of_kind(DataKind::Relation(|| {
            ComponentId::of::<R::Outgoing>().index()
        }))
    }
}

/// A relation of a source to one target: one without `#[relation(many)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not relate an entity to one target",
    label = "not a relation to one target",
    note = "add `#[derive(Relation)]` to a relation; one with `#[relation(many)]` relates it to many: write `Targets<{Self}>`"
)]
pub trait ToOne: Relation<Outgoing = Target<Self>> {}

/// A relation of a source to many targets: one with `#[relation(many)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not relate an entity to many targets",
    label = "not a relation to many targets",
    note = "write `Target<{Self}>`, or add `#[relation(many)]` to the relation"
)]
pub trait ToMany: Relation<Outgoing = Targets<Self>> {}

/// The component of a source: [`Target`] or [`Targets`].
pub trait Outgoing<R>: Component + sealed::OutgoingOps<R> {}

mod sealed {
    use super::{Entity, RelateError, World};
    use crate::world::NoSuchEntity;

    /// The operations that differ between one target and many.
    pub trait OutgoingOps<R> {
        fn single(relation: R, target: Entity) -> Self;

        /// Relates two different entities that exist.
        fn relate(
            world: &mut World,
            source: Entity,
            relation: R,
            target: Entity,
        ) -> Result<(), RelateError>;

        fn unrelate(
            world: &mut World,
            source: Entity,
            target: Entity,
        ) -> Result<bool, NoSuchEntity>;

        fn is_related(world: &World, source: Entity, target: Entity) -> bool;

        /// Returns true if a target passes the test.
        fn any_target(&self, passes: impl FnMut(Entity) -> bool) -> bool;
    }
}

/// The cached ids of a relation's components; the derive defines a static of it.
#[doc(hidden)]
pub struct RelationIdSlots<R: Relation> {
    outgoing: IdSlot<R::Outgoing>,
    sources: IdSlot<Sources<R>>,
}

impl<R: Relation> RelationIdSlots<R> {
    /// Creates empty slots.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "only the derive creates it")]
    pub const fn new() -> Self {
        Self {
            outgoing: IdSlot::new(),
            sources: IdSlot::new(),
        }
    }
}
