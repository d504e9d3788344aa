//! Entities by the value of a component: equal to one, in a range, or near a place. Depend on `ecs-core`: it re-exports all of
//! this as `ecs_core::index` with the feature `index`.
//!
//! | parameter | finds | the component is |
//! |---|---|---|
//! | [`Index<T>`](Index) | the entities with a value | `Hash + Eq + Clone` |
//! | [`OrderedIndex<T>`](OrderedIndex) | the entities with a value, or with values in a range, in order | `Ord + Clone` |
//! | [`UniqueIndex<T>`](UniqueIndex) | the entity with a value | `Hash + Eq + Clone`, and `unique` |
//! | [`SpatialGrid<T, D>`](SpatialGrid) | the entities within a radius or a box, and the nearest ones | [`Spatial`] |
//! | [`Indexed<T, S>`](Indexed) | the answers of your own [`Structure`] | anything |
//!
//! All of them are system parameters that read a component with `#[component(track)]`. A world has one of each kind, which
//! catches up with all changes when it is read, and so is never stale; a world without a reader has none.
//!
//! The order of results depends on values and entities only, never on the history of a world or on threads.

#![cfg_attr(docsrs, feature(doc_cfg))]
#![no_std]

extern crate alloc;

mod by_value;
mod catch_up;
mod grid;
mod hash;
mod indexed;
mod lists;
mod slots;
mod structure;
mod unique;

pub use by_value::{ByOrder, ByValue};
pub use grid::{ByPlace, Spatial, Within};
pub use indexed::{Indexed, IndexedGuard};
pub use structure::Structure;
#[doc(hidden)]
pub use unique::UniqueValues;
pub use unique::{UniqueComponent, UniqueIndex, UniqueIndexGuard};

/// The entities by the value of their `T`: a system parameter.
///
/// ```
/// use ecs_core::index::Index;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Clone, PartialEq, Eq, Hash)]
/// #[component(track)]
/// enum Team {
///     Red,
///     Blue,
/// }
///
/// #[system]
/// fn reds(teams: Index<Team>) -> Vec<Entity> {
///     teams.get(&Team::Red).to_vec()
/// }
///
/// let mut world = World::new();
/// let [a, b] = [Team::Red, Team::Blue].map(|team| world.spawn(team));
/// assert_eq!(reds(&world), [a]);
/// *world.get_mut::<Team>(b).unwrap() = Team::Red;
/// assert_eq!(reds(&world), [a, b]);
/// world.despawn(a)?;
/// assert_eq!(world.borrow::<Index<Team>>().get().get(&Team::Red), [b]);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// A parameter that writes the component beside it is a compile error:
///
/// ```compile_fail,E0080
/// # use ecs_core::index::Index;
/// # use ecs_core::prelude::*;
/// # #[derive(Component, Clone, PartialEq, Eq, Hash)]
/// # #[component(track)]
/// # struct Team(u8);
/// #[system]
/// fn conflict(teams: Index<Team>, writer: CompMut<Team>) {}
/// ```
///
/// So is an index of a component that is not tracked:
///
/// ```compile_fail,E0277
/// # use ecs_core::index::Index;
/// # use ecs_core::prelude::*;
/// # #[derive(Component, Clone, PartialEq, Eq, Hash)]
/// # struct Team(u8);
/// #[system]
/// fn untracked(teams: Index<Team>) {}
/// ```
///
/// A value is the whole component: give a component of its own to the part that you look for. The hasher has no secret,
/// so if strangers choose the values, such as names of players, an [`OrderedIndex`] is safer.
pub type Index<'g, T> = Indexed<'g, T, ByValue<T>>;

/// The entities by the value of their `T`, in the order of the values: a system parameter.
///
/// ```
/// use ecs_core::index::OrderedIndex;
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Clone, PartialEq, Eq, PartialOrd, Ord)]
/// #[component(track)]
/// struct Score(u32);
///
/// #[system]
/// fn best(count: usize, scores: OrderedIndex<Score>) -> Vec<Entity> {
///     scores.iter().rev().take(count).map(|(_, entity)| entity).collect()
/// }
///
/// let mut world = World::new();
/// let [a, b, c] = [30, 10, 20].map(|score| world.spawn(Score(score)));
/// assert_eq!(best(2, &world), [a, c]);
/// world.get_mut::<Score>(b).unwrap().0 = 40;
/// assert_eq!(best(2, &world), [b, a]);
///
/// let mut borrowed = world.borrow::<OrderedIndex<Score>>();
/// let scores = borrowed.get();
/// let middle = scores.range(Score(20)..Score(40)).map(|(score, entity)| (score.0, entity));
/// assert_eq!(Vec::from_iter(middle), [(20, c), (30, a)]);
/// ```
pub type OrderedIndex<'g, T> = Indexed<'g, T, ByOrder<T>>;

/// The entities by place, in `D` dimensions: a system parameter.
///
/// ```
/// use ecs_core::index::{Spatial, SpatialGrid};
/// use ecs_core::prelude::*;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Position([f32; 2]);
///
/// impl Spatial<2> for Position {
///     const CELL: f32 = 10.0;
///     fn place(&self) -> [f32; 2] {
///         self.0
///     }
/// }
///
/// #[system]
/// fn around(place: [f32; 2], positions: SpatialGrid<Position, 2>) -> Vec<Entity> {
///     positions.within(place, 5.0).map(|(entity, _)| entity).collect()
/// }
///
/// let mut world = World::new();
/// let [a, b] = [[0.0, 3.0], [40.0, 0.0]].map(|place| world.spawn(Position(place)));
/// assert_eq!(around([0.0, 0.0], &world), [a]);
/// world.get_mut::<Position>(b).unwrap().0 = [4.0, 3.0];
/// assert_eq!(around([0.0, 0.0], &world), [a, b]);
///
/// let mut borrowed = world.borrow::<SpatialGrid<Position, 2>>();
/// let positions = borrowed.get();
/// assert_eq!(positions.nearest([100.0, 0.0]), Some((b, [4.0, 3.0])));
/// ```
pub type SpatialGrid<'g, T, const D: usize> = Indexed<'g, T, ByPlace<T, D>>;
