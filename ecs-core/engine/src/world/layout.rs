//! The layout of a world: the groups of sparse components.

use alloc::vec::Vec;
use core::fmt;

use super::World;
use crate::component::{ComponentId, SparseComponent};
use crate::sort::first_duplicate;
use crate::storage::Groups;
use crate::type_name::type_name;

/// The groups of sparse components of a world.
///
/// The sparse sets of a group keep the values of all entities that have *all* its components at the front, in the same order
/// in each set. A join over exactly these components then iterates slices, as fast as over a table, and
/// [`Join::slices`](crate::Join::slices) returns the slices. Other joins are not affected.
///
/// Groups may be nested: with `(A, B)` and `(A, B, C)`, entities with all three come before entities with only `A` and `B`.
/// If two groups share components but neither contains the other, they cannot both be ordered, and the layout is rejected.
///
/// # When to use tables, sparse sets, and groups
/// * **Tables**, the default, are the fastest to iterate in any combination of components, and need no set-up. Inserting or
///   removing a component moves all table components of the entity.
/// * **Sparse sets** (`#[component(storage = "sparse")]`) are the fastest to insert into and to remove from, whatever other
///   components the entity has, and as fast as a table when one component is iterated alone. A join of two looks up each
///   entity.
/// * **Groups** are for sparse components that are often inserted and removed *and* that one hot loop reads together. That
///   loop is as fast as over a table. Each insertion that completes the group, and each removal from it, swaps two values in
///   every set of the group. Components outside of groups pay nothing.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] #[component(storage = "sparse")] struct Target(f32);
/// #[derive(Component)] #[component(storage = "sparse")] struct Thrust(f32);
/// #[derive(Component)] #[component(storage = "sparse")] struct Boost(f32);
///
/// let mut world = World::builder()
///     .group::<(Target, Thrust)>()
///     .group::<(Target, Thrust, Boost)>()
///     .build();
/// world.spawn((Target(1.0), Thrust(2.0)));
/// world.spawn((Target(3.0), Thrust(4.0), Boost(5.0)));
///
/// let (target, mut thrust, boost) = (world.view::<Target>(), world.view_mut::<Thrust>(), world.view::<Boost>());
/// (&target, &mut thrust).for_each(|(target, thrust)| thrust.0 += target.0); // over slices
/// let (targets, thrusts, boosts) = (&target, &thrust, &boost).slices();
/// assert_eq!((targets[0].0, thrusts[0].0, boosts[0].0), (3.0, 7.0, 5.0));
/// let (unboosted, _) = (&target, &thrust).exclude(&boost).slices();
/// assert_eq!(unboosted[0].0, 1.0);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Layout {
    /// The components and the name of each group; no two groups have the same components.
    groups: Vec<(Vec<ComponentId>, &'static str)>,
}

impl Layout {
    /// Creates a layout without groups.
    #[must_use]
    #[inline]
    pub const fn new() -> Self {
        Self { groups: Vec::new() }
    }

    /// Adds a group. Adding one twice, in any order of its components, has no effect.
    #[must_use]
    pub fn group<G: Group>(mut self) -> Self {
        let components = G::components();
        debug_assert!(components.len() <= Groups::MAX_MEMBERS);
        let mut known = self.groups.iter();
        if !known.any(|(known, _)| has_all(known, &components) && has_all(&components, known)) {
            self.groups.push((components, type_name::<G>()));
        }
        self
    }

    /// Returns the components of each group, or an error if the groups are not compatible.
    #[inline]
    fn check(&self) -> Result<Vec<Vec<ComponentId>>, LayoutError> {
        let mut sets = Vec::with_capacity(self.groups.len());
        for (index, (components, group)) in self.groups.iter().enumerate() {
            if let Some(component) = first_duplicate(components) {
                let component = component.name();
                return Err(LayoutError::Duplicate { group, component });
            }
            for (others, other) in &self.groups[..index] {
                let (mut first, mut count) = (None, 0);
                for id in components {
                    if others.contains(id) {
                        first = first.or(Some(id));
                        count += 1;
                    }
                }
                if let Some(shared) = first
                    && count < components.len().min(others.len())
                {
                    return Err(LayoutError::Overlap {
                        one: other,
                        other: group,
                        shared: shared.name(),
                    });
                }
            }
            sets.push(components.clone());
        }
        Ok(sets)
    }
}

impl World {
    /// Returns a builder for a world with groups.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)] #[component(storage = "sparse")] struct Position(f32);
    /// #[derive(Component)] #[component(storage = "sparse")] struct Velocity(f32);
    /// #[derive(Component)] #[component(storage = "sparse")] struct Mass(f32);
    ///
    /// let refused = World::builder()
    ///     .group::<(Position, Velocity)>()
    ///     .group::<(Velocity, Mass)>()
    ///     .try_build();
    /// let message = refused.unwrap_err().to_string();
    /// assert!(message.contains("Position") && message.contains("Velocity") && message.contains("Mass"));
    /// ```
    #[inline]
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    /// Replaces the layout: the groups of sparse components.
    ///
    /// O(values of the components of the old and new groups). `world.set_layout(&Layout::new())` removes all groups.
    ///
    /// # Errors
    /// If two groups overlap and neither contains the other, or a group has a component twice; nothing has changed in that case.
    // Inline, so programs without groups do not contain it.
    #[inline]
    pub fn set_layout(&mut self, layout: &Layout) -> Result<(), LayoutError> {
        self.storage.set_groups(layout.check()?);
        Ok(())
    }
}

/// Returns true if all components of the second list are in the first one.
#[inline]
fn has_all(list: &[ComponentId], others: &[ComponentId]) -> bool {
    others.iter().all(|other| list.contains(other))
}

/// A builder for a world with groups; see [`World::builder`].
#[derive(Clone, Debug, Default)]
#[must_use = "`build` creates the world"]
pub struct WorldBuilder {
    layout: Layout,
}

impl WorldBuilder {
    /// Adds a group of sparse components. To share groups between worlds, use a [`layout`](Self::layout).
    pub fn group<G: Group>(mut self) -> Self {
        self.layout = self.layout.group::<G>();
        self
    }

    /// Replaces the groups added so far by the groups of `layout`.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// Creates the world, without entities.
    ///
    /// # Panics
    /// If two groups overlap and neither contains the other, or a group has a component twice; [`try_build`](Self::try_build)
    /// returns an error instead.
    #[track_caller]
    #[must_use]
    #[inline]
    pub fn build(self) -> World {
        self.try_build().unwrap_or_else(|error| panic!("{error}"))
    }

    /// Creates the world, without entities.
    ///
    /// # Errors
    /// If two groups overlap and neither contains the other, or a group has a component twice.
    #[inline]
    pub fn try_build(self) -> Result<World, LayoutError> {
        let mut world = World::new();
        world.set_layout(&self.layout)?;
        Ok(world)
    }
}

/// The error for a layout with incompatible groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// Two groups have components in common, and neither contains the other.
    Overlap {
        /// The group that was added first.
        one: &'static str,
        /// The other group.
        other: &'static str,
        /// A component that both have.
        shared: &'static str,
    },
    /// A group has a component twice.
    Duplicate {
        /// The group.
        group: &'static str,
        /// The component.
        component: &'static str,
    },
}

impl fmt::Display for LayoutError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { one, other, shared } => write!(
                f,
                "the groups `{one}` and `{other}` both have `{shared}`, but neither contains the other: its values cannot be in the order of both; help: make one group contain the other, or remove one"
            ),
            Self::Duplicate { group, component } => {
                write!(
                    f,
                    "the group `{group}` has `{component}` twice; help: remove one"
                )
            }
        }
    }
}

impl core::error::Error for LayoutError {}

/// Sparse components to be kept as a group: a tuple of two to sixteen components; see [`Layout`].
///
/// A component in a table is rejected at compile time:
///
/// ```compile_fail
/// use ecs_core::prelude::*;
///
/// #[derive(Component)] struct InTables(f32);
/// #[derive(Component)] #[component(storage = "sparse")] struct Sparse(f32);
///
/// let world = World::builder().group::<(InTables, Sparse)>().build();
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a group of components",
    label = "not a tuple of two to sixteen sparse components",
    note = "a group is a tuple: `group::<(Position, Velocity)>()`"
)]
pub trait Group: sealed::Sealed {
    /// Returns the components, in order.
    #[doc(hidden)]
    fn components() -> Vec<ComponentId>;
}

mod sealed {
    pub trait Sealed {}
}

/// Returns the id of a component, which must be allowed in groups.
fn member<T: SparseComponent>() -> ComponentId {
    const {
        assert!(
            T::STORAGE.is_by_entity(),
            "a group consists of components that are stored in sparse sets"
        );
        assert!(
            !T::IMMEDIATE,
            "an immediate component cannot be in a group: inserting it would move values of the other members, which the view has not borrowed"
        );
    }
    ComponentId::of::<T>()
}

macro_rules! groups {
    ($last:ident) => {};
    ($first:ident $($rest:ident)+) => {
        impl<$first, $($rest),+> sealed::Sealed for ($first, $($rest),+) {}

        impl<$first: SparseComponent, $($rest: SparseComponent),+> Group for ($first, $($rest),+) {
            fn components() -> Vec<ComponentId> {
                vec![member::<$first>(), $(member::<$rest>()),+]
            }
        }

        groups!($($rest)+);
    };
}

groups!(A B C D E F G H I J K L M N O P);
