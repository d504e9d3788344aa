//! Relations: entities that know each other, as a child and its parent.
//!
//! A relation is a type of yours. Where a source has one target, such as a parent, the source has the component
//! [`Target<R>`](Target); where it can have many, [`Targets<R>`](Targets). A target has [`Sources<R>`](Sources), in the order
//! in which they came. You write one end, and the world keeps the other one in line.
//!
//! ```
//! use ecs_core::prelude::*;
//!
//! /// Whose child an entity is.
//! #[derive(Relation)]
//! #[relation(tree, sources = "despawn")]
//! struct ChildOf;
//!
//! /// How much an entity likes others.
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
//! assert!(world.relate(ann, ChildOf, eve).is_err(), "nobody is the child of a grandchild");
//!
//! world.relate(ann, Likes(3), eve)?;
//! world.relate(bob, Likes(1), eve)?;
//! assert_eq!(world.get::<Targets<Likes>>(ann).unwrap().get(eve).unwrap().0, 3);
//!
//! world.despawn(bob)?;
//! assert!(world.contains(ann) && !world.contains(eve), "children go with their parents");
//! assert!(world.get::<Targets<Likes>>(ann).is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is used
//! * All three are ordinary components to views, joins, queries, filters, hooks, observers, bundles and commands: children
//!   with a position are `(&positions, &targets)`, roots `Without<Target<ChildOf>>`, inner nodes `With<Sources<ChildOf>>`.
//!   They are sparse: no entity ever changes its table for them. Closed worlds keep no ends in line.
//! * They can only be read, as writing would set the two ends at variance: what borrows them to write does not compile
//!   (`cargo build` shows it). [`World::sources_mut`](crate::World::sources_mut) puts sources into another order.
//!
//!   ```compile_fail,E0080
//!   # use ecs_core::prelude::*;
//!   # #[derive(Relation)] struct ChildOf;
//!   # let mut world = World::new();
//!   # let parent = world.spawn(());
//!   # let child = world.spawn(ChildOf.to(parent));
//!   world.get_mut::<Target<ChildOf>>(child); // not even to look at
//!   ```
//! * [`Comp`](crate::Comp) of `Sources` and `Target` and the [`World`] walk along whole trees:
//!   [`descendants`](crate::World::descendants), [`ancestors`](crate::World::ancestors), [`root`](crate::World::root); with a
//!   list instead of recursion, so depth does not matter.
//!
//! # What can be related
//! * Nothing to itself. In a relation with `#[relation(tree)]` nothing to one of its descendants either.
//!   [`World::relate`](crate::World::relate) returns an error then; inserting a bundle panics with a message, before anything
//!   is changed. The check is free for entities without sources, which new ones are; else it walks up from the target.
//!   A relation with one target that is no tree may have circles. Walks visit each entity once even so.
//! * To entities that live. [`World::relate`](crate::World::relate) returns an error for others. If a `Target` is inserted
//!   whose entity does not live (any more), which may happen to commands, the source is left without one, as if the target
//!   had been despawned directly afterwards: hooks are not told that it came.
//!
//! # When the target goes
//! What becomes of the sources of a target that is despawned is said by the relation:
//! * `#[relation(sources = "detach")]`, the default: they stay, without this target.
//! * `#[relation(sources = "despawn")]`: they are despawned too, and theirs, and so on. One verb despawns all of them: the
//!   hooks of all run first, targets before sources, and the sources of several relations in the
//!   [order of registration](crate::World#order); if one panics, nobody is gone. Then all are gone, and values are dropped
//!   last. Circles end, and there is no recursion.
//!
//! Whoever *removes* `Sources` from an entity, or `Target` or `Targets`, cuts the edges and despawns nobody.
//!
//! # Hooks and observers
//! The two ends change together, as one of the writes of a verb: hooks and observers never find them at variance, and a
//! panic does not leave them so. Observers of `Target` are told when it is inserted, replaced, removed, and when it goes
//! because the target goes. `Sources` and `Targets` come and go with their edges, which is no verb: nobody is told of that,
//! but of verbs that remove them. Nothing of it is tracked.
//!
//! # Cost
//! Relating an entity and taking it off is O(1), wherever in the list of its target it is, and however many there are. The
//! edge knows the place in the list; what is taken out of the middle leaves a gap, and gaps are closed when they are more
//! than half of the list. While there are gaps in the middle, the first use of [`Sources`] as a slice copies it without them:
//! its [`iter`](Sources::iter), [`len`](Sources::len), [`first`](Sources::first) and [`last`](Sources::last) do not.

mod changes;
mod commands;
mod error;
mod events;
mod order;
mod sources;
mod target;
mod targets;
mod walks;

pub use crate::storage::ListIter as SourcesIter;
pub use error::RelateError;
pub use order::SourcesMut;
pub use sources::Sources;
pub use target::Target;
pub use targets::{Targets, TargetsIter};
pub use walks::{Ancestors, Descendants, DescendantsBreadthFirst};

use crate::component::{Component, IdSlot};
use crate::entity::Entity;
use crate::world::World;

/// A kind of edge between entities; see the [module](self).
///
/// Implement it with the derive:
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Relation)] // to one target; sources are detached when it goes
/// struct Follows;
///
/// #[derive(Relation)]
/// #[relation(tree, sources = "despawn")] // no circles; sources go with their target
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

    /// Whether nothing can be related to its own descendants.
    const TREE: bool = false;

    /// Whether sources are despawned with their target.
    const DESPAWNS_SOURCES: bool = false;

    /// Where the ids of the components are remembered.
    #[doc(hidden)]
    #[must_use]
    fn slots() -> Option<&'static Slots<Self>> {
        None
    }

    /// The component that relates an entity to `target`, to be spawned or inserted.
    ///
    /// ```
    /// # use ecs_core::prelude::*;
    /// # #[derive(Relation)] struct ChildOf;
    /// let mut world = World::new();
    /// let parent = world.spawn(());
    /// let child = world.spawn(ChildOf.to(parent));
    /// assert_eq!(world.get::<Target<ChildOf>>(child).unwrap().entity(), parent);
    /// ```
    #[must_use]
    fn to(self, target: Entity) -> Self::Outgoing {
        <Self::Outgoing as sealed::Verbs<Self>>::one(self, target)
    }
}

/// A relation of a source to one target: one without `#[relation(many)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not relate an entity to one target",
    label = "not a relation to one target",
    note = "`#[relation(many)]` relates it to many: write `Targets<{Self}>`"
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
pub trait Outgoing<R>: Component + sealed::Verbs<R> {}

mod sealed {
    use super::{Entity, RelateError, World};
    use crate::world::NoSuchEntity;

    /// What differs between one target and many.
    pub trait Verbs<R> {
        fn one(relation: R, target: Entity) -> Self;

        /// Both entities live and differ.
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
    }
}

/// Where the derive has the ids of a relation's components remembered.
#[doc(hidden)]
pub struct Slots<R: Relation> {
    outgoing: IdSlot<R::Outgoing>,
    sources: IdSlot<Sources<R>>,
}

impl<R: Relation> Slots<R> {
    /// Empty ones.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "made by the derive alone")]
    pub const fn new() -> Self {
        Self {
            outgoing: IdSlot::new(),
            sources: IdSlot::new(),
        }
    }
}
