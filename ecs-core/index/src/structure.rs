//! The trait of the structures behind an index.

use ecs_engine::Entity;

/// A data structure of entities by the value of their `T`, which an [`Indexed`](crate::Indexed) keeps up with a world.
///
/// It receives each change once, at the next time that it is read: `remove`, `set` and `retain` in any order, and then
/// `finish`. Implement it for an index of your own:
///
/// ```
/// use ecs_core::index::{Indexed, Structure};
/// use ecs_core::prelude::*;
/// use std::collections::HashMap;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Gold(u64);
///
/// /// How much gold there is.
/// #[derive(Default)]
/// struct Sum {
///     total: u64,
///     of: HashMap<Entity, u64>,
/// }
///
/// impl Structure<Gold> for Sum {
///     fn set(&mut self, entity: Entity, gold: &Gold) {
///         self.total += gold.0;
///         self.total -= self.of.insert(entity, gold.0).unwrap_or(0);
///     }
///     fn remove(&mut self, entity: Entity) {
///         self.total -= self.of.remove(&entity).unwrap_or(0);
///     }
///     fn retain(&mut self, keep: &mut dyn FnMut(Entity) -> bool) {
///         self.of.retain(|&entity, _| keep(entity));
///         self.total = self.of.values().sum();
///     }
/// }
///
/// #[system]
/// fn treasure(gold: Indexed<Gold, Sum>) -> u64 {
///     gold.total
/// }
///
/// let mut world = World::new();
/// let [a, b] = [3, 4].map(|gold| world.spawn(Gold(gold)));
/// assert_eq!(treasure(&world), 7);
/// world.get_mut::<Gold>(a).unwrap().0 = 10;
/// world.despawn(b)?;
/// assert_eq!(treasure(&world), 10);
/// # Ok::<(), ecs_core::world::NoSuchEntity>(())
/// ```
///
/// # Panics
/// If a method panics, the structure is dropped and the next reader builds a new one.
///
/// # Deadlocks
/// If a method reads the same index of the same world.
#[diagnostic::on_unimplemented(
    message = "values of `{T}` cannot be looked up by a `{Self}`",
    label = "`{T}` lacks a trait that the index needs",
    note = "for an `Index` add `#[derive(Clone, PartialEq, Eq, Hash)]` to the component, for an `OrderedIndex` `#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]`; for a `SpatialGrid` write `impl Spatial<2> for {T}`"
)]
pub trait Structure<T>: Default + Send + Sync + 'static {
    /// Adds an entity with its value, or replaces the value that it had. The value may be the same as before.
    ///
    /// An older entity with the same index no longer exists. Its removal may be reported afterwards.
    fn set(&mut self, entity: Entity, value: &T);

    /// Removes an entity, if it is in the structure.
    fn remove(&mut self, entity: Entity);

    /// Removes the entities for which the function returns false.
    ///
    /// Called when a world returned to a snapshot, or when more entities were removed than the world remembers.
    fn retain(&mut self, keep: &mut dyn FnMut(Entity) -> bool);

    /// Prepares for reading, after all changes.
    fn finish(&mut self) {}
}
