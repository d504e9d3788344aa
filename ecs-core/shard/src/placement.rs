//! `Placement`: the functions that know where entities are, without their types.

use std::any::type_name;
use std::marker::PhantomData;

use ecs_data::__private::{Decoder, Encoder};
use ecs_data::EncodeError;
use ecs_engine::component::{Component, ComponentId};
use ecs_engine::entity::session::{IdForm, KeyFn, Session};
use ecs_engine::meta::{ConstTypeId, QueryAccess};
use ecs_engine::query::{QueryData, QueryFilter, Without};
use ecs_engine::relation::{Target, ToOne};
use ecs_engine::{Entity, World};

use crate::borders::ColumnShards;
use crate::error::ShardError;
use crate::gid::Gid;
use crate::grid::Grid;
use crate::known::{EntityMap, Own, new_shard};
use crate::neighbours::{Mirror, Neighbour, Neighbours};
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
    /// Appends the descendants of an entity.
    pub(crate) descendants: fn(&World, Entity, &mut Vec<Entity>),
    /// Calls a function with each entity that has a parent, and the root of its tree.
    pub(crate) each: fn(&World, &mut dyn FnMut(Entity, Entity)),
}

impl TreeFns {
    pub(crate) fn of<R: ToOne>() -> Self {
        Self {
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

/// Entities that another shard has to know.
#[derive(Default)]
pub(crate) struct Ghosts {
    gids: Vec<u64>,
    owners: Vec<u32>,
    positions: Vec<[f32; 2]>,
    values: Vec<u8>,
}

impl Ghosts {
    pub(crate) fn len(&self) -> usize {
        self.gids.len()
    }

    pub(crate) fn put(&self, packet: &mut ShardPacket) {
        packet.put_list(&self.gids, |gid| *gid);
        packet.put_all_u32(self.owners.iter().copied());
        packet.put_all_u32(self.positions.iter().map(|[x, _]| x.to_bits()));
        packet.put_all_u32(self.positions.iter().map(|[_, y]| y.to_bits()));
        packet.put_bytes(&self.values);
    }
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
    /// Returns the shard on which an entity in a column lives when the tick has ended.
    #[inline]
    fn owner(&self, entity: Entity, column: &ColumnShards) -> usize {
        match self.to {
            None => column.owner,
            Some(to) => new_shard(to, entity).unwrap_or(self.me),
        }
    }
}

/// The functions of mirrored components.
pub(crate) trait MirrorRows: Send + Sync {
    /// Returns true if it shows a component.
    fn shows(&self, component: &ConstTypeId) -> bool;

    fn register(&self, world: &mut World);

    /// Collects the entities that other shards have to know.
    fn pack(
        &self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        out: &mut [Ghosts],
    ) -> Result<(), ShardError>;

    /// Makes the table of neighbours from the entities of this shard and the ghosts in packets, and notes the owners of ghosts.
    fn fill(
        &self,
        world: &World,
        range: (u32, u32),
        packets: &mut [PacketReader<'_>],
        gid: &dyn Fn(&PacketReader<'_>, u64) -> Result<Gid, ShardError>,
        owners: &mut Vec<(Gid, usize)>,
    ) -> Result<(), ShardError>;
}

pub(crate) struct MirrorRowsOf<P, F, M> {
    pub(crate) grid: Grid,
    pub(crate) radius: f32,
    pub(crate) position: F,
    pub(crate) types: PhantomData<fn(P, M)>,
}

impl<P: Component, F: PositionFn<P>, M: Mirror> MirrorRowsOf<P, F, M> {
    fn pack_values(
        &self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        out: &mut [Ghosts],
    ) -> Result<(), EncodeError> {
        let mut values: Vec<Vec<M>> = out.iter().map(|_| Vec::new()).collect();
        let query = world.query_filtered::<(Entity, Option<&Gid>, &P, M::Data), Own>();
        for (entity, gid, position, item) in query.iter() {
            let position = (self.position)(position);
            let column = &columns[self.grid.column_of(position) as usize];
            // In the middle of this shard, only the nodes of a tree whose root is elsewhere can leave.
            if column.is_far_from(leaving.me) && leaving.to.is_none_or(<[_]>::is_empty) {
                continue;
            }
            let (near, owner) = (&column.near, leaving.owner(entity, column));
            if *near == [owner] {
                continue;
            }
            let value = M::copied(item);
            for &shard in near.iter().filter(|&&shard| shard != owner) {
                let ghosts = &mut out[shard];
                ghosts.gids.push(match gid {
                    Some(gid) => gid.0,
                    None => leaving.births[&entity],
                });
                ghosts.owners.push(owner as u32);
                ghosts.positions.push(position);
                values[shard].push(value.clone());
            }
        }
        for (ghosts, values) in out.iter_mut().zip(values) {
            let mut encoder = Encoder::new();
            encoder.values(&values)?;
            ghosts.values = encoder.into_bytes();
        }
        Ok(())
    }
}

/// Returns true if a query reads a component.
fn shows(access: &QueryAccess, component: &ConstTypeId) -> bool {
    match access {
        QueryAccess::Read(ident) => ident == component,
        QueryAccess::All(parts) => parts.iter().any(|part| shows(part, component)),
        _ => false,
    }
}

impl<P: Component, F: PositionFn<P>, M: Mirror> MirrorRows for MirrorRowsOf<P, F, M> {
    fn shows(&self, component: &ConstTypeId) -> bool {
        shows(M::Data::ACCESS, component)
    }

    fn register(&self, world: &mut World) {
        world.insert_resource(Neighbours::<M>::new(self.grid, self.radius));
    }

    fn pack(
        &self,
        world: &World,
        columns: &[ColumnShards],
        leaving: &Leaving<'_>,
        out: &mut [Ghosts],
    ) -> Result<(), ShardError> {
        let session = Session::new(IdForm::Keyed(KeyFn(&|_| None)));
        let packed = session.run(|| self.pack_values(world, columns, leaving, out));
        match session.take_error() {
            Some(_) => Err(ShardError::EntityInValue {
                name: type_name::<M>(),
            }),
            None => packed.map_err(|error| ShardError::message(type_name::<M>(), &error)),
        }
    }

    fn fill(
        &self,
        world: &World,
        (first, columns): (u32, u32),
        packets: &mut [PacketReader<'_>],
        gid_of: &dyn Fn(&PacketReader<'_>, u64) -> Result<Gid, ShardError>,
        owners: &mut Vec<(Gid, usize)>,
    ) -> Result<(), ShardError> {
        let mut table = world.resource_mut::<Neighbours<M>>();
        table.begin(first, columns);
        let query = world.query_filtered::<(&Gid, &P, M::Data), Own>();
        for (&gid, position, item) in query.iter() {
            let position = (self.position)(position);
            let value = M::copied(item);
            if !table.add(Neighbour {
                gid,
                position,
                value,
            }) {
                return Err(ShardError::Astray { gid });
            }
        }
        owners.clear();
        for packet in packets {
            let gids = packet.list()?;
            let owned_by = packet.all_u32(gids.len())?;
            let [xs, ys] = [packet.all_u32(gids.len())?, packet.all_u32(gids.len())?];
            let positions = xs.zip(ys);
            let bytes = packet.bytes()?;
            let mut decoder = Decoder::of_bytes(bytes);
            for ((gid, owner), (x, y)) in gids.zip(owned_by).zip(positions) {
                let position = [x, y].map(f32::from_bits);
                let value = decoder.value::<M>();
                let value = value.map_err(|error| ShardError::message(type_name::<M>(), &error))?;
                let gid = gid_of(packet, gid)?;
                owners.push((gid, owner as usize));
                if !table.add(Neighbour {
                    gid,
                    position,
                    value,
                }) {
                    return Err(packet.malformed("it shows an entity that is not near"));
                }
            }
            decoder
                .finish()
                .map_err(|_| packet.malformed("there are more values than entities"))?;
        }
        table.finish();
        Ok(())
    }
}
