//! The layout of a world: which sparse components are kept as groups.

use core::any::type_name;
use core::fmt;

use super::World;
use crate::component::{ComponentId, SparseComponent};
use crate::sort::first_duplicate;
use crate::storage::Groups;

/// Which sparse components of a world are groups.
///
/// The sparse sets of a group keep the values of all entities that have *all* its components at the front, in the same
/// order in each set. A join over exactly these components is then a walk over slices, as fast as one over a table, and
/// [`Join::slices`](crate::Join::slices) hands the slices out. Other joins work as ever.
///
/// Groups may be nested: with `(A, B)` and `(A, B, C)`, entities with all three stand before those with `A` and `B` only.
/// Two groups that have some components in common, but of which neither contains the other, cannot both be packed, and
/// are refused.
///
/// # When to use tables, sparse sets, and groups
/// * **Tables**, the default, are the fastest to iterate in any combination of components, and cost nothing to set up.
///   Inserting or removing a component moves all of an entity's table components.
/// * **Sparse sets** (`#[component(storage = "sparse")]`) are the fastest to insert into and to remove from, whatever else
///   the entity has, and as fast as a table when one component is iterated alone. A join of two looks each entity up.
/// * **Groups** are for sparse components that come and go *and* that one hot loop reads together. That loop runs as over a
///   table. Each insertion that completes the group, and each removal from it, exchanges two values in every set of the
///   group. Components in no group pay nothing.
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
    /// The components of each group and its name; no two have the same components.
    groups: Vec<(Vec<ComponentId>, &'static str)>,
}

impl Layout {
    /// No groups.
    #[must_use]
    pub const fn new() -> Self {
        Self { groups: Vec::new() }
    }

    /// With another group. Naming one twice, in whatever order of components, does no harm.
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

    /// The components of each group.
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
    /// A world with a layout that is named now.
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
    pub fn builder() -> WorldBuilder {
        WorldBuilder::default()
    }

    /// Replaces the layout: which sparse components are kept as groups.
    ///
    /// O(values of the components of the old and new groups). To have none: `world.set_layout(&Layout::new())`.
    ///
    /// # Errors
    /// If two groups overlap and neither contains the other, or a group has a component twice; nothing has changed then.
    // As what it calls, and as the builder: compiled where a world has groups.
    #[inline]
    pub fn set_layout(&mut self, layout: &Layout) -> Result<(), LayoutError> {
        self.storage.set_groups(layout.check()?);
        Ok(())
    }
}

/// Whether all components of the second list are in the first one.
fn has_all(list: &[ComponentId], others: &[ComponentId]) -> bool {
    others.iter().all(|other| list.contains(other))
}

/// A world to be made; see [`World::builder`].
#[derive(Clone, Debug, Default)]
#[must_use = "`build` makes the world"]
pub struct WorldBuilder {
    layout: Layout,
}

impl WorldBuilder {
    /// Keeps sparse components as a group; see [`Layout`].
    pub fn group<G: Group>(mut self) -> Self {
        self.layout = self.layout.group::<G>();
        self
    }

    /// With this layout instead of the groups that were named so far.
    pub fn layout(mut self, layout: Layout) -> Self {
        self.layout = layout;
        self
    }

    /// The empty world.
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

    /// The empty world.
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

/// Why a layout is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayoutError {
    /// Two groups have components in common, and neither contains the other.
    Overlap {
        /// The group that was named earlier.
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
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overlap { one, other, shared } => write!(
                f,
                "the groups `{one}` and `{other}` both have `{shared}`, but neither contains the other: its values cannot stand in the order of both; make one part of the other, or drop one"
            ),
            Self::Duplicate { group, component } => {
                write!(
                    f,
                    "the group `{group}` has `{component}` twice: take one out"
                )
            }
        }
    }
}

impl core::error::Error for LayoutError {}

/// Sparse components to be kept as a group: a tuple of two to sixteen of them; see [`Layout`].
///
/// A component in a table is refused while compiling:
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
    /// The components, in order.
    #[doc(hidden)]
    fn components() -> Vec<ComponentId>;
}

mod sealed {
    pub trait Sealed {}
}

/// A component of a group.
fn member<T: SparseComponent>() -> ComponentId {
    const {
        assert!(
            T::STORAGE.is_sparse(),
            "a group is of components that are stored in sparse sets"
        );
        assert!(
            !T::IMMEDIATE,
            "an immediate component is in no group: to insert it would move values of the other members, which the view has not borrowed"
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
