//! States of the server, and how a client learns its lead from them.

use std::collections::VecDeque;

use ecs_engine::schedule::ScheduleError;
use ecs_engine::{Entity, World};

use super::ClientSide;
use crate::codec::BadValue;
use crate::kinds::NetworkKinds;
use crate::online::Online;
use crate::player::{PlayerId, SpawnKey};
use crate::server::{FUTURE, STATE, owned, steered};
use crate::wire::WireReader;

/// The number of steps that inputs should arrive before the server needs them.
const EARLY: i64 = 2;

/// The number of steps that inputs may arrive too early before the client slows down.
const TOO_EARLY: i64 = 3;

/// A state of the server.
struct ServerState<'a> {
    tick: u64,
    newest_input: u64,
    keys: Vec<(Entity, u64)>,
    packet: &'a [u8],
}

impl ClientSide {
    pub(super) fn apply_states(
        &mut self,
        world: &mut World,
        kinds: &mut NetworkKinds,
        states: &[Vec<u8>],
    ) -> Result<Result<(), ScheduleError>, BadValue> {
        let mut read = Vec::with_capacity(states.len());
        for bytes in states {
            read.push(ServerState::read(bytes)?);
        }
        // Packets of a tick have increasing numbers, and came in any order.
        read.sort_by_key(|state| (state.tick, packet_number(state.packet)));
        let Some(me) = self.player else {
            return Ok(Ok(()));
        };
        for kind in &mut kinds.predicted {
            kind.show_received(world);
        }
        for kind in &mut kinds.interpolated {
            kind.show_received(world);
        }
        let mut is_newer = false;
        for state in &read {
            self.adopt(world, state);
            let applied = self.replica.apply(world, state.packet);
            let applied = applied.map_err(|_| BadValue)?;
            self.follow(state);
            if applied.is_old {
                continue;
            }
            is_newer = true;
            self.applied.push_back(self.replica.applied());
            if !applied.spawned.is_empty() || !applied.despawned.is_empty() {
                let entities = self.replica.entities();
                self.on_server = entities.map(|(server, local)| (local, server)).collect();
            }
            self.newest = self.newest.max(state.tick);
            let (mut mine, mut others) = (Vec::new(), Vec::new());
            let is_mine = owned(world, |owner| owner == me);
            for (_, local) in self.replica.entities() {
                match is_mine.binary_search(&local) {
                    Ok(_) => mine.push(local),
                    Err(_) => others.push(local),
                }
            }
            mine.sort_unstable();
            others.sort_unstable();
            for kind in &mut kinds.predicted {
                let mut shown = kinds.interpolated.iter();
                // Interpolated values are noted below.
                let is_shown = shown.any(|shown| shown.component() == kind.component());
                let others = if is_shown { &[] } else { &others[..] };
                kind.note_received(world, &mine, others);
            }
            for kind in &mut kinds.interpolated {
                kind.note_received(world, &others, state.tick);
            }
            let mut online = world.resource_mut::<Online>();
            online.prediction.states += 1;
        }
        self.release(world, kinds, me);
        let is_new = self.tick < self.newest && is_newer;
        if is_new {
            // The first guess, also after a long pause: half the way there, and some reserve; states correct it.
            let step = world.resource::<Online>().step.as_secs_f64();
            let rtt = self.endpoint.stats(self.peer).unwrap_or_default().rtt;
            let steps = (rtt.as_secs_f64() / step).ceil() as u64;
            self.tick = self.newest + (steps + EARLY as u64 + 1).min(FUTURE / 2);
            self.adjusted = self.tick;
            self.server_clock = self.newest as f64;
            self.inputs.values_mut().for_each(VecDeque::clear);
        }
        // A first lead has no past to run again, and without entities there is nothing to predict.
        if is_new || owned(world, |owner| owner == me).is_empty() {
            return Ok(Ok(()));
        }
        Ok(self.replay(world, kinds, me))
    }

    /// Forgets the inputs of entities that now belong to another player, or to none, and takes these from them: no system steers
    /// them here any more.
    fn release(&mut self, world: &mut World, kinds: &NetworkKinds, me: PlayerId) {
        let Some(kind) = &kinds.input else {
            return;
        };
        let is_replicated = kinds.protocol.includes(kind.component());
        let mine = steered(world, |owner| owner == me);
        self.inputs.retain(|&entity, _| {
            let stays = mine.binary_search(&entity).is_ok();
            if !stays && !is_replicated {
                kind.remove(world, entity);
            }
            stays
        });
    }

    /// Follows the clock of the server, and changes the lead if inputs arrive too late or too early.
    fn follow(&mut self, state: &ServerState<'_>) {
        let apart = state.tick as f64 - self.server_clock;
        if apart.abs() > 16.0 {
            self.server_clock = state.tick as f64;
        } else {
            self.server_clock += apart / 16.0;
            self.unrest += (apart.abs() - self.unrest) / 16.0;
        }
        // Only inputs after the last change show its effect.
        if self.tick == 0 || state.newest_input < self.adjusted {
            return;
        }
        let early = state.newest_input as i64 - state.tick as i64;
        let wanted = EARLY + (self.unrest * 2.0) as i64;
        if early < wanted {
            self.extra += (wanted - early).min(8) as u32;
        } else if early > wanted + TOO_EARLY {
            self.leave_out += 1;
        } else {
            return;
        }
        self.adjusted = self.tick + 1;
    }

    /// Makes entities that were spawned ahead the server's.
    fn adopt(&mut self, world: &mut World, state: &ServerState<'_>) {
        for &(server, key) in &state.keys {
            if self.replica.local(server).is_some() {
                continue;
            }
            let mut ahead = self.ahead.keys().copied();
            let found = ahead.find(|&entity| {
                world
                    .get::<SpawnKey>(entity)
                    .is_some_and(|known| known.0 == key)
            });
            if let Some(local) = found
                && self.replica.adopt(server, local)
            {
                self.ahead.remove(&local);
                self.on_server.insert(local, server);
                world.resource_mut::<Online>().prediction.adopted += 1;
            }
        }
    }
}

impl<'a> ServerState<'a> {
    fn read(bytes: &'a [u8]) -> Result<Self, BadValue> {
        let mut input = WireReader::new(bytes);
        let read = |input: &mut WireReader<'_>, most| input.at_most(most).map_err(|_| BadValue);
        read(&mut input, STATE)?;
        let tick = read(&mut input, u64::MAX / 2)?;
        let newest_input = read(&mut input, u64::MAX / 2)?;
        let mut keys = Vec::new();
        for _ in 0..read(&mut input, 16)? {
            let bits = read(&mut input, u64::MAX)?;
            let key = read(&mut input, u64::MAX)?;
            keys.push((Entity::from_bits(bits).ok_or(BadValue)?, key));
        }
        Ok(Self {
            tick,
            newest_input,
            keys,
            packet: input.rest(),
        })
    }
}

/// Returns the number of a packet of the replicator, which follows the number of the protocol.
fn packet_number(packet: &[u8]) -> u64 {
    let number = packet.get(8..16).and_then(|bytes| bytes.try_into().ok());
    number.map_or(0, u64::from_le_bytes)
}
