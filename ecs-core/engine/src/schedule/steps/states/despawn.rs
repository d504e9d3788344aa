//! Entities that are despawned when a state is left.

use alloc::vec::Vec;

use super::{StateValue, copied};
use crate::component::{Component, Untracked};
use crate::entity::Entity;
use crate::meta::ConstTypeIdOf;
use crate::query::AndDisabled;
use crate::world::World;

/// A component that despawns its entity when a state is left.
///
/// [`Transitions`](super::Transitions) does so after the systems for leaving the state, which still see the entities.
/// Entities that [depend on them](crate::relation#when-the-target-is-despawned) go too. Any system may spawn such an entity,
/// at any time. If it is spawned in another state, it stays until the state that it names is left.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::{DespawnOnExit, NextState, Transitions};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
/// #[derive(Component)]
/// struct Enemy;
///
/// #[system]
/// fn spawn_level(mut commands: Commands) {
///     commands.spawn((Enemy, DespawnOnExit(Screen::Game)));
/// }
///
/// let mut states = Transitions::new();
/// states.add_state(Screen::Game).on_enter(Screen::Game, spawn_level);
/// let mut frame = Schedule::new();
/// frame.add(states);
/// let mut world = World::new();
/// frame.run(&mut world)?;
/// assert_eq!(world.view::<Enemy>().len(), 1);
///
/// world.resource_mut::<NextState<Screen>>().set(Screen::Menu);
/// frame.run(&mut world)?;
/// assert_eq!(world.view::<Enemy>().len(), 0);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DespawnOnExit<S>(pub S);

#[diagnostic::do_not_recommend]
impl<S: StateValue> Component for DespawnOnExit<S> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::generic("ecs_core::DespawnOnExit", "DespawnOnExit")
            .with_data(const { &[copied::<Self>().component().erased()] });
    type Tracking = Untracked;
}

/// Despawns the entities that name `state`, which is left.
#[inline]
pub(super) fn despawn_with<S: StateValue>(state: &S, world: &mut World) {
    let leaving = entities_of(state, world);
    if !leaving.is_empty() {
        world.despawn_batch(leaving);
    }
}

/// Returns the entities that name `state`.
pub(super) fn entities_of<S: StateValue>(state: &S, world: &World) -> Vec<Entity> {
    let query = world.query_filtered::<(Entity, &DespawnOnExit<S>), AndDisabled>();
    let named = query.iter().filter(|(_, of)| of.0 == *state);
    named.map(|(entity, _)| entity).collect()
}
