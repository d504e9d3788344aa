//! The client: packets are applied to a world.

use std::collections::{HashMap, HashSet};
use std::fmt;

use ecs_engine::component::ComponentId;
use ecs_engine::entity::dead::dead_like;
use ecs_engine::entity::session::{IdForm, Session};
use ecs_engine::staging::{
    EdgeTarget, ErasedColumn, RelationInfo, Staged, StagedEdge, StagedEdges,
};
use ecs_engine::{Entity, World};

use super::packet::{self, Extent, Packet, ReadPart};
use super::{Protocol, ReplicaError, ReplicatedKind};
use crate::codec::Form;
use crate::column::{self, Moving};
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
    /// # Errors
    /// See [`ReplicaError`]; the world is unchanged in that case.
    ///
    /// # Panics
    /// If a hook or an observer panics. The packet is then applied in part, and the next one has the rest, because this one is
    /// not confirmed.
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
        Ok(plan.apply(self, world, &packet))
    }
}

/// The entities here while a packet is applied, by the server's.
struct Here<'a> {
    new: HashMap<Entity, Entity>,
    gone: HashSet<Entity>,
    known: &'a HashMap<Entity, Entity>,
}

impl Here<'_> {
    fn get(&self, server: &Entity) -> Option<Entity> {
        match self.new.get(server) {
            Some(&here) => Some(here),
            None if self.gone.contains(server) => None,
            None => self.known.get(server).copied(),
        }
    }

    /// Returns an entity that is alive, or will be when the packet is applied.
    fn alive(&self, server: &Entity, world: &World) -> Option<Entity> {
        let is_new = self.new.contains_key(server);
        self.get(server)
            .filter(|&here| is_new || world.contains(here))
    }
}

/// The checked changes of a packet.
#[derive(Default)]
struct ReplicaPlan {
    /// Entities of the server that are gone.
    gone: Vec<Entity>,
    /// New entities: on the server, and here.
    new: Vec<(Entity, Entity)>,
    removed: Vec<(Entity, ComponentId)>,
    inserted: Vec<(Entity, ErasedColumn)>,
    /// Edges, which are inserted after all others of the packet have gone.
    linked: Vec<(Entity, ErasedColumn)>,
}

impl ReplicaPlan {
    fn of(replica: &Replica, world: &mut World, packet: &Packet<'_>) -> Result<Self, ReplicaError> {
        let mut plan = Self::default();
        let listed: HashSet<Entity> = packet.gone.iter().copied().collect();
        let mut seen = HashSet::new();
        let mut new = Vec::new();
        for read in &packet.entities {
            let entity = read.entity;
            if listed.contains(&entity) || !seen.insert(entity) {
                return Err(ReplicaError::Packet(FileError::Malformed {
                    byte: 0,
                    problem: "an entity is there twice",
                }));
            }
            // If something here has despawned one, it comes back when all of it is sent again.
            let known = replica.entities.get(&entity);
            let is_whole = read.extent == Extent::Whole;
            if known.is_none_or(|&here| is_whole && !world.contains(here)) {
                new.push(entity);
            }
        }
        plan.gone = gone_of(replica, packet, &seen);
        let gone: HashSet<Entity> = plan.gone.iter().copied().collect();
        let (entities, limit) = (replica.entities.len() + new.len(), replica.max_entities);
        if entities > limit {
            return Err(ReplicaError::TooManyEntities { entities, limit });
        }
        let ids = world.next_ids(new.len()).map_err(ReplicaError::Ids)?;
        plan.new = new.into_iter().zip(ids).collect();
        let here = Here {
            new: plan.new.iter().copied().collect(),
            gone,
            known: &replica.entities,
        };
        for read in &packet.entities {
            let server = &read.entity;
            let Some(entity) = here.alive(server, world) else {
                continue;
            };
            // It went out of sight, and came back before this replica has noticed.
            if read.extent == Extent::Whole && !here.new.contains_key(server) {
                let kinds = replica.protocol.kinds.iter().enumerate();
                let absent = kinds.filter(|(kind, _)| {
                    read.part(*kind).is_none() && !packet.withheld.contains(kind)
                });
                plan.removed
                    .extend(absent.map(|(_, kind)| (entity, kind.component)));
            }
            for (kind, part) in &read.parts {
                let kind = &replica.protocol.kinds[*kind];
                let failed = |message| ReplicaError::Value {
                    entity: *server,
                    name: kind.data.name(),
                    message,
                };
                match part {
                    None => plan.removed.push((entity, kind.component)),
                    Some(part) if kind.edges.is_some() => {
                        plan.removed.push((entity, kind.component));
                        let column = edges(kind, part, entity, &here, world);
                        if let Some(column) = column.map_err(failed)? {
                            plan.linked.push((entity, column));
                        }
                    }
                    Some(part) => {
                        let column = values(kind, part, &here, 1).map_err(failed)?;
                        plan.inserted.push((entity, column));
                    }
                }
            }
        }
        refuse_cycles(&replica.protocol, world, packet, &here)?;
        Ok(plan)
    }

    /// Changes the world. From here on, only a change by a hook or an observer can cause an error.
    fn apply(self, replica: &mut Replica, world: &mut World, packet: &Packet<'_>) -> Applied {
        let spawned: Vec<Entity> = self.new.iter().map(|&(_, here)| here).collect();
        let committed = world.commit(Staged::new(spawned.len() as u32), &spawned);
        committed.unwrap_or_else(|error| panic!("the next ids are free: {error}"));
        replica.entities.extend(self.new);
        for (entity, component) in self.removed {
            _ = world.remove_erased(entity, component);
        }
        for (entity, mut column) in self.inserted.into_iter().chain(self.linked) {
            _ = world.insert_erased(entity, &mut column);
        }
        for (kind, target, tail) in &packet.orders {
            if let Some(edges) = replica.protocol.kinds[*kind].edges
                && let Some(&target) = replica.entities.get(target)
            {
                order(world, &edges.info, target, tail, &replica.entities);
            }
        }
        let gone = self.gone.iter();
        let gone = gone.filter_map(|server| replica.entities.remove(server));
        let despawned = despawn(world, &replica.protocol, gone.collect());
        replica.applied = packet.number;
        Applied {
            is_old: false,
            spawned,
            despawned,
        }
    }
}

/// Returns the entities that a packet reports as gone, by name or because it does not count them.
fn gone_of(replica: &Replica, packet: &Packet<'_>, sent: &HashSet<Entity>) -> Vec<Entity> {
    let mut gone = packet.gone.clone();
    if let Some(census) = &packet.census {
        let counted: HashSet<&Entity> = census.entities.iter().collect();
        let listed = gone.len();
        gone.extend(replica.entities.keys().filter(|entity| {
            (census.first..=census.last).contains(&entity.index())
                && !counted.contains(entity)
                && !sent.contains(entity)
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

/// Checks that no entity of a tree becomes its own ancestor.
fn refuse_cycles(
    protocol: &Protocol,
    world: &World,
    packet: &Packet<'_>,
    here: &Here<'_>,
) -> Result<(), ReplicaError> {
    for (position, kind) in protocol.kinds.iter().enumerate() {
        let relation = kind.edges.map(|edges| edges.info);
        let Some(relation) = relation.filter(RelationInfo::is_tree) else {
            continue;
        };
        let mut parents: HashMap<Entity, Option<Entity>> = HashMap::new();
        let mut sources = Vec::new();
        for read in &packet.entities {
            let Some(source) = here.get(&read.entity) else {
                continue;
            };
            let part = match read.part(position) {
                Some(part) => part.as_ref(),
                // Relations are never withheld.
                None if read.extent == Extent::Whole => None,
                None => continue,
            };
            let target = part.and_then(|part| part.ids.first());
            parents.insert(source, target.and_then(|target| here.get(target)));
            sources.push((read.entity, source));
        }
        // The entities that are known to lead to a root.
        let mut good: HashSet<Entity> = HashSet::new();
        for (server, source) in sources {
            let (mut path, mut at) = (HashSet::new(), Some(source));
            while let Some(entity) = at.filter(|entity| !good.contains(entity)) {
                if !path.insert(entity) {
                    return Err(ReplicaError::Cycle {
                        entity: server,
                        name: kind.data.name(),
                    });
                }
                at = match parents.get(&entity) {
                    Some(&parent) => parent,
                    None => {
                        (world.targets_erased(&relation, entity).next()).map(|(parent, _)| parent)
                    }
                };
            }
            good.extend(path);
        }
    }
    Ok(())
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

/// Reads the values of a part.
fn values(
    kind: &ReplicatedKind,
    part: &ReadPart<'_>,
    here: &Here<'_>,
    rows: usize,
) -> Result<ErasedColumn, String> {
    let form = Form::of_byte(part.form).ok_or("there is no such form of values")?;
    let ids = part.ids.iter();
    let ids = ids.map(|id| here.get(id).unwrap_or_else(|| dead_like(*id)));
    let entities: Vec<Entity> = ids.collect();
    let session = Session::new(IdForm::Read {
        entities: &entities,
        others: &[],
    });
    let mut column = kind.column();
    let reader = ValueReader::Current(kind.codec);
    // SAFETY: the codec belongs to the kind, and so does the column (1, 2).
    let read = unsafe { column::read(&mut column, reader, form, part.bytes, rows, &session) };
    match read {
        Ok(()) => Ok(column),
        Err(failure) => Err(match failure.byte {
            Some(byte) => format!("{}, at byte {}", failure.message, part.at + byte),
            None => failure.message,
        }),
    }
}

/// Returns the component of a source with the edges of a part whose targets are here; `None` if there are none.
fn edges(
    kind: &ReplicatedKind,
    part: &ReadPart<'_>,
    source: Entity,
    here: &Here<'_>,
    world: &World,
) -> Result<Option<ErasedColumn>, String> {
    let mut values = values(kind, part, here, part.targets)?;
    let targets = part.ids[..part.targets].iter();
    let targets: Vec<Option<Entity>> = targets.map(|target| here.alive(target, world)).collect();
    if targets.contains(&Some(source)) {
        return Err("an entity cannot be related to itself".to_owned());
    }
    let is_seen = |&row: &usize| targets[row].is_some();
    let (seen, unseen): (Vec<usize>, Vec<usize>) = (0..targets.len()).partition(is_seen);
    let mut values = Moving::new(&mut values);
    drop(values.take(&unseen));
    let visible = values.take(&seen);
    if visible.is_empty() {
        return Ok(None);
    }
    let edge = |target| StagedEdge {
        source: 0,
        target: EdgeTarget::Living(target),
    };
    let staged = StagedEdges {
        outgoing: kind.component,
        edges: targets.into_iter().flatten().map(edge).collect(),
        order: Vec::new(),
        values: visible,
    };
    staged
        .into_component()
        .map(Some)
        .map_err(|error| error.to_string())
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
