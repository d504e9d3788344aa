//! The server: the data for clients, and the state of each client.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use ecs_engine::component::ComponentId;
use ecs_engine::{Component, Entity, World};

use super::client::KnownClient;
use super::found::{SeenRows, SeenTargets};
use super::order::SourceOrders;
use super::packet::PacketPart;
use super::update::Update;
use super::{NoSuchClient, Protocol, ReplicateError};
use crate::codec::Encoder;
use crate::moment::WorldMoment;

/// The server's side of replication: collects changes, and makes the packets of each client.
///
/// ```
/// use ecs_core::data::{Protocol, Replica, Replicator};
/// use ecs_core::prelude::*;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, PartialEq, Serialize, Deserialize)]
/// #[component(data = "game.target", track)]
/// struct Target(Option<Entity>);
///
/// let protocol = Protocol::new().with::<Target>();
/// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
/// let prey = world.spawn(Target(None));
/// world.spawn(Target(Some(prey)));
///
/// let client = server.connect();
/// server.update(&world)?;
/// let packet = server.packet(client, |_| true)?; // the transport is yours, and may lose it
///
/// let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
/// copy.spawn(());
/// replica.apply(&mut copy, &packet)?;
/// let local = replica.local(prey).unwrap();
/// assert_ne!(local, prey, "ids are those of each world");
/// assert!(copy.query::<&Target>().iter().any(|target| target.0 == Some(local)));
///
/// server.acknowledge(client, replica.applied())?;
/// server.update(&world)?;
/// assert!(server.packet(client, |_| true)?.len() < 40, "nothing is new");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Loss
/// A packet has every change since the last one that the client has confirmed. So packets may be lost, overtake one another or
/// arrive twice: the next one that arrives has everything. The packets of a client that confirms nothing have the whole state, and
/// never grow beyond that: once more entities are gone than the client sees, they list the ones that it sees instead
/// ([`max_gone`](Self::max_gone)). If a client is gone for good, [`disconnect`](Self::disconnect) it.
///
/// [`packet_within`](Self::packet_within) makes packets of a limited size, by priorities. Each confirmation then only counts for
/// the content of that packet, so send the number of each packet that was applied, and not only the newest one.
///
/// # Ids
/// Ids inside of values become the client's own. An entity that the client does not see becomes a dead id, and the value is sent
/// again when the entity comes into sight. Edges of relations to such entities are left out until then. The sources of a
/// target have the same order as here, without the ones that the client does not see; the client's own sources come before those
/// that were sent or moved last.
///
/// # Cost
/// [`update`](Self::update) looks at the list of entities of each table, and writes values that may have changed: for tracked
/// components (`track`) the ones with new ticks, for others all of them. So if a tracked value is written past its tick, by
/// [`Mut::bypass`](ecs_engine::Mut::bypass) or through interior mutability, it is not sent. A client has a number for each entity
/// that it sees.
pub struct Replicator {
    pub(super) protocol: Protocol,
    pub(super) id: u64,
    /// Counts updates and packets.
    pub(super) clock: u64,
    /// The number of updates.
    pub(super) frame: u64,
    /// The world at the last update.
    last: Option<WorldMoment>,
    pub(super) entities: BTreeMap<Entity, Sent>,
    /// The rows that the last update found, by position in the protocol, and for the component that all entities have.
    found: Vec<SeenRows>,
    /// The targets of relations that the last update found, by position in the protocol.
    targets: Vec<SeenTargets>,
    /// The clock of the last update that changed anything.
    pub(super) newest: u64,
    /// The clock of the last update that added or removed an entity.
    pub(super) listed: u64,
    pub(super) orders: SourceOrders,
    pub(super) clients: HashMap<ClientId, KnownClient>,
    next_client: u64,
    /// The greatest number of despawns that are listed for a client, if it sees fewer entities.
    pub(super) max_gone: usize,
    /// Kept only to reuse its memory.
    encoder: Encoder,
}

/// A client of a [`Replicator`]. Numbers are never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(u64);

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An entity that is sent.
#[derive(Default)]
pub(super) struct Sent {
    /// The clock of the update since which each one has found it.
    pub(super) since: u64,
    /// The clock of the last update that changed a part.
    pub(super) newest: u64,
    /// True if a value has named an entity. It then may have to be sent again without a change.
    pub(super) has_ids: bool,
    /// The entity's content, by position in the protocol.
    pub(super) parts: Vec<Option<SentPart>>,
}

/// A component or relation that the entity has or had.
#[derive(Default)]
pub(super) struct SentPart {
    /// The clock of the update that changed or removed it.
    pub(super) version: u64,
    pub(super) value: Option<PacketPart>,
}

impl Replicator {
    /// Returns a server without clients.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Self {
            id: protocol.id(),
            protocol,
            clock: 0,
            frame: 0,
            last: None,
            entities: BTreeMap::new(),
            found: Vec::new(),
            targets: Vec::new(),
            newest: 0,
            listed: 0,
            orders: SourceOrders::default(),
            clients: HashMap::new(),
            next_client: 0,
            max_gone: 128,
            encoder: Encoder::new(),
        }
    }

    /// Adds a client that knows nothing yet. A client that connects again counts as a new one.
    pub fn connect(&mut self) -> ClientId {
        let id = ClientId(self.next_client);
        self.next_client += 1;
        let client = KnownClient::new(self.protocol.kinds.len());
        self.clients.insert(id, client);
        id
    }

    /// Sets how many despawns are listed for a client, if it sees fewer entities; 128 without this.
    ///
    /// A packet for a client that confirms nothing lists all entities that are gone. If there are more, its packets list the ones
    /// that it sees instead.
    #[must_use]
    pub const fn max_gone(mut self, entities: usize) -> Self {
        self.max_gone = entities;
        self
    }

    /// Forgets a client. Returns false if there is no such client.
    pub fn disconnect(&mut self, client: ClientId) -> bool {
        self.clients.remove(&client).is_some()
    }

    /// Returns the clients, in the order they connected.
    #[must_use]
    pub fn clients(&self) -> Vec<ClientId> {
        let mut clients = Vec::from_iter(self.clients.keys().copied());
        clients.sort_unstable();
        clients
    }

    /// Sends a component to a client in at most every `frames`th update, or never if that is 0. The next packet that has
    /// the component includes everything missed; the client keeps the values that it already has. Entities and relations come
    /// with every packet.
    ///
    /// # Errors
    /// If there is no such client.
    ///
    /// # Panics
    /// If the protocol does not have the component, or it is an end of a relation.
    #[track_caller]
    pub fn set_rate<T: Component>(
        &mut self,
        client: ClientId,
        frames: u64,
    ) -> Result<(), NoSuchClient> {
        let position = self.protocol.position(ComponentId::of::<T>());
        let position = position.filter(|&kind| self.protocol.kinds[kind].edges.is_none());
        let Some(position) = position else {
            panic!(
                "`{}` is not a component of the protocol; help: add it by `Protocol::with`; relations have no rate",
                std::any::type_name::<T>()
            )
        };
        let found = self.clients.get_mut(&client);
        let found = found.ok_or(NoSuchClient { client })?;
        found.rates[position].every = frames;
        Ok(())
    }

    /// Finds all changes since the last update. O(tables, entities in tables with other rows than before, values that are not tracked,
    /// edges with values), with a comparison of ids and ticks for the rest.
    ///
    /// Call it once per frame, before the packets of the frame are made. The world may be a different one than before:
    /// entities of the old one are then gone. A world that has returned to a [snapshot](ecs_engine::snapshot) is compared
    /// as a whole.
    ///
    /// # Errors
    /// If a component is borrowed for writing, or the `Serialize` of a value fails. Some of the changes are known then, and the
    /// next update finds the rest.
    pub fn update(&mut self, world: &World) -> Result<(), ReplicateError> {
        self.frame += 1;
        self.clock += 1;
        let now = WorldMoment::of(world);
        let last = self.last.take();
        if last.is_some_and(|last| !last.is_of_world(now)) {
            self.entities.clear();
            self.orders.clear();
            self.found.clear();
            (self.newest, self.listed) = (self.clock, self.clock);
            // Clients have not seen the entities of this world yet, even if one of the old world had the same id.
            for client in self.clients.values_mut() {
                client.see_anew(self.clock);
            }
        }
        let since = last.and_then(|last| last.tick_until(now));
        let mut update = Update::new(
            world,
            &self.protocol,
            (
                &mut self.entities,
                &mut self.found,
                &mut self.targets,
                &mut self.encoder,
            ),
            (since, self.clock),
        );
        let found = update.run();
        let changes = update.finish(found.is_err());
        if found.is_err() || changes.is_listed {
            self.listed = self.clock;
        }
        if found.is_err() || changes.is_listed || changes.is_new {
            self.newest = self.clock;
        }
        found?;
        let entities = &self.entities;
        let is_sent = |entity| entities.contains_key(&entity);
        let is_listed = since.is_none() || changes.is_listed;
        let (protocol, clock) = (&self.protocol, self.clock);
        let is_moved = self
            .orders
            .update(protocol, world, is_sent, is_listed, clock);
        if is_moved {
            self.newest = self.clock;
        }
        self.last = Some(now);
        Ok(())
    }
}

impl fmt::Debug for Replicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replicator")
            .field("protocol", &self.protocol)
            .field("frame", &self.frame)
            .field("entities", &self.entities.len())
            .field("clients", &self.clients())
            .finish_non_exhaustive()
    }
}
