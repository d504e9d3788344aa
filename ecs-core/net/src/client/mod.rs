//! A client: receives states, predicts its player's entities, interpolates the others, and sends inputs. `server.rs` has the form of
//! the messages.
//!
//! # The tick of a client
//! A client runs ahead of the server, so that its inputs arrive just before the server needs them. Each state says which inputs the
//! server has; from that the client knows how early they arrive, runs an additional step if that is too late, and leaves one out if
//! it is too early.

mod held;
mod states;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use ecs_data::Replica;
use ecs_engine::entity::dead::dead_like;
use ecs_engine::schedule::ScheduleError;
use ecs_engine::{Entity, World};
use held::AwaitingMessage;

use crate::codec::{BadValue, NetworkProblem};
use crate::endpoint::Endpoint;
use crate::kinds::NetworkKinds;
use crate::messages::{Written, numbered};
use crate::online::{ClientStatus, Online, OnlineRequest};
use crate::peer::{Delivery, DisconnectReason, PeerEvent, PeerId};
use crate::player::{PlayerId, SpawnKey};
use crate::server::{FUTURE, INPUT_BYTES, MESSAGES, STATE, WELCOME, note_unsent, owned, steered};
use crate::shown::PAST;
use crate::step::{StepClock, run_step};
use crate::wire::{DatagramError, WireReader, put_bytes, put_varint};

/// The number of the last inputs that each message repeats, because messages get lost.
const REPEATED: u64 = 12;

/// The number of bytes of such a message, so that it fits into one datagram. One with a single large input may be longer.
const MESSAGE_BYTES: usize = 1_000;

/// The time after which an entity that was spawned ahead is despawned, if the server has not spawned it.
const WAIT_FOR_SERVER: u64 = 64;

/// The side of a client.
pub(crate) struct ClientSide {
    endpoint: Endpoint,
    peer: PeerId,
    replica: Replica,
    /// The entities of the server, by those here.
    on_server: HashMap<Entity, Entity>,
    player: Option<PlayerId>,
    /// The last step that ran; 0 before the first state.
    tick: u64,
    clock: StepClock,
    /// The tick of the newest state.
    newest: u64,
    /// The tick of the server now, and its distance from the states that arrive.
    server_clock: f64,
    unrest: f64,
    /// The tick at which the client last changed its lead.
    adjusted: u64,
    /// Steps to leave out.
    leave_out: u32,
    extra: u32,
    inputs: BTreeMap<Entity, VecDeque<(u64, Vec<u8>)>>,
    /// The packets that were applied and not confirmed yet.
    applied: VecDeque<u64>,
    has_run: bool,
    /// Entities that were spawned ahead, with the first step that they existed in.
    ahead: BTreeMap<Entity, u64>,
    /// Messages that wait for the entities that they name.
    held: VecDeque<AwaitingMessage>,
    /// Messages of this frame, with the numbers of their types.
    outgoing: Vec<(usize, Written)>,
}

impl ClientSide {
    pub(crate) fn new(mut endpoint: Endpoint, server: SocketAddr, kinds: &NetworkKinds) -> Self {
        let peer = endpoint.connect(server);
        Self {
            endpoint,
            peer,
            replica: Replica::new(kinds.protocol.clone()),
            on_server: HashMap::new(),
            player: None,
            tick: 0,
            clock: StepClock::default(),
            newest: 0,
            server_clock: 0.0,
            unrest: 0.0,
            adjusted: 0,
            leave_out: 0,
            extra: 0,
            inputs: BTreeMap::new(),
            applied: VecDeque::new(),
            has_run: false,
            ahead: BTreeMap::new(),
            held: VecDeque::new(),
            outgoing: Vec::new(),
        }
    }

    /// The beginning of a frame: receives, corrects the prediction, and runs the steps that are due.
    pub(crate) fn begin(
        &mut self,
        world: &mut World,
        kinds: &mut NetworkKinds,
        elapsed: Duration,
    ) -> Result<(), ScheduleError> {
        let step = world.resource::<Online>().step;
        self.endpoint.update(elapsed);
        let mut states = Vec::new();
        while let Some(event) = self.endpoint.next_event() {
            match event {
                PeerEvent::Connected { peer } if peer == self.peer => {}
                PeerEvent::Disconnected { peer, reason } if peer == self.peer => {
                    self.ended(world, reason);
                }
                PeerEvent::Message { peer, bytes, .. } if peer == self.peer => {
                    let read = self.read(world, kinds, bytes, &mut states);
                    read.unwrap_or_else(|BadValue| self.refuse(world));
                }
                _ => {}
            }
        }
        self.server_clock += elapsed.as_secs_f64() / step.as_secs_f64();
        let mut result = Ok(());
        if !states.is_empty() {
            match self.apply_states(world, kinds, &states) {
                Ok(ran) => result = ran,
                Err(BadValue) => self.refuse(world),
            }
        }
        if self.deliver(world, kinds, elapsed).is_err() {
            self.refuse(world);
        }
        let mut due = self.clock.due(elapsed, step);
        if self.tick > 0 && self.player.is_some() {
            let left_out = due.min(self.leave_out);
            (due, self.leave_out) = (due - left_out, self.leave_out - left_out);
            for _ in 0..due + std::mem::take(&mut self.extra) {
                // Too far from the last state: without an answer there is nothing to be ahead of.
                if self.tick >= self.newest + FUTURE.min(PAST as u64) {
                    break;
                }
                self.tick += 1;
                result = result.and(self.step(world, kinds));
            }
        }
        let delay = kinds.settings.interpolation(self.unrest);
        for kind in &mut kinds.interpolated {
            kind.show(world, self.server_clock - delay);
        }
        let ahead = self.tick.saturating_sub(self.newest);
        let stats = self.endpoint.stats(self.peer);
        let mut online = world.resource_mut::<Online>();
        online.tick = self.tick;
        online.prediction.ahead = ahead;
        if let Some(stats) = stats {
            online.stats = stats;
        }
        result
    }

    /// Ends the connection to a server that has sent damaged messages.
    fn refuse(&mut self, world: &mut World) {
        self.endpoint
            .disconnect(self.peer, "your program has sent a damaged message");
        let reason = DisconnectReason::Malformed(DatagramError::BadNumber);
        self.ended(world, reason);
    }

    fn ended(&mut self, world: &mut World, reason: DisconnectReason) {
        world.resource_mut::<Online>().status = ClientStatus::Ended(reason);
    }

    /// Reads a message of the server; states are collected.
    fn read(
        &mut self,
        world: &mut World,
        kinds: &NetworkKinds,
        bytes: Vec<u8>,
        states: &mut Vec<Vec<u8>>,
    ) -> Result<(), BadValue> {
        let mut input = WireReader::new(&bytes);
        match input.varint().map_err(|_| BadValue)? {
            STATE => states.push(bytes),
            WELCOME => {
                let player = input.at_most(u32::MAX.into()).map_err(|_| BadValue)?;
                input.finish().map_err(|_| BadValue)?;
                self.player = Some(PlayerId(player as u32));
                let mut online = world.resource_mut::<Online>();
                online.player = self.player;
                online.status = ClientStatus::Connected;
            }
            kind => {
                let number = (kind - MESSAGES) as usize;
                let kind = kinds.to_clients.get(number).ok_or(BadValue)?;
                let awaits = input.varint().map_err(|_| BadValue)?;
                let message = AwaitingMessage::new(number, kind.delivery, awaits, input.rest());
                self.held.push_back(message?);
            }
        }
        Ok(())
    }

    /// Runs the steps after the newest state again.
    fn replay(
        &mut self,
        world: &mut World,
        kinds: &mut NetworkKinds,
        me: PlayerId,
    ) -> Result<(), ScheduleError> {
        self.withdraw(world);
        let first = self.newest + 1;
        for kind in &mut kinds.predicted {
            kind.retain(world);
            for &entity in self.ahead.keys() {
                kind.rewind(world, entity, self.newest);
            }
        }
        if let Some(kind) = &mut kinds.input {
            kind.keep(world, &steered(world, |owner| owner == me));
        }
        for memory in &mut kinds.memories {
            // Before the client's first step.
            if memory.oldest().is_none() {
                memory.note_step(world, self.tick);
            }
        }
        let mut result = Ok(());
        for tick in first..=self.tick {
            for memory in &mut kinds.memories {
                // A step from before the client's first one leaves no trace.
                if tick == first || memory.oldest().is_some_and(|oldest| tick <= oldest + 1) {
                    memory.rewind(world, tick - 1);
                }
            }
            self.set_inputs(world, kinds, tick);
            result = result.and(run_step(world, tick, true));
            for (&entity, &born) in &self.ahead {
                if born >= tick {
                    // It did not exist yet.
                    for kind in &mut kinds.predicted {
                        kind.rewind(world, entity, born);
                    }
                }
            }
            self.note_step(world, kinds, tick);
        }
        if let Some(kind) = &mut kinds.input {
            kind.put_back(world);
        }
        let mut online = world.resource_mut::<Online>();
        online.prediction.replayed += self.tick.saturating_sub(self.newest);
        drop(online);
        if kinds.predicted.iter().any(|kind| kind.has_changed(world)) {
            world.resource_mut::<Online>().prediction.corrections += 1;
        }
        result
    }

    /// Despawns entities that were spawned ahead and that the server did not spawn.
    fn withdraw(&mut self, world: &mut World) {
        let newest = self.newest;
        let mut gone = 0;
        self.ahead.retain(|&entity, &mut born| {
            let stays = newest < born + WAIT_FOR_SERVER;
            if !stays && world.despawn(entity).is_ok() {
                gone += 1;
            }
            stays && world.contains(entity)
        });
        world.resource_mut::<Online>().prediction.withdrawn += gone;
    }

    /// Gives the player's entities the inputs of a step that ran before.
    fn set_inputs(&self, world: &mut World, kinds: &NetworkKinds, tick: u64) {
        let Some(kind) = &kinds.input else {
            return;
        };
        let local = |id| self.replica.local(id);
        for (&entity, inputs) in &self.inputs {
            let past = inputs.iter().rev().find(|(at, _)| *at <= tick);
            if let Some((_, bytes)) = past
                && world.contains(entity)
            {
                // It was written here.
                _ = kind.set(world, entity, bytes, &local);
            }
        }
    }

    /// Runs a step with the present inputs.
    fn step(&mut self, world: &mut World, kinds: &mut NetworkKinds) -> Result<(), ScheduleError> {
        let Some(me) = self.player else {
            return Ok(());
        };
        self.has_run = true;
        if let Some(kind) = &kinds.input {
            for entity in steered(world, |owner| owner == me) {
                if !self.on_server.contains_key(&entity) {
                    continue;
                }
                kind.ensure(world, entity);
                match kind.read(world, entity, &|id| self.server_id(world, id)) {
                    Ok(bytes) if bytes.len() > INPUT_BYTES => {
                        let problem = NetworkProblem::Unwritable {
                            name: kind.name(),
                            message: format!("an input has at most {INPUT_BYTES} bytes"),
                        };
                        world.resource_mut::<Online>().note(problem);
                    }
                    Ok(bytes) => {
                        let inputs = self.inputs.entry(entity).or_default();
                        inputs.push_back((self.tick, bytes));
                        if inputs.len() > PAST {
                            inputs.pop_front();
                        }
                    }
                    Err(problem) => world.resource_mut::<Online>().note(problem),
                }
            }
            self.inputs.retain(|&entity, _| world.contains(entity));
        }
        for memory in &mut kinds.memories {
            if memory.oldest().is_none() {
                memory.note_step(world, self.tick - 1);
            }
        }
        let result = run_step(world, self.tick, false);
        for entity in owned(world, |owner| owner == me) {
            if !self.on_server.contains_key(&entity) && world.has::<SpawnKey>(entity) {
                self.ahead.entry(entity).or_insert(self.tick);
            }
        }
        self.note_step(world, kinds, self.tick);
        result
    }

    fn note_step(&self, world: &mut World, kinds: &mut NetworkKinds, tick: u64) {
        for memory in &mut kinds.memories {
            memory.note_step(world, tick);
        }
        for kind in &mut kinds.predicted {
            for &entity in self.ahead.keys() {
                kind.note_step(world, entity, tick);
            }
        }
    }

    /// The end of a frame: sends inputs and messages.
    pub(crate) fn end_frame(&mut self, world: &mut World, kinds: &mut NetworkKinds) {
        let requests = std::mem::take(&mut world.resource_mut::<Online>().requests);
        for request in requests {
            match request {
                OnlineRequest::Connect(server) => self.connect(world, kinds, server),
                OnlineRequest::Leave(text) => {
                    self.endpoint.disconnect(self.peer, &text);
                    self.ended(world, DisconnectReason::ByPeer(String::new()));
                }
                OnlineRequest::Kick(..) => {}
            }
        }
        for number in 0..kinds.to_server.len() {
            self.take_messages(world, kinds, number);
        }
        for (number, written) in std::mem::take(&mut self.outgoing) {
            let kind = &kinds.to_server[number];
            match written {
                Ok(message) => {
                    let bytes = numbered(MESSAGES + number as u64, &message);
                    let sent = self.endpoint.send(self.peer, kind.delivery, bytes);
                    note_unsent(world, kind.name, sent);
                }
                Err(problem) => world.resource_mut::<Online>().note(problem),
            }
        }
        // Messages to clients are the server's business.
        for kind in &mut kinds.to_clients {
            drop(kind.messages.take(world, None));
        }
        if std::mem::take(&mut self.has_run) || !self.applied.is_empty() {
            self.send_inputs();
        }
        self.endpoint.flush();
    }

    /// Returns the id at the server of an entity here. One that is gone is a dead id there, too.
    fn server_id(&self, world: &World, id: Entity) -> Option<Entity> {
        let known = self.on_server.get(&id).copied();
        known.or_else(|| (!world.contains(id)).then(|| dead_like(id)))
    }

    /// Takes the messages to the server of a type.
    fn take_messages(&mut self, world: &World, kinds: &mut NetworkKinds, number: usize) {
        let server_id = |id| self.server_id(world, id);
        let written = kinds.to_server[number].messages.take(world, &server_id);
        self.outgoing
            .extend(written.into_iter().map(|written| (number, written)));
    }

    fn connect(&mut self, world: &mut World, kinds: &mut NetworkKinds, server: SocketAddr) {
        self.endpoint.disconnect(self.peer, "");
        self.replica.clear(world);
        for &entity in self.ahead.keys() {
            _ = world.despawn(entity);
        }
        self.replica = Replica::new(kinds.protocol.clone());
        self.on_server.clear();
        self.inputs.clear();
        self.applied.clear();
        self.ahead.clear();
        self.held.clear();
        (self.player, self.tick, self.newest) = (None, 0, 0);
        (self.adjusted, self.leave_out, self.extra) = (0, 0, 0);
        for kind in &mut kinds.predicted {
            kind.clear();
        }
        for kind in &mut kinds.interpolated {
            kind.clear();
        }
        for memory in &mut kinds.memories {
            memory.clear();
        }
        self.peer = self.endpoint.connect(server);
        let mut online = world.resource_mut::<Online>();
        online.player = None;
        online.status = ClientStatus::Connecting;
    }

    fn send_inputs(&mut self) {
        let all = self.tick.min(REPEATED);
        let mut parts = Vec::new();
        for (entity, inputs) in &self.inputs {
            let Some(&server) = self.on_server.get(entity) else {
                continue;
            };
            let mut count = all;
            let mut part = self.input_part(server, inputs, count);
            // Large inputs are repeated less often.
            while part.len() > MESSAGE_BYTES && count > 1 {
                count -= 1;
                part = self.input_part(server, inputs, count);
            }
            if !part.is_empty() {
                parts.push((count, part));
            }
        }
        // If the rate does not allow all messages, the last ones are dropped: of other entities each time.
        let first = self.tick as usize % parts.len().max(1);
        parts.rotate_left(first);
        let mut messages: Vec<(u64, Vec<u8>)> = Vec::new();
        for (count, part) in parts {
            match messages.last_mut() {
                Some((of, inputs))
                    if *of == count && inputs.len() + part.len() <= MESSAGE_BYTES =>
                {
                    inputs.extend(part);
                }
                _ => messages.push((count, part)),
            }
        }
        if messages.is_empty() {
            // Confirmations come without inputs, too.
            messages.push((all, Vec::new()));
        }
        for (count, inputs) in messages {
            let message = [self.input_head(count), inputs].concat();
            // None is too long, and after the end of the connection it is of no use.
            _ = self
                .endpoint
                .send_with_priority(self.peer, Delivery::Unreliable, 2.0, message);
        }
    }

    /// Returns the beginning of a message with inputs of so many steps. The first one confirms packets.
    fn input_head(&mut self, count: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        put_varint(&mut bytes, 0);
        put_varint(&mut bytes, self.tick);
        let confirmed = self.applied.len().min(64);
        put_varint(&mut bytes, confirmed as u64);
        for packet in self.applied.drain(..).rev().take(64) {
            put_varint(&mut bytes, packet);
        }
        put_varint(&mut bytes, count);
        bytes
    }

    /// Returns an entity's inputs of the last steps; nothing if there are none.
    fn input_part(&self, server: Entity, inputs: &VecDeque<(u64, Vec<u8>)>, count: u64) -> Vec<u8> {
        let first = self.tick + 1 - count;
        let mut runs: Vec<(u64, &[u8])> = Vec::new();
        let mut next = first;
        for (tick, input) in inputs.iter().filter(|(tick, _)| *tick >= first) {
            // Without an input, an entity that is new does nothing else before.
            let length = tick + 1 - next;
            match runs.last_mut() {
                Some(run) if run.1 == &input[..] => run.0 += length,
                _ => runs.push((length, input)),
            }
            next = tick + 1;
        }
        let mut bytes = Vec::new();
        if runs.is_empty() {
            return bytes;
        }
        put_varint(&mut bytes, server.to_bits());
        put_varint(&mut bytes, runs.len() as u64);
        for (length, input) in runs {
            put_varint(&mut bytes, length);
            put_bytes(&mut bytes, input);
        }
        bytes
    }
}
