//! The types of a game, which both sides know.

use ecs_data::{ClientId, NoSuchClient, Protocol, Replicator};
use ecs_engine::component::ComponentId;
use ecs_engine::{Entity, World};

use crate::messages::{MessageKind, PlayerInputs, ToClientsKind, ToServerKind};
use crate::player::{Owner, PlayerId};
use crate::shown::{InterpolatedKind, PredictedKind};
use crate::visibility::VisibilityRule;

/// The types of a game, and the settings of both sides.
pub(crate) struct NetworkKinds {
    pub(crate) protocol: Protocol,
    pub(crate) to_server: Vec<MessageKind<dyn ToServerKind>>,
    pub(crate) to_clients: Vec<MessageKind<dyn ToClientsKind>>,
    pub(crate) input: Option<Box<dyn PlayerInputs>>,
    pub(crate) predicted: Vec<Box<dyn PredictedKind>>,
    pub(crate) interpolated: Vec<Box<dyn InterpolatedKind>>,
    pub(crate) rules: Vec<VisibilityRule>,
    pub(crate) only_owner: Vec<ComponentId>,
    pub(crate) settings: StateSettings,
}

/// The settings of states.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StateSettings {
    pub(crate) steps_per_state: u64,
}

impl StateSettings {
    /// Returns the number of steps that the entities of others are shown behind the server.
    pub(crate) fn interpolation(self, unrest: f64) -> f64 {
        // Two states, so that one may get lost.
        2.0 * self.steps_per_state as f64 + 2.0 * unrest
    }
}

impl NetworkKinds {
    /// Returns packets for a client: at most so many, of at most so many bytes each.
    pub(crate) fn packets(
        &self,
        replicator: &mut Replicator,
        world: &World,
        (client, player): (ClientId, PlayerId),
        (count, bytes): (usize, usize),
        sees: &mut dyn FnMut(Entity) -> Option<f32>,
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        if self.only_owner.is_empty() {
            return replicator.packets_within(client, bytes, count, sees);
        }
        let owners = world.view::<Owner>();
        let is_own = |entity| owners.get(entity).is_some_and(|owner| owner.0 == player);
        replicator.packets_without(client, bytes, count, sees, |entity| match is_own(entity) {
            true => &[],
            false => &self.only_owner,
        })
    }
}
