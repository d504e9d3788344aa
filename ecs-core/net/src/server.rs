//! The app with the world: players join, send inputs and messages, and get states.
//!
//! ```text
//! to a client, unreliable: 0, tick: varint, the newest tick that the player has run: varint, the number of pairs: varint,
//!     pairs of an entity and the key that the client has spawned it with: varints, then a packet of the replicator
//! to a client, ordered: 1, player: varint
//! to a client: 2 + the number of the type: varint, the entities in the message that the player sees, as bits: varint, message
//! to the server: 2 + the number of the type: varint, message
//! to the server, unreliable: 0, the newest tick: varint, the number of packets: varint, the numbers of packets that were applied:
//!     varints, the number of ticks: varint, then for each entity its id: varint, the number of runs: varint, and runs of equal
//!     inputs, the oldest first: length: varint, input
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use ecs_data::{ClientId, Replicator};
use ecs_engine::schedule::ScheduleError;
use ecs_engine::{Entity, Join, World};

use crate::codec::{BadValue, NetworkProblem, read_ids};
use crate::endpoint::Endpoint;
use crate::kinds::NetworkKinds;
use crate::online::{Online, OnlineRequest, PlayerInfo};
use crate::peer::{Delivery, DisconnectReason, PeerEvent, PeerId, SendError};
use crate::player::{Owner, PlayerId, PlayerJoined, PlayerLeft, SpawnKey};
use crate::shown::PAST;
use crate::step::{StepClock, run_step};
use crate::visibility::RuleValues;
use crate::wire::{WireReader, put_varint};

pub(crate) const STATE: u64 = 0;
pub(crate) const WELCOME: u64 = 1;
pub(crate) const MESSAGES: u64 = 2;

/// The number of steps that an input may be ahead of the server.
pub(crate) const FUTURE: u64 = 64;

/// The number of bytes of a state, so that it fits into one datagram.
const STATE_BYTES: usize = 1_100;

/// The number of states for a player at once, while much is new, if the rate of the connection does not allow more in the long run.
const STATES: usize = 4;

/// The bytes of a datagram around a state, at most.
const AROUND_STATE: usize = 100;

/// The number of bytes of an input.
pub(crate) const INPUT_BYTES: usize = 1_024;

/// The side that has the world.
pub(crate) struct ServerSide {
    /// `None` alone.
    pub(crate) endpoint: Option<Endpoint>,
    host: Option<PlayerId>,
    replicator: Replicator,
    players: BTreeMap<PeerId, ServerPlayer>,
    next_player: u32,
    tick: u64,
    clock: StepClock,
    /// The tick of the last states.
    sent: u64,
    owners: RuleValues<PlayerId>,
}

struct ServerPlayer {
    player: PlayerId,
    client: ClientId,
    /// By entity, the inputs for the next ticks.
    inputs: BTreeMap<Entity, BTreeMap<u64, Vec<u8>>>,
    newest_input: u64,
    missed: u64,
    refused: u64,
    /// Entities with a key that the client may have spawned, and the first packet that said so.
    keys: BTreeMap<Entity, (u64, Option<u64>)>,
    /// The entities whose key the client has.
    known_keys: BTreeSet<Entity>,
    /// The [inputs](crate::visibility::VisibilityRule::inputs) of the last answers of the rules; `None` if they have to be asked about each entity.
    inputs_of_rules: Option<Vec<u32>>,
}

impl ServerSide {
    pub(crate) fn new(
        endpoint: Option<Endpoint>,
        host: Option<PlayerId>,
        kinds: &NetworkKinds,
    ) -> Self {
        Self {
            endpoint,
            host,
            replicator: Replicator::new(kinds.protocol.clone()),
            players: BTreeMap::new(),
            next_player: 1,
            tick: 0,
            clock: StepClock::default(),
            sent: 0,
            owners: RuleValues::default(),
        }
    }

    /// The beginning of a frame: receives, and runs the steps that are due.
    pub(crate) fn begin(
        &mut self,
        world: &mut World,
        kinds: &mut NetworkKinds,
        elapsed: Duration,
    ) -> Result<(), ScheduleError> {
        if let Some(player) = self.host
            && self.tick == 0
            && self.next_player == 1
        {
            self.next_player = 2;
            world.send_event(PlayerJoined { player });
        }
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.update(elapsed);
        }
        while let Some(event) = self.endpoint.as_mut().and_then(Endpoint::next_event) {
            match event {
                PeerEvent::Connected { peer } => self.join(world, peer),
                PeerEvent::Disconnected { peer, reason } => self.left(world, peer, reason),
                PeerEvent::Message { peer, bytes, .. } => {
                    if self.read(world, kinds, peer, &bytes).is_err() {
                        self.end(peer, "your program has sent a damaged message");
                        let reason = DisconnectReason::Malformed(crate::DatagramError::BadNumber);
                        self.left(world, peer, reason);
                    }
                }
            }
        }
        let step = world.resource::<Online>().step;
        let mut result = Ok(());
        for _ in 0..self.clock.due(elapsed, step) {
            self.tick += 1;
            self.give_inputs(world, kinds);
            result = result.and(run_step(world, self.tick, false));
        }
        self.report(world);
        result
    }

    fn join(&mut self, world: &mut World, peer: PeerId) {
        let player = PlayerId(self.next_player);
        self.next_player += 1;
        let known = ServerPlayer {
            player,
            client: self.replicator.connect(),
            inputs: BTreeMap::new(),
            newest_input: 0,
            missed: 0,
            refused: 0,
            keys: BTreeMap::new(),
            known_keys: BTreeSet::new(),
            inputs_of_rules: None,
        };
        self.players.insert(peer, known);
        let mut bytes = Vec::new();
        put_varint(&mut bytes, WELCOME);
        put_varint(&mut bytes, player.0.into());
        if let Some(endpoint) = &mut self.endpoint {
            // A connection that was just made has room for it.
            _ = endpoint.send(peer, Delivery::Ordered, bytes);
        }
        world.send_event(PlayerJoined { player });
    }

    fn left(&mut self, world: &mut World, peer: PeerId, reason: DisconnectReason) {
        if let Some(known) = self.players.remove(&peer) {
            self.replicator.disconnect(known.client);
            let player = known.player;
            world.send_event(PlayerLeft { player, reason });
        }
    }

    fn end(&mut self, peer: PeerId, text: &str) {
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.disconnect(peer, text);
        }
    }

    /// Reads a message of a player.
    fn read(
        &mut self,
        world: &mut World,
        kinds: &NetworkKinds,
        peer: PeerId,
        bytes: &[u8],
    ) -> Result<(), BadValue> {
        let Some(known) = self.players.get_mut(&peer) else {
            return Ok(());
        };
        let mut input = WireReader::new(bytes);
        match input.varint().map_err(|_| BadValue)? {
            0 => {
                let replicator = &mut self.replicator;
                known.read_inputs(world, kinds, replicator, self.tick, input)
            }
            kind => {
                let kind = kind.checked_sub(MESSAGES).ok_or(BadValue)?;
                let kind = kinds.to_server.get(kind as usize).ok_or(BadValue)?;
                if !kind.messages.receive(world, known.player, input.rest())? {
                    known.refused += 1;
                    let (player, name) = (known.player, kind.name);
                    let problem = NetworkProblem::NotOwner { player, name };
                    world.resource_mut::<Online>().note(problem);
                }
                Ok(())
            }
        }
    }

    /// Gives the entities of players their inputs for the next step.
    fn give_inputs(&mut self, world: &mut World, kinds: &NetworkKinds) {
        let Some(input) = &kinds.input else {
            return;
        };
        let steered = steered(world, |_| true);
        for &entity in &steered {
            input.ensure(world, entity);
        }
        let mut by_owner = by_owner(world, steered);
        for known in self.players.values_mut() {
            let own = by_owner.remove(&known.player).unwrap_or_default();
            known
                .inputs
                .retain(|entity, _| own.binary_search(entity).is_ok());
            for entity in own {
                let inputs = known.inputs.entry(entity).or_default();
                let later = inputs.split_off(&(self.tick + 1));
                // The last one before it counts on if the one for this step is missing.
                let last = std::mem::replace(inputs, later).pop_last();
                known.missed += u64::from(last.as_ref().is_none_or(|last| last.0 != self.tick));
                let of_world = |id| Some(id);
                if let Some((_, bytes)) = last
                    && input.set(world, entity, &bytes, &of_world).is_err()
                {
                    known.refused += 1;
                }
            }
        }
    }

    fn report(&self, world: &mut World) {
        let endpoint = self.endpoint.as_ref();
        let players = self.players.iter().filter_map(|(&peer, known)| {
            let endpoint = endpoint?;
            Some(PlayerInfo {
                player: known.player,
                address: endpoint.address_of(peer)?,
                stats: endpoint.stats(peer)?,
                missed_inputs: known.missed,
                refused: known.refused,
            })
        });
        let players = players.collect();
        let mut online = world.resource_mut::<Online>();
        online.players = players;
        online.tick = self.tick;
    }

    /// The end of a frame: sends messages and states.
    pub(crate) fn end_frame(&mut self, world: &mut World, kinds: &mut NetworkKinds) {
        let requests = std::mem::take(&mut world.resource_mut::<Online>().requests);
        for request in requests {
            if let OnlineRequest::Kick(player, text) = request {
                let mut all = self.players.iter();
                let peer = all.find(|(_, known)| known.player == player);
                if let Some((&peer, _)) = peer {
                    self.end(peer, &text);
                    self.left(world, peer, DisconnectReason::ByPeer(text));
                }
            }
        }
        for kind in &mut kinds.to_server {
            match self.host {
                Some(_) => kind.messages.pass(world),
                // Nothing sends them here.
                None => drop(kind.messages.take(world, &Some)),
            }
        }
        self.send_messages(world, kinds);
        for number in kinds.both_ways() {
            // Those for the player here.
            kinds.to_server[number].messages.skip(world);
        }
        let every = kinds.settings.steps_per_state.max(1);
        if self.tick >= self.sent + every && self.endpoint.is_some() {
            self.sent = self.tick;
            self.send_states(world, kinds);
        }
        if let Some(endpoint) = &mut self.endpoint {
            endpoint.flush();
        }
    }

    fn send_messages(&mut self, world: &mut World, kinds: &mut NetworkKinds) {
        let mut messages = Vec::new();
        for (number, kind) in (MESSAGES..).zip(&mut kinds.to_clients) {
            for (to, written) in kind.messages.take(world, self.host) {
                match written {
                    Ok(message) => messages.push((number, kind.name, kind.delivery, to, message)),
                    Err(problem) => world.resource_mut::<Online>().note(problem),
                }
            }
        }
        let Some(endpoint) = &mut self.endpoint else {
            return;
        };
        let mut unsent = Vec::new();
        for (&peer, known) in &self.players {
            let mut sees = None;
            for (number, name, delivery, to, message) in &messages {
                if !to.contains(known.player) {
                    continue;
                }
                // They were just written.
                let ids = read_ids(&mut WireReader::new(message)).unwrap_or_default();
                let mut bytes = Vec::new();
                put_varint(&mut bytes, *number);
                let awaited = kinds.seen_by(world, known.player, &ids, &mut sees);
                put_varint(&mut bytes, awaited);
                bytes.extend_from_slice(message);
                let sent = endpoint.send(peer, *delivery, bytes);
                unsent.extend(sent.err().map(|error| (*name, error)));
            }
        }
        for (name, error) in unsent {
            note_unsent(world, name, Err(error));
        }
    }

    fn send_states(&mut self, world: &mut World, kinds: &mut NetworkKinds) {
        if let Err(error) = self.replicator.update(world) {
            let message = error.to_string();
            let problem = NetworkProblem::Replication { message };
            world.resource_mut::<Online>().note(problem);
        }
        let Some(endpoint) = &mut self.endpoint else {
            return;
        };
        let online = world.resource::<Online>();
        let time = online.step.as_secs_f64() * kinds.settings.steps_per_state as f64;
        drop(online);
        let in_time = (endpoint.rate() * time) as usize / (STATE_BYTES + AROUND_STATE);
        // A rule may panic: then all are asked again.
        let players = self.players.values_mut();
        let asked = Vec::from_iter(players.map(|known| known.inputs_of_rules.take()));
        let mut changed = Vec::new();
        let owners = world.view::<Owner>();
        let all = owners.with_entity();
        let all = all.iter().map(|(entity, owner)| (entity, owner.0));
        self.owners.update(all, &mut changed);
        drop(owners);
        let mut is_known = !kinds.private.has_functions();
        for rule in &mut kinds.rules {
            is_known &= rule.changed(world, &mut changed);
        }
        let view = world.view::<SpawnKey>();
        let with_keys = view.with_entity().iter().map(|(entity, _)| entity);
        let mut with_keys = by_owner(world, with_keys);
        drop(view);
        for ((&peer, known), asked) in self.players.iter_mut().zip(asked) {
            known.find_keys(world, with_keys.remove(&known.player).unwrap_or_default());
            let mut head = Vec::new();
            put_varint(&mut head, STATE);
            put_varint(&mut head, self.tick);
            put_varint(&mut head, known.newest_input);
            known.write_keys(&mut head);
            let room = endpoint.room(peer);
            let bytes = room.min(STATE_BYTES);
            if bytes < 2 * head.len() + 128 {
                continue;
            }
            let mut inputs = Vec::new();
            for rule in &kinds.rules {
                rule.inputs(world, known.player, &mut inputs);
            }
            let is_same = is_known && asked.as_ref() == Some(&inputs);
            let count = room / (STATE_BYTES + AROUND_STATE);
            let count = count.clamp(1, in_time.max(STATES));
            let made = kinds.packets(
                &mut self.replicator,
                world,
                (known.client, known.player),
                (count, bytes - head.len()),
                is_same.then_some(&changed[..]),
            );
            known.inputs_of_rules = Some(inputs);
            // Each player is a client of the replicator.
            for packet in made.unwrap_or_default() {
                known.note_keys(&packet);
                let state = [&head[..], &packet].concat();
                // Above other unreliable messages: they are of no use without the world. A player who has just left gets none.
                _ = endpoint.send_with_priority(peer, Delivery::Unreliable, 2.0, state);
            }
        }
    }
}

impl ServerPlayer {
    fn read_inputs(
        &mut self,
        world: &mut World,
        kinds: &NetworkKinds,
        replicator: &mut Replicator,
        now: u64,
        mut bytes: WireReader<'_>,
    ) -> Result<(), BadValue> {
        let read =
            |bytes: &mut WireReader<'_>, most: u64| bytes.at_most(most).map_err(|_| BadValue);
        let newest = read(&mut bytes, u64::MAX / 2)?;
        for _ in 0..read(&mut bytes, 64)? {
            let packet = read(&mut bytes, u64::MAX)?;
            // No number does harm, and the client is known.
            _ = replicator.acknowledge(self.client, packet);
            self.keys.retain(|&entity, (_, first)| {
                let arrives = first.is_some_and(|first| first <= packet);
                if arrives {
                    self.known_keys.insert(entity);
                }
                !arrives
            });
        }
        let count = read(&mut bytes, PAST as u64)?;
        self.newest_input = self.newest_input.max(newest.min(now + FUTURE));
        let Some(kind) = &kinds.input else {
            return bytes.finish().map_err(|_| BadValue);
        };
        let first = (newest + 1).checked_sub(count).ok_or(BadValue)?;
        // Inputs that are too far ahead are dropped: they come again.
        let wanted = now + 1..=now + FUTURE;
        while !bytes.is_empty() {
            let id = read(&mut bytes, u64::MAX)?;
            let entity = Entity::from_bits(id).ok_or(BadValue)?;
            let is_own = world
                .get::<Owner>(entity)
                .is_some_and(|owner| owner.0 == self.player);
            if !is_own && world.contains(entity) {
                self.refused += 1;
                let (player, name) = (self.player, kind.name());
                let problem = NetworkProblem::NotOwner { player, name };
                world.resource_mut::<Online>().note(problem);
            }
            // As in `steered`.
            let takes = is_own && !world.has::<SpawnKey>(entity);
            let mut tick = first;
            for _ in 0..read(&mut bytes, count)? {
                let length = read(&mut bytes, count)?;
                let input = bytes.bytes().map_err(|_| BadValue)?;
                if input.len() > INPUT_BYTES {
                    return Err(BadValue);
                }
                let ticks = tick..tick + length;
                tick = ticks.end;
                if !takes {
                    continue;
                }
                let inputs = self.inputs.entry(entity).or_default();
                for tick in ticks.filter(|tick| wanted.contains(tick)) {
                    inputs.entry(tick).or_insert_with(|| input.to_vec());
                }
            }
        }
        bytes.finish().map_err(|_| BadValue)
    }

    /// Finds the new ones among the player's entities with a key.
    fn find_keys(&mut self, world: &World, own: Vec<Entity>) {
        for entity in own {
            if let Some(key) = world.get::<SpawnKey>(entity)
                && !self.known_keys.contains(&entity)
            {
                self.keys.entry(entity).or_insert((key.0, None));
            }
        }
        self.keys.retain(|&entity, _| world.contains(entity));
        self.known_keys.retain(|&entity| world.contains(entity));
    }

    fn write_keys(&self, bytes: &mut Vec<u8>) {
        // The rest comes with the next states.
        let pairs = self.keys.iter().take(16);
        put_varint(bytes, pairs.len() as u64);
        for (entity, (key, _)) in pairs {
            put_varint(bytes, entity.to_bits());
            put_varint(bytes, *key);
        }
    }

    /// Notes the packet that comes with the keys.
    fn note_keys(&mut self, packet: &[u8]) {
        // Its number follows the number of the protocol.
        let number = packet.get(8..16).and_then(|bytes| bytes.try_into().ok());
        let number = number.map_or(0, u64::from_le_bytes);
        for (_, first) in self.keys.values_mut().take(16) {
            first.get_or_insert(number);
        }
    }
}

/// Returns the entities of some players, in ascending order.
pub(crate) fn owned(world: &World, is: impl Fn(PlayerId) -> bool) -> Vec<Entity> {
    let view = world.view::<Owner>();
    let mut owned: Vec<Entity> = view
        .with_entity()
        .iter()
        .filter(|(_, owner)| is(owner.0))
        .map(|(entity, _)| entity)
        .collect();
    owned.sort_unstable();
    owned
}

/// Returns the entities of some players that have inputs, in ascending order.
pub(crate) fn steered(world: &World, is: impl Fn(PlayerId) -> bool) -> Vec<Entity> {
    let mut all = owned(world, is);
    all.retain(|&entity| !world.has::<SpawnKey>(entity));
    all
}

/// Groups entities by their players, in their order.
fn by_owner(
    world: &World,
    entities: impl IntoIterator<Item = Entity>,
) -> BTreeMap<PlayerId, Vec<Entity>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for entity in entities {
        if let Some(owner) = world.get::<Owner>(entity) {
            groups.entry(owner.0).or_default().push(entity);
        }
    }
    groups
}

pub(crate) fn note_unsent(world: &mut World, name: &'static str, sent: Result<(), SendError>) {
    if let Err(error) = sent {
        world
            .resource_mut::<Online>()
            .note(NetworkProblem::Unsent { name, error });
    }
}
