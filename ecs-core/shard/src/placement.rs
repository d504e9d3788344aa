//! `Placement`: the functions that know where entities are, without their types.

use std::any::type_name;
use std::marker::PhantomData;

use ecs_data::__private::{Decoder, Encoder};
use ecs_data::EncodeError;
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::entity::session::{IdForm, KeyFn, Session};
use ecs_engine::meta::ConstTypeId;
use ecs_engine::query::{Query, QueryFilter, Without};
use ecs_engine::relation::{Sources, Target, ToOne};
use ecs_engine::system::SystemParam;
use ecs_engine::{Entity, World};

use crate::births::BirthRanks;
use crate::borders::ColumnShards;
use crate::error::ShardError;
use crate::gid::Gid;
use crate::grid::Grid;
use crate::known::{EntityMap, Own, new_shard};
use crate::neighbours::{Mirror, Neighbours};
use crate::packet::{PacketReader, ShardPacket};

/// A function that returns the position in a component.
pub(crate) trait PositionFn<P>: Fn(&P) -> [f32; 2] + Clone + Send + Sync + 'static {}

impl<P, F: Fn(&P) -> [f32; 2] + Clone + Send + Sync + 'static> PositionFn<P> for F {}

/// The places of entities in a grid.
pub(crate) struct Placement {
    pub(crate) grid: Grid,
    /// The distance at most of an entity from the root of its tree.
    pub(crate) slack: f32,
    pub(crate) rows: Box<dyn PlacedRows>,
    pub(crate) tree: Option<TreeFns>,
    /// True if a system sees the children of entities in such trees.
    pub(crate) sees_tree: bool,
    pub(crate) mirror: Option<MirrorOf>,
}

/// The components that entities show to others.
pub(crate) struct MirrorOf {
    pub(crate) radius: f32,
    pub(crate) fns: Box<dyn MirrorRows>,
}

impl Placement {
    /// Returns the number of columns beyond its own ones that a shard knows.
    pub(crate) fn reach(&self) -> u32 {
        match &self.mirror {
            Some(mirror) => self.grid.reach(mirror.radius + self.slack),
            None => 0,
        }
    }
}

/// The functions of a component with a position.
pub(crate) trait PlacedRows: Send + Sync {
    /// Returns the component with the position.
    fn component(&self) -> ComponentId;

    /// Finds the entities at the head of a tree, or without one, whose place belongs to another shard.
    fn leaving(
        &self,
        world: &World,
        columns: &[ColumnShards],
        me: usize,
        out: &mut Vec<(Entity, usize)>,
    );

    /// Finds the entities at the head of a tree, or without one, that have no place.
    fn placeless(&self, world: &World, each: &mut dyn FnMut(Entity, Option<Gid>));

    /// Returns the position of an entity.
    fn position(&self, world: &World, entity: Entity) -> Option<[f32; 2]>;

    /// Counts the entities in each column.
    fn loads(&self, world: &World, loads: &mut [u64]);

    /// Sorts rows by their cells, and in a cell by `Gid`, as tables of neighbours are.
    fn sort(&self, world: &mut World);
}

pub(crate) struct RowsOf<P, F, Head> {
    grid: Grid,
    position: F,
    types: PhantomData<fn(P, Head)>,
}

impl<P, F, Head> RowsOf<P, F, Head> {
    pub(crate) fn new(grid: Grid, position: F) -> Self {
        Self {
            grid,
            position,
            types: PhantomData,
        }
    }
}

impl<P: Component, F: PositionFn<P>, Head: QueryFilter + 'static> PlacedRows
    for RowsOf<P, F, Head>
{
    fn component(&self) -> ComponentId {
        ComponentId::of::<P>()
    }

    fn leaving(
        &self,
        world: &World,
        columns: &[ColumnShards],
        me: usize,
        out: &mut Vec<(Entity, usize)>,
    ) {
        let query = world.query_filtered::<(Entity, &P), (Head, Own)>();
        for (entity, position) in query.iter() {
            let column = self.grid.column_of((self.position)(position));
            let owner = columns[column as usize].owner;
            if owner != me {
                out.push((entity, owner));
            }
        }
    }

    fn placeless(&self, world: &World, each: &mut dyn FnMut(Entity, Option<Gid>)) {
        let query = world.query_filtered::<(Entity, Option<&Gid>), (Without<P>, Head, Own)>();
        for (entity, gid) in query.iter() {
            each(entity, gid.copied());
        }
    }

    fn position(&self, world: &World, entity: Entity) -> Option<[f32; 2]> {
        world.get::<P>(entity).map(|at| (self.position)(&at))
    }

    fn loads(&self, world: &World, loads: &mut [u64]) {
        let query = world.query_filtered::<&P, Own>();
        for position in query.iter() {
            let column = self.grid.column_of((self.position)(position));
            loads[column as usize] += 1;
        }
    }

    fn sort(&self, world: &mut World) {
        world.sort_rows_by_key::<(&P, Option<&Gid>), _>(|(at, gid)| {
            (self.grid.cell_of((self.position)(at)), gid.copied())
        });
    }
}

/// The functions of a relation whose trees stay together.
#[derive(Clone, Copy)]
pub(crate) struct TreeFns {
    /// The component of a node that has a parent.
    pub(crate) relation: fn() -> ComponentId,
    pub(crate) target: ConstTypeId,
    /// The component of a node that has children.
    pub(crate) sources: ConstTypeId,
    /// Appends the descendants of an entity.
    pub(crate) descendants: fn(&World, Entity, &mut Vec<Entity>),
    /// Calls a function with each entity that has a parent, and the root of its tree.
    pub(crate) each: fn(&World, &mut dyn FnMut(Entity, Entity)),
}

impl TreeFns {
    pub(crate) fn of<R: ToOne>() -> Self {
        Self {
            relation: ComponentId::of::<Target<R>>,
            target: Target::<R>::IDENTITY.ident(),
            sources: Sources::<R>::IDENTITY.ident(),
            descendants: |world, root, out| out.extend(world.descendants::<R>(root)),
            each: |world, each| {
                let query = world.query_filtered::<(Entity, &Target<R>), Own>();
                for (entity, _) in query.iter() {
                    each(entity, world.root::<R>(entity));
                }
            },
        }
    }
}

/// The entities that another shard has to know, in the first part of its packet.
pub(crate) struct Ghosts {
    pub(crate) count: usize,
    /// Their length in eight bytes, their number in eight bytes, their heads, and their values. Empty if there are none.
    bytes: Vec<u8>,
}

impl Ghosts {
    /// Returns no entities, and memory for the packet.
    pub(crate) fn none(mut memory: Vec<u8>) -> Self {
        memory.clear();
        let (count, bytes) = (0, memory);
        Self { count, bytes }
    }

    /// Returns a packet that begins with them: in the same memory, because they may be all that is in it.
    pub(crate) fn into_packet(self) -> ShardPacket {
        let mut packet = ShardPacket::of_bytes(self.bytes);
        if packet.is_empty() {
            packet.put_bytes(&[]);
        }
        packet
    }
}

/// Bytes for the rest of a packet, if it has not much.
const ROOM_BEHIND: usize = 1024;

/// The entities that another shard has to know, while they are collected.
struct FoundGhosts<M> {
    heads: Vec<u8>,
    values: Vec<M>,
}

impl<M> FoundGhosts<M> {
    fn new() -> Self {
        let (heads, values) = (Vec::new(), Vec::new());
        Self { heads, values }
    }
}

impl<M: Mirror> FoundGhosts<M> {
    /// Writes them, and begins anew.
    fn take(&mut self, memory: Vec<u8>) -> Result<Ghosts, EncodeError> {
        let count = self.values.len();
        if count == 0 {
            return Ok(Ghosts::none(memory));
        }
        let room = self.heads.len() + size_of_val(self.values.as_slice()) + ROOM_BEHIND;
        let mut encoder = Encoder::in_memory(memory, room);
        encoder.push(&[0; 8]);
        encoder.push(&(count as u64).to_le_bytes());
        encoder.push(&self.heads);
        encoder.values(&self.values)?;
        let len = encoder.len() as u64 - 8;
        encoder.patch(0, &len.to_le_bytes());
        self.heads.clear();
        self.values.clear();
        let bytes = encoder.into_memory();
        Ok(Ghosts { count, bytes })
    }
}

/// The numbers of a ghost.
#[derive(Clone, Copy, Debug, PartialEq)]
struct GhostHead {
    /// Its `Gid`, or the number of its birth.
    gid: u64,
    owner: u32,
    x: f32,
    y: f32,
}

impl GhostHead {
    const LEN: usize = 20;

    #[inline]
    fn to_bytes(self) -> [u8; Self::LEN] {
        let mut bytes = [0; Self::LEN];
        bytes[..8].copy_from_slice(&self.gid.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.owner.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.x.to_le_bytes());
        bytes[16..].copy_from_slice(&self.y.to_le_bytes());
        bytes
    }

    #[inline]
    fn of(bytes: [u8; Self::LEN]) -> Self {
        let [a, b, c, d, e, f, g, h, rest @ ..] = bytes;
        let ([owner, x, y], _) = rest.as_chunks::<4>() else {
            unreachable!("there are twelve bytes")
        };
        Self {
            gid: u64::from_le_bytes([a, b, c, d, e, f, g, h]),
            owner: u32::from_le_bytes(*owner),
            x: f32::from_le_bytes(*x),
            y: f32::from_le_bytes(*y),
        }
    }
}

/// The ghosts in a packet.
pub(crate) struct ReceivedGhosts<'a> {
    pub(crate) from: usize,
    pub(crate) bytes: &'a [u8],
}

/// The entities that leave, and the new ones without a `Gid`.
pub(crate) struct Leaving<'a> {
    pub(crate) me: usize,
    /// Their new shards, in the order of their ids, if trees leave as a whole. Otherwise an entity's column says it.
    pub(crate) to: Option<&'a [(Entity, usize)]>,
    /// The numbers that stand for the ids of new entities.
    pub(crate) births: &'a EntityMap<u64>,
}

impl Leaving<'_> {
    /// Returns the shard on which an entity in a column lives when the tick has ended, and the shards that have to know it. The first
    /// one may be among them.
    #[inline]
    fn owner_and_near<'c>(&self, entity: Entity, column: &'c ColumnShards) -> (usize, &'c [usize]) {
        let owner = match self.to {
            None => return (column.owner, &column.others),
            Some([]) => self.me,
            Some(to) => new_shard(to, entity).unwrap_or(self.me),
        };
        match *column.near == [owner] {
            true => (owner, &[]),
            false => (owner, &column.near),
        }
    }
}

/// The functions of mirrored components.
pub(crate) trait MirrorRows: Send + Sync {
    /// Returns the name of the type of its values.
    fn name(&self) -> &'static str;

    /// Returns true if it shows a component.
    fn shows(&self, component: &ConstTypeId) -> bool;

    fn register(&self, world: &mut World);

    /// Collects the entities that other shards have to know, by shard, in memory for each.
    fn pack(
        &mut self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        memory: Vec<Vec<u8>>,
    ) -> Result<Vec<Ghosts>, ShardError>;

    /// Makes the table of neighbours from the entities of this shard and the ghosts of each shard, and notes the owners of ghosts
    /// if they are asked for.
    fn fill(
        &mut self,
        world: &World,
        range: (u32, u32),
        ghosts: &[ReceivedGhosts<'_>],
        ranks: &BirthRanks,
        owners: Option<&mut Vec<(Gid, usize)>>,
    ) -> Result<(), ShardError>;
}

pub(crate) struct MirrorRowsOf<P, F, M> {
    grid: Grid,
    radius: f32,
    position: F,
    /// Reused memory: the ghosts for each shard, and the values of those from one.
    found: Vec<FoundGhosts<M>>,
    values: Vec<M>,
    types: PhantomData<fn(P)>,
}

impl<P: Component, F: PositionFn<P>, M: Mirror> MirrorRowsOf<P, F, M> {
    pub(crate) fn new(grid: Grid, radius: f32, position: F) -> Self {
        Self {
            grid,
            radius,
            position,
            found: Vec::new(),
            values: Vec::new(),
            types: PhantomData,
        }
    }

    /// Collects ghosts in `found`, and writes them.
    fn pack_found(
        &mut self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        memory: Vec<Vec<u8>>,
    ) -> Result<Vec<Ghosts>, EncodeError> {
        let query = world.query_filtered::<(Entity, Option<&Gid>, &P, M::Data), Own>();
        for (entity, gid, position, item) in query.iter() {
            let position = (self.position)(position);
            let column = &columns[self.grid.column_of(position) as usize];
            let (owner, near) = leaving.owner_and_near(entity, column);
            if near.is_empty() {
                continue;
            }
            let gid = match gid {
                Some(gid) => gid.0,
                None => leaving.births[&entity],
            };
            let value = M::copied(item);
            let [x, y] = position;
            let head = GhostHead {
                gid,
                owner: owner as u32,
                x,
                y,
            };
            for &shard in near.iter().filter(|&&shard| shard != owner) {
                let found = &mut self.found[shard];
                found.heads.extend_from_slice(&head.to_bytes());
                found.values.push(value.clone());
            }
        }
        let found = self.found.iter_mut().zip(memory);
        found.map(|(found, memory)| found.take(memory)).collect()
    }
}

impl<P: Component, F: PositionFn<P>, M: Mirror> MirrorRows for MirrorRowsOf<P, F, M> {
    fn name(&self) -> &'static str {
        type_name::<M>()
    }

    fn shows(&self, component: &ConstTypeId) -> bool {
        let mut read = <Query<M::Data> as SystemParam>::ACCESS.accesses();
        read.any(|access| access.ident == *component)
    }

    fn register(&self, world: &mut World) {
        world.insert_resource(Neighbours::<M>::new(self.grid, self.radius));
    }

    fn pack(
        &mut self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        memory: Vec<Vec<u8>>,
    ) -> Result<Vec<Ghosts>, ShardError> {
        self.found.resize_with(memory.len(), FoundGhosts::new);
        let session = Session::new(IdForm::Keyed(KeyFn(&|_| None)));
        let packed = session.run(|| self.pack_found(world, columns, leaving, memory));
        match session.take_error() {
            Some(_) => Err(ShardError::EntityInValue {
                name: type_name::<M>(),
            }),
            None => packed.map_err(|error| ShardError::message(type_name::<M>(), &error)),
        }
    }

    fn fill(
        &mut self,
        world: &World,
        (first, columns): (u32, u32),
        ghosts: &[ReceivedGhosts<'_>],
        ranks: &BirthRanks,
        mut owners: Option<&mut Vec<(Gid, usize)>>,
    ) -> Result<(), ShardError> {
        let mut table = world.resource_mut::<Neighbours<M>>();
        table.begin(first, columns);
        let query = world.query_filtered::<(&Gid, &P, M::Data), Own>();
        for (&gid, position, item) in query.iter() {
            if !table.add(gid, (self.position)(position), M::copied(item)) {
                return Err(ShardError::Astray { gid });
            }
        }
        if let Some(owners) = &mut owners {
            owners.clear();
        }
        for &ReceivedGhosts { from, bytes } in ghosts {
            let malformed = |problem| ShardError::Packet { from, problem };
            if bytes.is_empty() {
                continue;
            }
            let mut packet = PacketReader::new(from, bytes);
            let count = packet.u64()?;
            let heads = packet.take(count.saturating_mul(GhostHead::LEN as u64))?;
            let (heads, _) = heads.as_chunks::<{ GhostHead::LEN }>();
            let mut decoder = Decoder::of_bytes(packet.rest());
            self.values.clear();
            let read = decoder.values(heads.len(), &mut self.values);
            read.and_then(|()| decoder.finish())
                .map_err(|error| ShardError::message(type_name::<M>(), &error))?;
            for (&head, value) in heads.iter().zip(self.values.drain(..)) {
                let GhostHead { gid, owner, x, y } = GhostHead::of(head);
                let gid = ranks.gid(from, gid)?;
                let owner = owner as usize;
                if owner >= ghosts.len() {
                    return Err(malformed(
                        "it shows an entity of a shard that does not exist",
                    ));
                }
                if let Some(owners) = &mut owners {
                    owners.push((gid, owner));
                }
                if !table.add(gid, [x, y], value) {
                    return Err(malformed("it shows an entity that is not near"));
                }
            }
        }
        table.finish();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_of_a_ghost_are_read_as_they_were_written() {
        let head = GhostHead {
            gid: 0x0102_0304_0506_0708,
            owner: 0x0a0b_0c0d,
            x: -1.5,
            y: 1e9,
        };
        assert_eq!(GhostHead::of(head.to_bytes()), head);
    }
}
