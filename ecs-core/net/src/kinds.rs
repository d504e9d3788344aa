//! The types of a game, which both sides know.

use ecs_data::{ClientId, NoSuchClient, Protocol, Replicator};
use ecs_engine::{Entity, World};

use crate::messages::{MessageKind, PlayerInputs, ToClientsKind, ToServerKind};
use crate::player::PlayerId;
use crate::shown::{InterpolatedKind, PredictedKind, PredictedMemory};
use crate::visibility::{PrivateComponents, Sees, VisibilityRule, all_rules};

/// The types of a game, and the settings of both sides.
pub(crate) struct NetworkKinds {
    pub(crate) protocol: Protocol,
    pub(crate) to_server: Vec<MessageKind<dyn ToServerKind>>,
    pub(crate) to_clients: Vec<MessageKind<dyn ToClientsKind>>,
    pub(crate) input: Option<Box<dyn PlayerInputs>>,
    pub(crate) predicted: Vec<Box<dyn PredictedKind>>,
    pub(crate) memories: Vec<Box<dyn PredictedMemory>>,
    pub(crate) interpolated: Vec<Box<dyn InterpolatedKind>>,
    pub(crate) rules: Vec<Box<dyn VisibilityRule>>,
    pub(crate) private: PrivateComponents,
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
    /// Returns the numbers of the messages to the server whose type also goes to clients.
    pub(crate) fn both_ways(&self) -> Vec<usize> {
        let is_both = |ty| self.to_clients.iter().any(|kind| kind.ty == ty);
        let numbers =
            (0..self.to_server.len()).filter(|&number| is_both(self.to_server[number].ty));
        numbers.collect()
    }

    /// Returns the entities among some that a player has or will have soon: as bits, of the first 64.
    pub(crate) fn seen_by<'w>(
        &'w self,
        world: &'w World,
        player: PlayerId,
        entities: &[Entity],
        sees: &mut Option<Sees<'w>>,
    ) -> u64 {
        let mut bits = 0;
        for (bit, &entity) in entities.iter().take(64).enumerate() {
            let sees = sees.get_or_insert_with(|| all_rules(&self.rules, world, player));
            if self.protocol.sends(world, entity) && sees(entity).is_some() {
                bits |= 1 << bit;
            }
        }
        bits
    }

    /// Returns packets for a client: at most so many, of at most so many bytes each. If `changed` is a list, only the answers about
    /// these entities may be others than for the last packets.
    pub(crate) fn packets(
        &self,
        replicator: &mut Replicator,
        world: &World,
        (client, player): (ClientId, PlayerId),
        (count, bytes): (usize, usize),
        changed: Option<&[Entity]>,
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        let sees = all_rules(&self.rules, world, player);
        let without = self.private.hidden(world, player);
        match changed {
            None => replicator.packets_without(client, bytes, count, sees, without),
            Some(changed) => replicator.packets_again(client, bytes, count, changed, sees, without),
        }
    }
}
