//! Messages that name entities wait until these have come with a state.

use std::time::Duration;

use ecs_engine::{Entity, World};

use super::ClientSide;
use crate::codec::{BadValue, read_ids};
use crate::kinds::NetworkKinds;
use crate::peer::Delivery;
use crate::wire::WireReader;

/// The time that a message waits for its entities, which may have been despawned meanwhile.
const WAIT: Duration = Duration::from_secs(1);

/// The number of messages that wait; more are delivered at once.
const MESSAGES: usize = 1_024;

/// A message that has arrived.
pub(super) struct AwaitingMessage {
    /// The number of its type.
    kind: usize,
    delivery: Delivery,
    /// The entities that the client has or gets soon, by their ids on the server.
    entities: Vec<Entity>,
    bytes: Vec<u8>,
    age: Duration,
}

impl AwaitingMessage {
    /// Reads the ids of a message. `awaits` has a bit for each of the first 64 that the player sees.
    pub(super) fn new(
        kind: usize,
        delivery: Delivery,
        awaits: u64,
        bytes: &[u8],
    ) -> Result<Self, BadValue> {
        let ids = read_ids(&mut WireReader::new(bytes))?;
        let seen = (0_u32..64)
            .zip(ids)
            .filter(|(bit, _)| awaits >> bit & 1 == 1);
        Ok(Self {
            kind,
            delivery,
            entities: seen.map(|(_, id)| id).collect(),
            bytes: bytes.to_vec(),
            age: Duration::ZERO,
        })
    }
}

impl ClientSide {
    /// Passes on messages whose entities are there, or that have waited long enough. Ordered ones wait behind each other.
    pub(super) fn deliver(
        &mut self,
        world: &mut World,
        kinds: &mut NetworkKinds,
        elapsed: Duration,
    ) -> Result<(), BadValue> {
        // What arrives is not sent back.
        let both_ways = match self.held.is_empty() {
            true => Vec::new(),
            false => kinds.both_ways(),
        };
        for &number in &both_ways {
            self.take_messages(world, kinds, number);
        }
        let received = self.receive_held(world, kinds, elapsed);
        for &number in &both_ways {
            kinds.to_server[number].messages.skip(world);
        }
        received
    }

    fn receive_held(
        &mut self,
        world: &mut World,
        kinds: &NetworkKinds,
        elapsed: Duration,
    ) -> Result<(), BadValue> {
        let mut ordered_waits = false;
        for mut message in std::mem::take(&mut self.held) {
            let is_ordered = message.delivery == Delivery::Ordered;
            let is_there = |id: &Entity| self.replica.local(*id).is_some();
            let waits = message.age < WAIT && !message.entities.iter().all(is_there);
            if (waits || is_ordered && ordered_waits) && self.held.len() < MESSAGES {
                ordered_waits |= is_ordered;
                message.age += elapsed;
                self.held.push_back(message);
                continue;
            }
            let local = |id| self.replica.local(id);
            let messages = &kinds.to_clients[message.kind].messages;
            messages.receive(world, &message.bytes, &local)?;
        }
        Ok(())
    }
}
