//! The client: packets are applied to a world.

use std::collections::{HashMap, HashSet};
use std::fmt;

use ecs_engine::entity::dead::dead_like;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::relation::RelateError;
use ecs_engine::staging::{
    EdgeTarget, ErasedColumn, RelationInfo, StageError, StagedEdge, StagedEdges,
};
use ecs_engine::{Entity, World};

use super::packet::{self, Extent, Packet, ReadEntity, ReadPart};
use super::{Protocol, ReplicaError, ReplicatedKind};
use crate::codec::Form;
use crate::column::{self, Moving};
use crate::edit::{Edit, EditedEdges};
use crate::file::FileError;
use crate::saved::ValueReader;

/// The client's side of replication: applies the packets of a [`Replicator`](super::Replicator) to a world.
///
/// The world may have other entities, and its systems may change received values, until these are sent again. An entity that they
/// despawn stays away until it goes out of sight and comes back. Additions, changes and removals of a packet call hooks and
/// observers. The bytes may come from a stranger: no input makes it panic, or allocate out of proportion to its length.
pub struct Replica {
    protocol: Protocol,
    id: u64,
    /// The entities here, by the server's.
    entities: HashMap<Entity, Entity>,
    applied: u64,
    max_entities: usize,
}

/// The result of a packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applied {
    /// True if the packet was older than the last one applied, or the same: nothing was done.
    pub is_old: bool,
    /// The entities that are new here.
    pub spawned: Vec<Entity>,
    /// The entities that were despawned here.
    pub despawned: Vec<Entity>,
}

impl Replica {
    /// Returns a client that knows nothing yet.
    #[must_use]
    pub fn new(protocol: Protocol) -> Self {
        Self {
            id: protocol.id(),
            protocol,
            entities: HashMap::new(),
            applied: 0,
            max_entities: 1 << 20,
        }
    }

    /// Refuses packets that would lead to more entities; 2^20 without this.
    #[must_use]
    pub const fn max_entities(mut self, limit: usize) -> Self {
        self.max_entities = limit;
        self
    }

    /// Returns the number of the newest packet that was applied, for
    /// [`Replicator::acknowledge`](super::Replicator::acknowledge); 0 before the first one.
    #[must_use]
    pub const fn applied(&self) -> u64 {
        self.applied
    }

    /// Returns the entity here of one of the server. O(1).
    #[must_use]
    pub fn local(&self, server: Entity) -> Option<Entity> {
        self.entities.get(&server).copied()
    }

    /// Makes an entity here the counterpart of one of the server that has none yet: for an entity that a client has made ahead.
    /// Packets then change it instead of spawning another one. Returns false if the entity of the server has a counterpart, or the one
    /// here is one.
    ///
    /// ```
    /// use ecs_core::data::{Protocol, Replica, Replicator};
    /// use ecs_core::prelude::*;
    /// use serde::{Deserialize, Serialize};
    ///
    /// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
    /// #[component(data = "game.place", track)]
    /// struct Place(f32);
    ///
    /// let protocol = Protocol::new().with::<Place>();
    /// let (mut world, mut server) = (World::new(), Replicator::new(protocol.clone()));
    /// let shot = world.spawn(Place(2.0));
    /// let client = server.connect();
    /// server.update(&world)?;
    ///
    /// let (mut copy, mut replica) = (World::new(), Replica::new(protocol));
    /// let ahead = copy.spawn(Place(1.0));
    /// assert!(replica.adopt(shot, ahead));
    /// replica.apply(&mut copy, &server.packet(client, |_| true)?)?;
    /// assert_eq!((copy.get::<Place>(ahead).unwrap().0, copy.len()), (2.0, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn adopt(&mut self, server: Entity, local: Entity) -> bool {
        if self.entities.contains_key(&server)
            || self.entities.values().any(|&known| known == local)
        {
            return false;
        }
        self.entities.insert(server, local);
        true
    }

    /// Iterates over the entities of the server and their counterparts here, in no special order.
    pub fn entities(&self) -> impl Iterator<Item = (Entity, Entity)> + '_ {
        self.entities
            .iter()
            .map(|(&server, &local)| (server, local))
    }

    /// Despawns all entities that came with packets, and forgets them: before a client connects again.
    ///
    /// The client's own entities stay, even if they are related to one that goes.
    pub fn clear(&mut self, world: &mut World) {
        self.applied = 0;
        let all = self.entities.drain().map(|(_, local)| local);
        despawn(world, &self.protocol, all.collect());
    }

    /// Applies a packet.
    ///
    /// Hooks and observers are called for removed values first, then for values that entities get, in the order of the packet, then
    /// for edges. For new entities they are called when everything is in place, entity by entity, and at last for entities that go.
    ///
    /// # Errors
    /// See [`ReplicaError`]; the world is unchanged in that case.
    ///
    /// # Panics
    /// If a hook or an observer panics: the change that it precedes is not made, the others are. The next packet has all of it
    /// again, because this one is not confirmed.
    pub fn apply(&mut self, world: &mut World, bytes: &[u8]) -> Result<Applied, ReplicaError> {
        let found = packet::protocol(bytes)?;
        if found != self.id {
            let expected = self.id;
            return Err(ReplicaError::Protocol { found, expected });
        }
        let packet = packet::read(bytes, &self.protocol.kinds)?;
        if packet.number <= self.applied {
            return Ok(Applied {
                is_old: true,
                ..Applied::default()
            });
        }
        let plan = ReplicaPlan::of(self, world, &packet)?;
        plan.apply(self, world, &packet)
    }
}

/// The entities here while a packet is applied, by the server's.
struct Here<'a> {
    /// The new ones, with their numbers.
    new: HashMap<Entity, (Entity, u32)>,
    gone: HashSet<Entity>,
    known: &'a HashMap<Entity, Entity>,
}

impl Here<'_> {
    fn get(&self, server: &Entity) -> Option<Entity> {
        match self.new.get(server) {
            Some(&(here, _)) => Some(here),
            None if self.gone.contains(server) => None,
            None => self.known.get(server).copied(),
        }
    }

    /// Returns an entity that is alive, or will be when the packet is applied.
    fn target(&self, server: &Entity, world: &World) -> Option<EdgeTarget> {
        match self.new.get(server) {
            Some(&(_, number)) => Some(EdgeTarget::New(number)),
            None => {
                let here = self.get(server).filter(|&here| world.contains(here));
                here.map(EdgeTarget::Living)
            }
        }
    }

    /// Returns the server's entity of one here. O(entities).
    fn server(&self, here: Entity) -> Entity {
        let new = self.new.iter().map(|(server, (here, _))| (server, here));
        let mut all = new.chain(self.known);
        let found = all.find(|&(_, &other)| other == here);
        found.map_or(here, |(&server, _)| server)
    }
}

/// The checked changes of a packet.
struct ReplicaPlan {
    edit: Edit,
    /// The new entities on the server, in the order of their numbers.
    new: Vec<Entity>,
    /// Entities of the server that are gone.
    gone: Vec<Entity>,
}

impl ReplicaPlan {
    fn of(replica: &Replica, world: &mut World, packet: &Packet<'_>) -> Result<Self, ReplicaError> {
        let mut sent: Vec<Entity> = packet.entities.iter().map(|read| read.entity).collect();
        sent.sort_unstable();
        let is_sent = |entity: &Entity| sent.binary_search(entity).is_ok();
        if sent.windows(2).any(|pair| pair[0] == pair[1]) || packet.gone.iter().any(is_sent) {
            return Err(ReplicaError::Packet(FileError::Malformed {
                byte: 0,
                problem: "an entity occurs twice",
            }));
        }
        let mut new = Vec::new();
        // The entity here that each one in the packet belongs to, unless it is new.
        let mut known = Vec::with_capacity(packet.entities.len());
        for read in &packet.entities {
            let entity = read.entity;
            // If something here has despawned one, it comes back when all of it is sent again.
            let here = replica.entities.get(&entity).copied();
            let is_alive = here.is_some_and(|here| world.contains(here));
            let is_whole = read.extent == Extent::Whole;
            if here.is_none() || is_whole && !is_alive {
                new.push(entity);
                known.push(None);
            } else {
                known.push(here.map(|here| (here, is_alive)));
            }
        }
        let gone = gone_of(replica, packet, &sent);
        let (entities, limit) = (replica.entities.len() + new.len(), replica.max_entities);
        if entities > limit {
            return Err(ReplicaError::TooManyEntities { entities, limit });
        }
        let ids = world.next_ids(new.len()).map_err(ReplicaError::Stage)?;
        let here = Here {
            new: new
                .iter()
                .copied()
                .zip(ids.iter().copied().zip(0..))
                .collect(),
            gone: gone.iter().copied().collect(),
            known: &replica.entities,
        };
        let spawned = ids.clone();
        let mut edit = Edit::new(ids);
        // The sources of a target keep the order of the packet, so a relation comes edge by edge if entities that stay have it too.
        let mut one_by_one = vec![false; replica.protocol.kinds.len()];
        for (read, known) in packet.entities.iter().zip(&known) {
            if known.is_some() {
                let parts = read.parts.iter().filter(|(_, part)| part.is_some());
                parts.for_each(|&(kind, _)| one_by_one[kind] = true);
            }
        }
        let mut next = 0;
        for (read, known) in packet.entities.iter().zip(known) {
            let (entity, number) = match known {
                Some((_, false)) => continue,
                Some((here, true)) => (here, None),
                None => {
                    next += 1;
                    (edit.new[next - 1], Some(next as u32 - 1))
                }
            };
            let staging = PacketStaging {
                replica,
                world,
                packet,
                here: &here,
                new: &spawned,
                one_by_one: &one_by_one,
            };
            staging.stage(read, (entity, number), &mut edit)?;
        }
        let leaving = gone.iter().filter_map(|gone| replica.entities.get(gone));
        let leaving: Vec<Entity> = leaving.copied().collect();
        let checked = edit.check_trees(world, &leaving);
        checked.map_err(|error| ReplicaError::Cycle(on_server(error, &here)))?;
        // They go last, and until then their edges could close a cycle with new ones.
        edit.cut_edited_trees(&leaving);
        Ok(Self { edit, new, gone })
    }

    /// Changes the world.
    fn apply(
        self,
        replica: &mut Replica,
        world: &mut World,
        packet: &Packet<'_>,
    ) -> Result<Applied, ReplicaError> {
        let Self { edit, new, gone } = self;
        let spawned = edit.new.clone();
        let entities = &mut replica.entities;
        let kinds = &replica.protocol.kinds;
        let applied = edit.apply(world, |world| {
            entities.extend(new.into_iter().zip(spawned.iter().copied()));
            for (kind, target, tail) in &packet.orders {
                if let Some(edges) = kinds[*kind].edges
                    && let Some(&target) = entities.get(target)
                {
                    order(world, &edges.info, target, tail, entities);
                }
            }
        });
        let applied = applied.map_err(ReplicaError::Stage)?;
        let gone = gone.iter();
        let gone = gone.filter_map(|server| replica.entities.remove(server));
        let despawned = despawn(world, &replica.protocol, gone.collect());
        applied.finish();
        replica.applied = packet.number;
        Ok(Applied {
            is_old: false,
            spawned,
            despawned,
        })
    }
}

/// The parts of a packet that become an edit.
struct PacketStaging<'a> {
    replica: &'a Replica,
    world: &'a World,
    packet: &'a Packet<'a>,
    here: &'a Here<'a>,
    /// The ids of the new entities.
    new: &'a [Entity],
    /// By kind: true for a relation whose edges are not staged together.
    one_by_one: &'a [bool],
}

impl PacketStaging<'_> {
    /// Adds what the packet says about an entity to an edit. The entity has a number if it is new.
    fn stage(
        &self,
        read: &ReadEntity<'_>,
        (entity, number): (Entity, Option<u32>),
        edit: &mut Edit,
    ) -> Result<(), ReplicaError> {
        let (kinds, here) = (&self.replica.protocol.kinds, self.here);
        let is_new = number.is_some();
        // It went out of sight, and came back before this replica has noticed.
        if read.extent == Extent::Whole && number.is_none() {
            for (position, kind) in kinds.iter().enumerate() {
                // Relations are never withheld.
                if read.part(position).is_none() && !self.packet.withheld.contains(&position) {
                    remove(kind, entity, edit);
                }
            }
        }
        for (position, part) in &read.parts {
            let kind = &kinds[*position];
            let failed = |message| ReplicaError::Value {
                entity: read.entity,
                name: kind.data.name(),
                message,
            };
            if number.is_none() && (part.is_none() || kind.edges.is_some()) {
                remove(kind, entity, edit);
            }
            match (part, kind.edges) {
                (None, _) => {}
                (Some(part), Some(of)) => {
                    let parent = part.ids.first().and_then(|parent| here.get(parent));
                    edit.set_parent(&of.info, entity, parent);
                    let edges = self.edges(part, (entity, number)).map_err(failed)?;
                    let number = number.filter(|_| !self.one_by_one[*position]);
                    if let Some(number) = number
                        && edges.iter().all(Option::is_some)
                    {
                        let column = edit.rows.of_edges(kind.component);
                        let read = edit.rows.read(column, number, |column| {
                            values(kind, part, here, part.targets, column)
                        });
                        read.map_err(failed)?;
                        let edges = edges.into_iter().flatten();
                        edges.for_each(|edge| edit.rows.add_edge(column, edge));
                        continue;
                    }
                    let seen = self.seen(kind, part, edges).map_err(failed)?;
                    if number.is_some() {
                        edit.rows.add_edges(seen.values, seen.edges.into_iter());
                        continue;
                    }
                    let column = self.component(seen);
                    let column = column.map_err(|error| failed(error.to_string()))?;
                    edit.linked.extend(column.map(|column| EditedEdges {
                        source: entity,
                        column,
                        is_new,
                    }));
                }
                (Some(part), None) => {
                    let read = edit.read(entity, number, kind.component, |column| {
                        values(kind, part, here, 1, column)
                    });
                    read.map_err(failed)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the edges of a part; `None` where the target is not here.
    fn edges(
        &self,
        part: &ReadPart<'_>,
        (entity, number): (Entity, Option<u32>),
    ) -> Result<Vec<Option<StagedEdge>>, String> {
        let mut edges = Vec::with_capacity(part.targets);
        for target in &part.ids[..part.targets] {
            let target = self.here.target(target, self.world);
            let is_itself = match target {
                Some(EdgeTarget::New(target)) => Some(target) == number,
                Some(EdgeTarget::Living(target)) => target == entity,
                None => false,
            };
            if is_itself {
                return Err("an entity cannot be related to itself".to_owned());
            }
            let source = number.unwrap_or(0);
            edges.push(target.map(|target| StagedEdge { source, target }));
        }
        Ok(edges)
    }

    /// Returns the edges whose targets are here, with their values.
    fn seen(
        &self,
        kind: &ReplicatedKind,
        part: &ReadPart<'_>,
        edges: Vec<Option<StagedEdge>>,
    ) -> Result<StagedEdges, String> {
        let mut read = kind.column();
        values(kind, part, self.here, part.targets, &mut read)?;
        let is_seen = |&row: &usize| edges[row].is_some();
        let (seen, unseen): (Vec<usize>, Vec<usize>) = (0..edges.len()).partition(is_seen);
        let mut all = Moving::new(&mut read);
        drop(all.take(&unseen));
        let values = all.take(&seen);
        drop(all);
        Ok(StagedEdges {
            outgoing: kind.component,
            edges: edges.into_iter().flatten().collect(),
            order: Vec::new(),
            values,
        })
    }

    /// Returns the component of a source with these edges; `None` if there are none.
    fn component(&self, mut edges: StagedEdges) -> Result<Option<ErasedColumn>, StageError> {
        for edge in &mut edges.edges {
            if let EdgeTarget::New(number) = edge.target {
                edge.target = EdgeTarget::Living(self.new[number as usize]);
            }
        }
        let is_empty = edges.edges.is_empty();
        let column = edges.into_component()?;
        Ok((!is_empty).then_some(column))
    }
}

/// Removes a component of an entity, or its edges.
fn remove(kind: &ReplicatedKind, entity: Entity, edit: &mut Edit) {
    edit.removed.push((entity, kind.component));
    if let Some(edges) = kind.edges {
        edit.set_parent(&edges.info, entity, None);
    }
}

/// Returns an error with the ids of the server.
fn on_server(error: RelateError, here: &Here<'_>) -> RelateError {
    match error {
        RelateError::Cycle {
            source,
            target,
            relation,
        } => RelateError::Cycle {
            source: here.server(source),
            target: here.server(target),
            relation,
        },
        error => error,
    }
}

/// Returns the entities that a packet reports as gone, by name or because it does not count them; `sent` are the others in it,
/// sorted.
fn gone_of(replica: &Replica, packet: &Packet<'_>, sent: &[Entity]) -> Vec<Entity> {
    let mut gone = packet.gone.clone();
    if let Some(census) = &packet.census {
        let counted: HashSet<&Entity> = census.entities.iter().collect();
        let listed = gone.len();
        gone.extend(replica.entities.keys().filter(|entity| {
            (census.first..=census.last).contains(&entity.index())
                && !counted.contains(entity)
                && sent.binary_search(entity).is_err()
        }));
        gone[listed..].sort_unstable();
    }
    gone
}

/// Moves sources of a target after its other sources.
fn order(
    world: &mut World,
    relation: &RelationInfo,
    target: Entity,
    tail: &[Entity],
    entities: &HashMap<Entity, Entity>,
) {
    let tail = tail.iter().filter_map(|source| entities.get(source));
    let tail: Vec<Entity> = tail.copied().collect();
    let moved: HashSet<Entity> = tail.iter().copied().collect();
    let sources = world.sources_erased(relation, target);
    let mut order: Vec<Entity> = sources.filter(|source| !moved.contains(source)).collect();
    order.extend(tail);
    world.order_sources_erased(relation, target, &order);
}

/// Despawns entities, and returns the ones that were alive. Edges to them from entities that stay are removed first, because they
/// may only go out of sight: so none is despawned with them.
fn despawn(world: &mut World, protocol: &Protocol, mut entities: Vec<Entity>) -> Vec<Entity> {
    entities.retain(|&entity| world.contains(entity));
    let going: HashSet<Entity> = entities.iter().copied().collect();
    for edges in protocol.kinds.iter().filter_map(|kind| kind.edges) {
        for &target in &entities {
            let sources = world.sources_erased(&edges.info, target);
            let staying: Vec<Entity> = sources.filter(|source| !going.contains(source)).collect();
            for source in staying {
                (edges.unrelate)(world, source, target);
            }
        }
    }
    world.despawn_batch(entities.iter().copied());
    entities
}

/// Reads the values of a part to the end of a column, which is one of the kind.
fn values(
    kind: &ReplicatedKind,
    part: &ReadPart<'_>,
    here: &Here<'_>,
    rows: usize,
    column: &mut ErasedColumn,
) -> Result<(), String> {
    let form = Form::of_byte(part.form).ok_or("there is no such form of values")?;
    let ids = part.ids.iter();
    let ids = ids.map(|id| here.get(id).unwrap_or_else(|| dead_like(*id)));
    let entities: Vec<Entity> = ids.collect();
    let session = Session::new(IdForm::Read {
        entities: &entities,
        others: &[],
    });
    assert!(column.component() == kind.component && column.is_of_edges() == kind.edges.is_some());
    let reader = ValueReader::Current(kind.codec);
    // SAFETY: the codec belongs to the kind (1, 2), and so does the column, which was just checked.
    let read = unsafe { column::read(column, reader, form, part.bytes, rows, &session) };
    read.map_err(|failure| match failure.byte {
        Some(byte) => format!("{}, at byte {}", failure.message, part.at + byte),
        None => failure.message,
    })
}

impl fmt::Debug for Replica {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Replica")
            .field("protocol", &self.protocol)
            .field("entities", &self.entities.len())
            .field("applied", &self.applied)
            .finish_non_exhaustive()
    }
}
