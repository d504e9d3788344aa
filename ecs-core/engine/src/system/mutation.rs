//! Systems that trigger an event for each value that was mutated.

use core::fmt;

use hashbrown::HashMap;

use super::Local;
use crate::command::Commands;
use crate::component::TrackedComponent;
use crate::entity::Entity;
use crate::hash::BuildIndexHasher;
use crate::query::{Added, Mutated, Query};
use crate::resource::{Res, Resource};
use crate::view::Removed;

/// The event that a value was mutated: a component of an entity, or a resource.
///
/// Values don't send it themselves, because writing one would cost more then. A system does, for all values that were mutated
/// since its last run: [`trigger_mutations`], [`trigger_mutations_with_old`] or [`trigger_resource_mutations`]. Its place in the
/// schedule decides when observers see the mutations, and an entity triggers one event however often its value was written.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::system::{Mutation, trigger_mutations_with_old};
/// use ecs_core::world::hooks::Trigger;
///
/// #[derive(Component, Clone)]
/// #[component(track)]
/// struct Health(i32);
///
/// #[system(for_each)]
/// fn poison(health: &mut Health) {
///     health.0 -= 1;
///     health.0 -= 1;
/// }
///
/// let mut world = World::new();
/// world.insert_resource(Vec::<String>::new());
/// world.observe(|hurt: Trigger<Mutation<Health>>, healths: Comp<Health>, mut log: ResMut<Vec<String>>| {
///     let (old, now) = (hurt.old().unwrap(), healths.get(hurt.entity()).unwrap());
///     log.push(format!("{} -> {}", old.0, now.0));
/// });
/// let mut schedule = Schedule::new();
/// schedule.add((poison, trigger_mutations_with_old::<Health>));
///
/// world.spawn(Health(9));
/// schedule.run(&mut world)?; // new
/// schedule.run(&mut world)?; // mutated
/// assert_eq!(*world.resource::<Vec<String>>(), ["7 -> 5"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A value that was inserted since the last run is new, and triggers none: [`OnAdd`](crate::world::hooks::OnAdd) is its event. If
/// another value replaced a component, that is a mutation; a resource that is inserted is new, also in place of another one.
///
/// Observers of one type are called in [their order](crate::observer), entity by entity, in the order of a query. To see the
/// mutations that an observer makes, list the system again after it; they are triggered in its next run otherwise.
pub struct Mutation<T> {
    old: Option<T>,
}

impl<T> Mutation<T> {
    /// Makes the event, to trigger it by hand.
    #[must_use]
    pub fn new(old: Option<T>) -> Self {
        Self { old }
    }

    /// Returns the value that the last run of [`trigger_mutations_with_old`] saw; `None` if another system has triggered the event.
    #[must_use]
    pub fn old(&self) -> Option<&T> {
        self.old.as_ref()
    }
}

impl<T: fmt::Debug> fmt::Debug for Mutation<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mutation").field("old", &self.old).finish()
    }
}

/// A system that triggers a [`Mutation`] on each entity whose `T` was mutated since its last run.
///
/// O(tables), and O(rows) of those where a `T` may have changed.
pub fn trigger_mutations<T: TrackedComponent>(
    mutated: Query<'_, Entity, Mutated<T>>,
    mut commands: Commands<'_>,
) {
    for entity in mutated.iter() {
        commands.trigger_on(entity, Mutation::<T>::new(None));
    }
}

/// A system that triggers a [`Mutation`] with the [old value](Mutation::old) on each entity whose `T` was mutated since its last
/// run.
///
/// It keeps a copy of each `T`, so it needs memory for as many, and a look-up for each change.
pub fn trigger_mutations_with_old<T: TrackedComponent + Clone>(
    added: Query<'_, (Entity, &T), Added<T>>,
    mutated: Query<'_, (Entity, &T), Mutated<T>>,
    mut removed: Removed<'_, T>,
    mut known: Local<'_, OldValues<T>>,
    mut commands: Commands<'_>,
) {
    for entity in removed.read() {
        known.0.remove(&entity);
    }
    for (entity, value) in added.iter() {
        known.0.insert(entity, value.clone());
    }
    for (entity, value) in mutated.iter() {
        let old = known.0.insert(entity, value.clone());
        commands.trigger_on(entity, Mutation { old });
    }
}

/// The values that [`trigger_mutations_with_old`] has seen.
#[derive(Clone, Debug)]
pub struct OldValues<T>(HashMap<Entity, T, BuildIndexHasher>);

impl<T> Default for OldValues<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

/// A system that triggers a [`Mutation`], without an entity, if the resource was mutated since its last run.
pub fn trigger_resource_mutations<R: Resource>(
    resource: Option<Res<'_, R>>,
    mut commands: Commands<'_>,
) {
    let is_mutated = |resource: &Res<'_, R>| resource.is_changed() && !resource.is_added();
    if resource.as_ref().is_some_and(is_mutated) {
        commands.trigger(Mutation::<R>::new(None));
    }
}
