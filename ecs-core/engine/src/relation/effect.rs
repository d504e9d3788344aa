//! Bundles with the entities that are related to the one that gets them.

use core::any::Any;
use core::fmt;

use super::Relation;
use crate::bundle::{Bundle, Components, EffectVisitor, FieldSource, FieldVisitor, TypeVisitor};
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::world::World;

/// A part of a bundle that is not a component: entities that are spawned together with the entity that gets the bundle, and
/// related to it.
///
/// Made by [`related!`](crate::relation::related) and [`children!`](crate::tree::children), or by [`and`](Self::and). It is
/// a bundle, so tuples, structs with `#[derive(Bundle)]`, [`spawn`](World::spawn), [`insert`](World::insert), batches and
/// commands take it. Bundles inside of it may have such parts too, to any depth.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::{SpawnRelated, Sources, related};
///
/// #[derive(Relation)]
/// #[relation(tree, sources = "despawn")]
/// struct PartOf;
///
/// #[derive(Component)]
/// struct Wheel(u8);
/// #[derive(Component)]
/// struct Spoke;
///
/// /// A cart, to be spawned.
/// fn cart() -> impl Bundle {
///     related![PartOf; (Wheel(1), related![PartOf; Spoke, Spoke]), Wheel(2)]
/// }
///
/// let mut world = World::new();
/// let cart = world.spawn(cart());
/// let wheels = world.get::<Sources<PartOf>>(cart).unwrap().to_vec();
/// assert_eq!(wheels.len(), 2);
/// assert_eq!(world.get::<Sources<PartOf>>(wheels[0]).unwrap().len(), 2);
///
/// world.insert(cart, SpawnRelated::new().and(PartOf, Wheel(3)))?; // adds a wheel
/// assert_eq!(world.get::<Sources<PartOf>>(cart).unwrap().len(), 3);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// # Order
/// The entity gets its components first, and their hooks and observers are called. Then the sources are spawned in order, each
/// with its own sources before the next one. Commands that hooks queue are applied after all of them. If something panics, the
/// remaining sources are dropped.
///
/// Removing or [taking](World::take) a bundle with such a part does not touch the sources; the part that `take` returns is
/// empty.
///
/// # Cost
/// As much as the single spawns, and an allocation for each such part. Bundles without one do not pay for
/// it.
pub struct SpawnRelated<R, L = ()> {
    /// The sources; `None` once they were taken out to be spawned.
    list: Option<L>,
    of: Invariant<R>,
}

impl<R> SpawnRelated<R> {
    /// Creates a part without entities.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            list: Some(()),
            of: core::marker::PhantomData,
        }
    }
}

impl<R> Default for SpawnRelated<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Relation, L> SpawnRelated<R, L> {
    /// Adds an entity that has the components of `bundle`, and the value of its edge.
    #[must_use]
    pub fn and<B: Bundle>(self, relation: R, bundle: B) -> SpawnRelated<R, (L, Source<R, B>)> {
        SpawnRelated {
            list: self.list.map(|list| {
                let spawn = spawn_source;
                (
                    list,
                    Source {
                        relation,
                        bundle,
                        spawn,
                    },
                )
            }),
            of: self.of,
        }
    }
}

/// A part whose entities are copies.
impl<R, L: Clone> Clone for SpawnRelated<R, L> {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
            of: self.of,
        }
    }
}

impl<R, L> fmt::Debug for SpawnRelated<R, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SpawnRelated").finish_non_exhaustive()
    }
}

/// An entity to be spawned, and the value of its edge.
#[doc(hidden)]
#[derive(Clone)]
pub struct Source<R, B> {
    relation: R,
    bundle: B,
    /// Spawns it. As a value, so that nothing but [`SpawnRelated::and`] asks whether `R` is a relation and `B` a bundle: a type
    /// that is none is one error.
    spawn: fn(&mut World, Entity, R, B),
}

impl<R, B> fmt::Debug for Source<R, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").finish_non_exhaustive()
    }
}

/// The entities of a [`SpawnRelated`]: pairs of all but the last one, and the last one.
#[doc(hidden)]
pub trait SourceList: Send + Sync + 'static {
    /// Spawns the entities in order, each related to the target.
    fn spawn(self, world: &mut World, target: Entity);
}

impl SourceList for () {
    fn spawn(self, _: &mut World, _: Entity) {}
}

impl<L, R, B> SourceList for (L, Source<R, B>)
where
    L: SourceList,
    R: Send + Sync + 'static,
    B: Send + Sync + 'static,
{
    fn spawn(self, world: &mut World, target: Entity) {
        let (before, source) = self;
        before.spawn(world, target);
        (source.spawn)(world, target, source.relation, source.bundle);
    }
}

fn spawn_source<R: Relation, B: Bundle>(world: &mut World, target: Entity, relation: R, bundle: B) {
    world.spawn((bundle, relation.to(target)));
}

// SAFETY: it has no components, and owns nothing once its effects were taken, which leave `None`. `types` announces them.
#[diagnostic::do_not_recommend]
unsafe impl<R: 'static, L: SourceList> Bundle for SpawnRelated<R, L> {
    const MAY_REQUIRE: bool = false;

    const HAS_EFFECTS: bool = true;

    const COMPONENTS: &'static Components = &Components::All(&[]);

    fn types<V: TypeVisitor>(visitor: &mut V) {
        visitor.effect();
    }

    unsafe fn fields<V: FieldVisitor>(_: *mut Self, _: &mut V) {}

    fn take_effects<V: EffectVisitor>(&mut self, visitor: &mut V) {
        if let Some(list) = self.list.take() {
            visitor.visit(list, spawn::<L>);
        }
    }

    unsafe fn read<S: FieldSource>(_: &mut S) -> Self {
        Self {
            list: None,
            of: core::marker::PhantomData,
        }
    }
}

/// Spawns the sources of a target.
fn spawn<L: SourceList>(list: L, world: &mut dyn Any, target: Entity) {
    let world = world.downcast_mut::<World>();
    list.spawn(world.expect("effects are applied to a world"), target);
}

/// Makes a part of a bundle: entities that are spawned with the entity that gets the bundle, and related to it.
///
/// `related![Relation; a, b, ..]` has a bundle for each of them. The relation is an expression, evaluated for each.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::relation::{Sources, related};
///
/// #[derive(Relation)]
/// #[relation(many)]
/// struct Likes(u32);
///
/// #[derive(Component)]
/// struct Name(&'static str);
///
/// let mut world = World::new();
/// let eve = world.spawn((Name("Eve"), related![Likes(3); Name("Ann"), Name("Bob")]));
/// let fans = world.get::<Sources<Likes>>(eve).unwrap();
/// assert!(fans.iter().all(|fan| world.is_related::<Likes>(fan, eve)));
/// assert_eq!(fans.len(), 2);
/// ```
///
/// See [`SpawnRelated`] for the order and the costs.
// At the root of the crate, like all exported macros; `relation` re-exports it.
#[doc(hidden)]
#[macro_export]
macro_rules! __related {
    ($relation:expr; $($bundle:expr),* $(,)?) => {
        $crate::relation::SpawnRelated::new()$(.and($relation, $bundle))*
    };
}
