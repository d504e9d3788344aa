//! The packets of a client.

use ecs_engine::Entity;
use ecs_engine::component::ComponentId;

use super::budget;
use super::client::{KnownClient, PacketContent};
use super::order::SourceOrders;
use super::packet::{EMPTY, Extent, KIND, PacketWriter};
use super::replicator::{ClientId, Replicator, Sent, SentPart};
use super::{NoSuchClient, Protocol, ReplicatedKind};

/// The content to choose from for a packet.
pub(super) struct PacketSource<'a> {
    pub(super) protocol: u64,
    pub(super) kinds: &'a [ReplicatedKind],
    pub(super) orders: &'a SourceOrders,
    /// The entities that the client sees, in ascending order.
    pub(super) seen: &'a [SeenEntity<'a>],
    /// The components that are due.
    pub(super) due: &'a [bool],
    /// The number of the packet.
    pub(super) clock: u64,
    pub(super) frame: u64,
}

/// An entity that a client sees.
pub(super) struct SeenEntity<'a> {
    pub(super) entity: Entity,
    pub(super) sent: &'a Sent,
    pub(super) priority: f32,
    /// The components that the client does not get, as bits by their position in the protocol.
    without: u64,
}

impl<'a> SeenEntity<'a> {
    /// Returns a part of the entity that the client sees.
    pub(super) fn part(&self, position: usize) -> Option<&'a SentPart> {
        if position < 64 && self.without & 1 << position != 0 {
            return None;
        }
        self.sent.parts.get(position).and_then(Option::as_ref)
    }

    /// Returns true if a client that sees the entity since this clock, and has everything up to another one, lacks nothing.
    pub(super) fn is_settled(&self, since: u64, settled: u64) -> bool {
        !self.sent.has_ids && since.max(self.sent.newest) <= settled
    }
}

impl Replicator {
    /// Returns the packet of the last update for a client: everything that it does not know yet about the entities that
    /// it sees.
    ///
    /// If it no longer sees an entity, the entity is despawned there. O(values of all entities that are sent).
    ///
    /// # Errors
    /// If there is no such client.
    pub fn packet(
        &mut self,
        client: ClientId,
        mut sees: impl FnMut(Entity) -> bool,
    ) -> Result<Vec<u8>, NoSuchClient> {
        self.packet_within(client, usize::MAX, |entity| sees(entity).then_some(1.0))
    }

    /// Returns a packet of at most this many bytes: the most important things that the client does not know yet. The rest
    /// comes with the next ones, of this frame or of later ones.
    ///
    /// The function returns the priority of an entity, or `None` if the client does not see it. Priorities add up until the
    /// entity is sent: one of 3 is sent three times as often as one of 1. They count as at least 0.001 and at most 1,000. If an
    /// entity names others that the client does not have, they come before it, unless they leave no room for it. Among the
    /// entities that need no other one first, the one that has waited longest is in this packet or comes first in one of the
    /// next. So while packets arrive and are confirmed, the client gets each entity, even if values of others change all the
    /// time; and it has everything soon after the world stops changing.
    ///
    /// * An entity comes as a whole, and its changes together, if they fit into one packet; otherwise value by value.
    /// * An edge comes when the client has the entity that it leads to, or in the same packet; in a tree, when it has the
    ///   entities above, too.
    /// * Ids inside of values are dead ones until the client has the entities; then the value is sent again.
    /// * Despawns take up to half of a packet, and orders of sources up to a quarter. A long order is sent in pieces, each
    ///   when the one before is confirmed.
    /// * A value that is larger than a packet is sent alone, in a packet above the limit: check the length. If the budget is
    ///   below some 64 bytes, the smallest part of a packet may be above it, too. Such a packet is sent again, in turn with
    ///   others, until it is confirmed.
    ///
    /// ```
    /// use ecs_core::data::{Protocol, Replica, Replicator};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.place", track)]
    /// struct Place(f32, f32);
    ///
    /// let protocol = Protocol::new().with::<Place>();
    /// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
    /// let hero = world.spawn(Place(0.0, 0.0));
    /// world.spawn_batch((0..500).map(|n| Place(n as f32, 0.0)));
    /// let client = server.connect();
    ///
    /// let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    /// let mut packets = 0;
    /// while replica.entities().count() < 501 {
    ///     server.update(&world)?;
    ///     let priority = |entity| Some(if entity == hero { 10.0 } else { 1.0 });
    ///     let packet = server.packet_within(client, 1_200, priority)?;
    ///     assert!(packet.len() <= 1_200);
    ///     replica.apply(&mut copy, &packet)?;
    ///     assert!(replica.local(hero).is_some());
    ///     server.acknowledge(client, replica.applied())?;
    ///     packets += 1;
    /// }
    /// assert!(packets < 25);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// O(values of all entities that are sent), like [`packet`](Self::packet). While not everything fits, a client has a number
    /// for each component of each entity.
    ///
    /// # Errors
    /// If there is no such client.
    pub fn packet_within(
        &mut self,
        client: ClientId,
        bytes: usize,
        priority: impl FnMut(Entity) -> Option<f32>,
    ) -> Result<Vec<u8>, NoSuchClient> {
        self.packet_without(client, bytes, priority, |_| &[])
    }

    /// Like [`packet_within`](Self::packet_within), without some components of some entities: the client does not see them there. If
    /// it has seen them before, they are removed there, and if it sees them later, it gets their values.
    ///
    /// ```
    /// use ecs_core::component::ComponentId;
    /// use ecs_core::data::{Protocol, Replica, Replicator};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.place", track)]
    /// struct Place(f32);
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.cards", track)]
    /// struct Cards(Vec<u8>);
    ///
    /// let protocol = Protocol::new().with::<Place>().with::<Cards>();
    /// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
    /// let own = world.spawn((Place(0.0), Cards(vec![1, 2])));
    /// let other = world.spawn((Place(1.0), Cards(vec![3])));
    /// let client = server.connect();
    /// server.update(&world)?;
    /// let cards = [ComponentId::of::<Cards>()];
    /// let without = |entity| if entity == own { &[][..] } else { &cards };
    /// let packet = server.packet_without(client, 1_200, |_| Some(1.0), without)?;
    ///
    /// let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    /// replica.apply(&mut copy, &packet)?;
    /// let has = |entity| copy.has::<Cards>(replica.local(entity).unwrap());
    /// assert!(has(own) && !has(other));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such client.
    ///
    /// # Panics
    /// If a component is none of the first 64 of the protocol, or is an end of a relation.
    pub fn packet_without<'c>(
        &mut self,
        client: ClientId,
        bytes: usize,
        priority: impl FnMut(Entity) -> Option<f32>,
        without: impl FnMut(Entity) -> &'c [ComponentId],
    ) -> Result<Vec<u8>, NoSuchClient> {
        let packets = self.packets_without(client, bytes, 1, priority, without)?;
        let first = packets.into_iter().next();
        Ok(first.expect("there is always one packet"))
    }

    /// Returns packets of at most this many bytes each, which together have everything that the client does not know yet, if at most
    /// `most` of them have room for it; otherwise the most important things. There is at least one packet.
    ///
    /// It is the quick way to send several packets in a frame: [`packet_within`](Self::packet_within), called again, begins
    /// with what the packet before already has, because that one may get lost. Confirm each packet.
    ///
    /// ```
    /// use ecs_core::data::{Protocol, Replica, Replicator};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.place", track)]
    /// struct Place(f32, f32);
    ///
    /// let protocol = Protocol::new().with::<Place>();
    /// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
    /// world.spawn_batch((0..500).map(|n| Place(n as f32, 0.0)));
    /// let client = server.connect();
    /// server.update(&world)?;
    /// let packets = server.packets_within(client, 1_200, 16, |_| Some(1.0))?;
    /// assert!(packets.len() == 4 && packets.iter().all(|packet| packet.len() <= 1_200));
    ///
    /// let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    /// for packet in packets {
    ///     replica.apply(&mut copy, &packet)?;
    ///     server.acknowledge(client, replica.applied())?;
    /// }
    /// assert_eq!(replica.entities().count(), 500);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such client.
    pub fn packets_within(
        &mut self,
        client: ClientId,
        bytes: usize,
        most: usize,
        priority: impl FnMut(Entity) -> Option<f32>,
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        self.packets_without(client, bytes, most, priority, |_| &[])
    }

    /// Like [`packets_within`](Self::packets_within), without some components of some entities, as in
    /// [`packet_without`](Self::packet_without).
    ///
    /// # Errors
    /// If there is no such client.
    ///
    /// # Panics
    /// As [`packet_without`](Self::packet_without).
    pub fn packets_without<'c>(
        &mut self,
        client: ClientId,
        bytes: usize,
        most: usize,
        mut priority: impl FnMut(Entity) -> Option<f32>,
        mut without: impl FnMut(Entity) -> &'c [ComponentId],
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        self.packets_about(client, (bytes, most), None, &mut priority, &mut without)
    }

    /// Like [`packets_without`](Self::packets_without), but only asks the functions about entities that are new since the client's last
    /// packet, and about those that `changed` lists. For all others the answers are the same as for that packet.
    ///
    /// If nothing has changed, and the client has confirmed everything, it costs the same for any number of entities.
    ///
    /// ```
    /// use ecs_core::data::{Protocol, Replica, Replicator};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
    /// #[component(data = "game.place", track)]
    /// struct Place(f32, f32);
    ///
    /// let protocol = Protocol::new().with::<Place>();
    /// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
    /// let entities = world.spawn_batch((0..100).map(|n| Place(n as f32, 0.0))).to_vec();
    /// let client = server.connect();
    /// let mut asked = Vec::new();
    /// let mut send = |world: &World, changed: &[Entity]| {
    ///     asked.clear();
    ///     server.update(world)?;
    ///     let priority = |entity| {
    ///         asked.push(entity);
    ///         Some(1.0)
    ///     };
    ///     server.packets_again(client, 1_200, 16, changed, priority, |_| &[])?;
    ///     Ok::<_, Box<dyn std::error::Error>>(asked.clone())
    /// };
    /// assert_eq!(send(&world, &[])?, entities);
    /// let new = world.spawn(Place(0.0, 1.0));
    /// assert_eq!(send(&world, &[])?, [new]);
    /// assert_eq!(send(&world, &[entities[7]])?, [entities[7]]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such client.
    ///
    /// # Panics
    /// As [`packet_without`](Self::packet_without).
    pub fn packets_again<'c>(
        &mut self,
        client: ClientId,
        bytes: usize,
        most: usize,
        changed: &[Entity],
        mut priority: impl FnMut(Entity) -> Option<f32>,
        mut without: impl FnMut(Entity) -> &'c [ComponentId],
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        let mut changed = changed.to_vec();
        changed.sort_unstable();
        let changed = Some(&changed[..]);
        self.packets_about(client, (bytes, most), changed, &mut priority, &mut without)
    }

    /// Asks about all entities, or about some, in ascending order, beside those that are new.
    fn packets_about<'c>(
        &mut self,
        id: ClientId,
        (bytes, most): (usize, usize),
        changed: Option<&[Entity]>,
        priority: &mut impl FnMut(Entity) -> Option<f32>,
        without: &mut impl FnMut(Entity) -> &'c [ComponentId],
    ) -> Result<Vec<Vec<u8>>, NoSuchClient> {
        let client = self.clients.get_mut(&id);
        let client = client.ok_or(NoSuchClient { client: id })?;
        let kinds = &self.protocol.kinds;
        let due = client.due(|kind| kinds[kind].edges.is_some(), self.frame);
        let is_same = changed.is_some_and(<[_]>::is_empty)
            && self.listed <= client.asked
            && bytes >= EMPTY + kinds.len() * KIND;
        let mut seen = Vec::new();
        let has_all = if is_same && client.has_all(self.newest, &due) {
            self.clock += 1;
            true
        } else {
            seen.reserve(self.entities.len());
            // Before anything is changed, because the functions may panic.
            let mut shown = client.shown.iter().peekable();
            for (&entity, sent) in &self.entities {
                while shown.next_if(|shown| shown.entity < entity).is_some() {}
                let shown = shown.next_if(|shown| shown.entity == entity);
                let is_asked = changed.is_none_or(|changed| {
                    sent.since > client.asked || changed.binary_search(&entity).is_ok()
                });
                let answer = if is_asked {
                    priority(entity)
                        .map(|priority| (priority, bits_of(&self.protocol, without(entity))))
                } else {
                    shown.map(|shown| (shown.priority, shown.without))
                };
                if let Some((priority, without)) = answer {
                    seen.push(SeenEntity {
                        entity,
                        sent,
                        priority,
                        without,
                    });
                }
            }
            self.clock += 1;
            let entities = seen
                .iter()
                .map(|seen| (seen.entity, seen.without, seen.sent.since));
            client.see(entities, self.clock, self.max_gone);
            for (seen, shown) in seen.iter().zip(&mut client.shown) {
                shown.priority = seen.priority;
            }
            client.has_all(self.newest, &due)
        };
        client.asked = self.clock;
        let mut source = PacketSource {
            protocol: self.id,
            kinds,
            orders: &self.orders,
            seen: &seen,
            due: &due,
            clock: self.clock,
            frame: self.frame,
        };
        if let Some(packet) = source.all(client, bytes, has_all) {
            return Ok(vec![packet]);
        }
        client.is_served = false;
        let packets = budget::packets(&mut source, client, bytes, most);
        self.clock = source.clock;
        Ok(packets)
    }

    /// Notes that a client has applied a packet, whose number it has from [`Replica::applied`](super::Replica::applied). Returns
    /// false if it has confirmed that one before, if no such packet was made for it, or if one of the last 1,024 that made it
    /// superfluous has been confirmed. No number that a client sends does harm.
    ///
    /// # Errors
    /// If there is no such client.
    pub fn acknowledge(&mut self, client: ClientId, packet: u64) -> Result<bool, NoSuchClient> {
        let found = self.clients.get_mut(&client);
        let found = found.ok_or(NoSuchClient { client })?;
        Ok(found.acknowledge(packet))
    }
}

/// Returns components as bits by their position in the protocol.
#[inline]
fn bits_of(protocol: &Protocol, components: &[ComponentId]) -> u64 {
    let mut bits = 0;
    for &component in components {
        let position = protocol.position(component);
        let position = position.filter(|&at| at < 64 && protocol.kinds[at].edges.is_none());
        let Some(position) = position else {
            panic!(
                "`{}` cannot be left out; help: add it as one of the first 64 components of the protocol; relations come with every entity",
                component.name()
            )
        };
        bits |= 1 << position;
    }
    bits
}

impl PacketSource<'_> {
    /// Returns a packet with everything that a client does not know, which may be known to be nothing, unless it has more bytes.
    fn all(&self, client: &mut KnownClient, bytes: usize, has_all: bool) -> Option<Vec<u8>> {
        let mut gone = Vec::from_iter(client.hidden.keys().copied());
        gone.sort_unstable();
        let census = client.census_of_all();
        let mut writer =
            PacketWriter::new(self.protocol, self.clock, &gone, census.as_ref(), self.due);
        let (mut edges, mut parts) = (Vec::new(), Vec::new());
        let settled = client.settled(self.due);
        let seen = if has_all { &[] } else { self.seen };
        for (seen, shown) in seen.iter().zip(&client.shown) {
            if seen.is_settled(shown.since, settled) {
                continue;
            }
            if writer.len() > bytes {
                return None;
            }
            let is_whole = !client.has(shown);
            parts.clear();
            for position in (0..self.kinds.len()).filter(|&position| self.due[position]) {
                let part = seen.part(position);
                let value = part.and_then(|part| part.value.as_ref());
                // The client may have a value from before it saw the entity, which the whole entity did not mention.
                if is_whole && value.is_none() || !is_whole && !client.lacks(shown, position, part)
                {
                    continue;
                }
                parts.push((position, value));
                if self.kinds[position].edges.is_some() {
                    edges.push((position, seen.entity));
                }
            }
            if is_whole {
                writer.entity(seen.entity, Extent::Whole, &parts);
            } else if !parts.is_empty() {
                writer.entity(seen.entity, Extent::Changes, &parts);
            }
        }
        edges.sort_unstable();
        let is_disturbed = |key: &(usize, Entity)| client.orders.contains_key(key);
        let since = |entity| client.shown(entity).map(|shown| shown.since);
        let tails = match has_all {
            true => Vec::new(),
            false => self
                .orders
                .tails(since, client.confirmed, &edges, is_disturbed),
        };
        let packet = writer.finish(&tails);
        if packet.len() > bytes {
            return None;
        }
        if !client.is_served {
            for shown in &mut client.shown {
                (shown.is_sent, shown.waited) = (true, 0.0);
            }
            client.is_served = true;
        }
        for (rate, _) in client.rates.iter_mut().zip(self.due).filter(|at| *at.1) {
            rate.sent = self.frame;
        }
        client.owes_entity = false;
        let has = self.due.to_vec();
        client.sent(self.clock, PacketContent::All { has });
        Some(packet)
    }
}
