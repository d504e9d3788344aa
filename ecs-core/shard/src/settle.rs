//! The end of a tick: entities leave, are born and are buried, and shards show each other their border columns.
//!
//! One round for all of it. A packet has:
//!
//! ```text
//! ghosts: bytes                          the entities that the shard has to know: see `placement.rs`
//! births: [parent: u64], [nth: u64]      sorted; an id with `BIRTH` set is a number in this list
//! dead: [u64]
//! totals: [i64]                          this shard's part of each reduction
//! loads: [u64]                           entities by column, or their time, in ticks that move borders
//! durable: u64                           the last checkpoint that is safe on this shard
//! rows: bytes                            the entities that move here
//! ```

use std::time::Duration;

use ecs_data::RowsBytes;
use ecs_engine::Entity;
use ecs_engine::query::{AndDisabled, Without};
use ecs_engine::rows::Rows;
use ecs_engine::world::ReadOnlyWorld;

use crate::births::{BIRTH, BirthRanks};
use crate::borders::Borders;
use crate::error::ShardError;
use crate::gid::{Birth, Gid, Stub};
use crate::known::{
    Departures, EntityMap, FEW_STUBS, GidMap, despawn_stubs, key_of, own_entities, stub, take_out,
};
use crate::packet::{PacketReader, ShardPacket};
use crate::placement::{Ghosts, Leaving, ReceivedGhosts};
use crate::refuse;
use crate::shard::Shard;

impl Shard<'_> {
    /// Ends a tick; or only brings everything to its place if time does not `advance`.
    pub(crate) fn settle(&mut self, advance: bool) -> Result<(), ShardError> {
        if let Some(borders) = self.next_borders.take() {
            self.set_borders(borders);
        }
        let births = self.births()?;
        let of_births: EntityMap<u64> = births
            .iter()
            .map(|&(_, entity)| entity)
            .zip(BIRTH..)
            .collect();
        let dead = self.deaths()?;
        let leaving = self.leaving()?;
        let ghosts = self.ghosts(&leaving, &of_births)?;
        let shares = self.common(&births, &dead, advance);
        let mut rows = self.take(&leaving, &of_births)?;
        let mut packets = Vec::new();
        let ghost_count: usize = ghosts.iter().map(|ghosts| ghosts.count).sum();
        for (rows, ghosts) in rows.iter_mut().zip(ghosts) {
            let mut packet = ghosts.into_packet();
            packet.append(&shares);
            match rows.take() {
                Some(rows) => packet.put_rows(&rows)?,
                None => packet.put_bytes(&[]),
            }
            packets.push(packet);
        }
        self.stats.ghosts += ghost_count as u64;
        self.stats.migrants += leaving.len() as u64;
        let got = self.round(packets)?;
        let mut packets = PacketReader::all(&got);
        let mut ghosts = Vec::new();
        for packet in &mut packets {
            let (from, bytes) = (packet.from(), packet.bytes()?);
            ghosts.push(ReceivedGhosts { from, bytes });
        }
        let shared = SharedParts::read(&mut packets, self.plan.reductions.len())?;
        let ranks = BirthRanks::of(&shared.births, self.next_gid)?;
        (self.first_fresh, self.next_gid) = (self.next_gid, ranks.next);
        self.name_births(&births, &ranks);
        for packet in &mut packets {
            self.put(packet, &ranks)?;
            packet.finish()?;
        }
        self.bury(&shared.dead);
        self.fill_neighbours(&ghosts, &ranks)?;
        self.safe_checkpoint = shared.durable;
        self.memory = got;
        if advance {
            self.finish_tick(&shared);
        }
        self.sweep_stubs_if_many()
    }

    /// Finds the entities without a `Gid`, in the order of their births.
    fn births(&mut self) -> Result<Vec<(Birth, Entity)>, ShardError> {
        let unborn = self
            .world
            .query_filtered::<Entity, (Without<Gid>, Without<Birth>, AndDisabled)>();
        if let Some(entity) = unborn.iter().next() {
            let handle = self.world.entity(entity).expect("the query has found it");
            return Err(ShardError::NoBirth {
                components: handle
                    .components()
                    .map(|component| component.name())
                    .collect(),
                count: unborn.iter().count(),
            });
        }
        let query = self
            .world
            .query_filtered::<(&Birth, Entity), (Without<Gid>, AndDisabled)>();
        let mut births: Vec<(Birth, Entity)> = query
            .iter()
            .map(|(birth, entity)| (*birth, entity))
            .collect();
        births.sort_unstable();
        Ok(births)
    }

    fn deaths(&mut self) -> Result<Vec<Gid>, ShardError> {
        let mut departures = self.world.resource_mut::<Departures>();
        if let Some(&gid) = departures.foreign.first() {
            return Err(ShardError::Foreign { gid });
        }
        let dead = std::mem::take(&mut departures.dead);
        drop(departures);
        for gid in &dead {
            self.known.remove(*gid);
        }
        Ok(dead)
    }

    /// Finds the entities that belong to another shard, with their trees, and their new shards; in the order of their ids.
    pub(crate) fn leaving(&mut self) -> Result<Vec<(Entity, usize)>, ShardError> {
        let mut leaving = self.leaving_trees()?;
        leaving.sort_unstable();
        Ok(leaving)
    }

    fn leaving_trees(&mut self) -> Result<Vec<(Entity, usize)>, ShardError> {
        let (me, world) = (self.me, &self.world);
        let shards = self.net.shards();
        let mut heads = Vec::new();
        let by_gid = |entity: Entity, gid: Option<Gid>| {
            let owner = Self::owner_of(gid?, shards);
            (owner != me).then_some((entity, owner))
        };
        let Some(placement) = &self.plan.placement else {
            self.known.index(world);
            for gid in self.fresh.drain(..) {
                if let Some(entity) = self.known.own_entity(gid)
                    && world.contains(entity)
                {
                    heads.extend(by_gid(entity, Some(gid)));
                }
            }
            return Ok(heads);
        };
        if shards > 1 {
            placement.rows.leaving(world, &self.columns, me, &mut heads);
        }
        placement
            .rows
            .placeless(world, &mut |entity, gid| heads.extend(by_gid(entity, gid)));
        let Some(tree) = &placement.tree else {
            return Ok(heads);
        };
        let (mut too_far, mut elsewhere) = (None, None);
        let gid_of = |entity| world.get::<Gid>(entity).map_or(Gid(BIRTH), |gid| *gid);
        (tree.each)(world, &mut |entity, root| {
            if placement.sees_tree && world.has::<Stub>(root) {
                elsewhere.get_or_insert((entity, root));
            }
            let positions = [root, entity].map(|entity| placement.rows.position(world, entity));
            if let [Some(root), Some(position)] = positions {
                let [x, y] = placement.grid.offset(root, position);
                let distance = (x * x + y * y).sqrt();
                if distance > placement.slack && too_far.is_none() {
                    too_far = Some((entity, distance));
                }
            }
        });
        if let Some((entity, root)) = elsewhere {
            let [gid, root] = [entity, root].map(gid_of);
            return Err(ShardError::RootElsewhere { gid, root });
        }
        if let Some((entity, distance)) = too_far {
            let gid = gid_of(entity);
            let slack = placement.slack;
            return Err(ShardError::FarFromRoot {
                gid,
                distance,
                slack,
            });
        }
        let mut all = Vec::new();
        let mut tree_of = Vec::new();
        for (head, owner) in heads {
            tree_of.clear();
            (tree.descendants)(world, head, &mut tree_of);
            all.push((head, owner));
            all.extend(tree_of.iter().map(|&entity| (entity, owner)));
        }
        // A stub at the head of a tree says nothing about where its entity is.
        all.retain(|&(entity, _)| !world.has::<Stub>(entity));
        Ok(all)
    }

    fn ghosts(
        &mut self,
        leaving: &[(Entity, usize)],
        births: &EntityMap<u64>,
    ) -> Result<Vec<Ghosts>, ShardError> {
        let shards = self.net.shards();
        let mut memory = std::mem::take(&mut self.memory);
        memory.resize_with(shards, Vec::new);
        if let Some(placement) = &mut self.plan.placement
            && let Some(mirror) = &mut placement.mirror
            && shards > 1
        {
            let leaving = Leaving {
                me: self.me,
                to: placement.tree.is_some().then_some(leaving),
                births,
            };
            return mirror
                .fns
                .pack(&self.world, &self.columns, &leaving, memory);
        }
        Ok(memory.into_iter().map(Ghosts::none).collect())
    }

    /// Writes the part of a packet that all shards get.
    fn common(&mut self, births: &[(Birth, Entity)], dead: &[Gid], advance: bool) -> ShardPacket {
        let mut packet = ShardPacket::default();
        packet.put_list(births, |(birth, _)| birth.parent);
        packet.put_list(births, |(birth, _)| birth.nth.into());
        packet.put_list(dead, |gid| gid.0);
        let mut parts = Vec::new();
        if advance {
            for reduce in &self.plan.reductions {
                parts.push((reduce.take)(&mut self.world));
            }
        }
        packet.put_list(&parts, |part| *part as u64);
        let every = self.plan.balance_every;
        let balances = advance && every != 0 && (self.tick + 1).is_multiple_of(every);
        let mut loads = Vec::new();
        if let (true, Some(placement)) = (balances, &self.plan.placement) {
            loads.resize(placement.grid.columns() as usize, 0);
            placement.rows.loads(&self.world, &mut loads);
            if self.plan.balances_time {
                let rows = loads.iter().sum::<u64>().max(1);
                let each = self.work.as_nanos() as u64 / rows;
                loads.iter_mut().for_each(|load| *load *= each.max(1));
                self.work = Duration::ZERO;
            }
        }
        packet.put_list(&loads, |load| *load);
        packet.put_u64(self.saver.as_mut().map_or(0, |saver| saver.durable()));
        packet
    }

    /// Takes the entities that leave out of the world, by their new shard.
    fn take(
        &mut self,
        leaving: &[(Entity, usize)],
        births: &EntityMap<u64>,
    ) -> Result<Vec<Option<Rows>>, ShardError> {
        let mut lists: Vec<Vec<Entity>> = vec![Vec::new(); self.net.shards()];
        for &(entity, shard) in leaving {
            lists[shard].push(entity);
        }
        let leaves_stubs = !leaving.is_empty() && self.world.can_name_entities();
        if !self.plan.locals.0.is_empty() {
            for &(entity, _) in leaving {
                self.plan.locals.strip(&mut self.world, entity);
            }
        }
        let mut rows = Vec::new();
        for list in lists {
            if list.is_empty() {
                rows.push(None);
                continue;
            }
            let key = |world: ReadOnlyWorld<'_>, entity| match world.get::<Gid>(entity) {
                Some(gid) => Some(gid.0),
                None => births.get(&entity).copied(),
            };
            let taken = take_out(&mut self.world, &list, leaves_stubs, key)?;
            refuse::rows(&taken, &mut self.plan)?;
            for (key, entity) in taken.keys().zip(list) {
                if key & BIRTH != 0 {
                    continue;
                }
                self.known.remove(Gid(key));
                if leaves_stubs {
                    self.known.stubs.insert(Gid(key), entity);
                }
            }
            rows.push(Some(taken));
        }
        Ok(rows)
    }

    /// Gives the new entities of this shard their ids, if they stay or have left a stub.
    fn name_births(&mut self, births: &[(Birth, Entity)], ranks: &BirthRanks) {
        for (number, &(_, entity)) in births.iter().enumerate() {
            let gid = Gid(ranks.gids[self.me][number]);
            if self.world.has::<Stub>(entity) {
                if let Some(number) = self.world.get_mut::<Gid>(entity) {
                    *number = gid;
                }
                self.known.stubs.insert(gid, entity);
            } else if self.world.contains(entity) {
                self.name(gid, entity);
            }
        }
        self.stats.births += births.len() as u64;
    }

    fn name(&mut self, gid: Gid, entity: Entity) {
        let is_alive = "a new entity lives until the tick has ended";
        self.world.remove::<Birth>(entity).expect(is_alive);
        self.world.insert(entity, gid).expect(is_alive);
        self.known.insert(gid, entity);
        if self.plan.placement.is_none() {
            self.fresh.push(gid);
        }
    }

    /// Adds the entities that have come from a shard.
    fn put(&mut self, packet: &mut PacketReader<'_>, ranks: &BirthRanks) -> Result<(), ShardError> {
        let from = packet.from();
        let bytes = packet.bytes()?;
        if bytes.is_empty() {
            return Ok(());
        }
        let rows = Rows::from_bytes(&self.world, bytes);
        let rows = rows.map_err(|error| ShardError::Read { from, error })?;
        let mut gids = Vec::with_capacity(rows.len());
        let mut births = Vec::new();
        for (number, key) in rows.keys().enumerate() {
            gids.push(ranks.gid(from, key)?);
            if key & BIRTH != 0 {
                births.push(number);
            }
        }
        for key in rows.outside() {
            ranks.gid(from, key)?;
        }
        let gid = |key| ranks.gid(from, key).unwrap_or(Gid(key));
        let placed = self.put_known(from, rows, &gids, &gid)?;
        for number in births {
            self.name(gids[number], placed[number]);
        }
        Ok(())
    }

    /// Adds entities with these numbers, and notes where they are; `gid` says whom the key of another entity stands for. Returns the
    /// entities.
    pub(crate) fn put_known(
        &mut self,
        from: usize,
        rows: Rows,
        gids: &[Gid],
        gid: &dyn Fn(u64) -> Gid,
    ) -> Result<Vec<Entity>, ShardError> {
        if rows.outside().next().is_some() {
            self.known.index(&self.world);
        }
        let known = &self.known;
        let has_stubs = !known.stubs.is_empty();
        let mut of_rows = gids.iter();
        let find = |key| match of_rows.next() {
            // Rows come first, and are of entities that do not live here.
            Some(_) if !has_stubs => None,
            Some(gid) => known.stubs.get(gid).copied(),
            None => known.get(gid(key)),
        };
        let put = self
            .world
            .put_rows_with_stubs(rows, find, |key| stub(gid(key).0));
        let put = put.map_err(|error| ShardError::Put {
            from,
            reason: error.reason().clone(),
        })?;
        for (gid, &entity) in gids.iter().zip(&put.entities) {
            if has_stubs {
                self.known.stubs.remove(gid);
            }
            if !self.known.insert(*gid, entity) {
                let problem = "it brings an entity that lives here";
                return Err(ShardError::Packet { from, problem });
            }
        }
        let stubs = put.stubs.into_iter();
        self.known
            .stubs
            .extend(stubs.map(|(key, entity)| (gid(key), entity)));
        Ok(put.entities)
    }

    /// Removes the stubs of the dead.
    fn bury(&mut self, dead: &[Gid]) {
        let stubs = dead.iter().filter_map(|gid| self.known.stubs.remove(gid));
        despawn_stubs(&mut self.world, stubs);
    }

    fn fill_neighbours(
        &mut self,
        ghosts: &[ReceivedGhosts<'_>],
        ranks: &BirthRanks,
    ) -> Result<(), ShardError> {
        let columns = self.known_columns();
        let placement = self.plan.placement.as_mut();
        let Some(mirror) = placement.and_then(|placement| placement.mirror.as_mut()) else {
            return match ghosts.iter().find(|ghosts| !ghosts.bytes.is_empty()) {
                None => Ok(()),
                Some(&ReceivedGhosts { from, .. }) => {
                    let problem = "it shows entities, and nothing is mirrored";
                    Err(ShardError::Packet { from, problem })
                }
            };
        };
        // Messages ask for owners.
        let owners = (!self.plan.messages.is_empty()).then_some(&mut self.ghost_owners);
        mirror.fns.fill(&self.world, columns, ghosts, ranks, owners)
    }

    /// Sets the results that all shards have made together, and the clock.
    fn finish_tick(&mut self, shared: &SharedParts) {
        for (reduce, total) in self.plan.reductions.iter().zip(&shared.totals) {
            let total = total
                .iter()
                .copied()
                .reduce(|one, other| reduce.reduction.join(one, other));
            (reduce.set)(&mut self.world, total.unwrap_or(0));
        }
        for fns in &self.plan.messages {
            (fns.clear)(&mut self.world);
        }
        if !shared.loads.is_empty() {
            let shards = self.net.shards();
            let mut sums = vec![0_u128; shards];
            for (column, &load) in (0..).zip(&shared.loads) {
                sums[self.borders.owner(column)] += u128::from(load);
            }
            let (most, all) = (sums.iter().max(), sums.iter().sum::<u128>());
            self.stats.imbalance = *most.unwrap_or(&0) as f64 * shards as f64 / all.max(1) as f64;
            self.next_borders = Some(Borders::by_load(&shared.loads, shards));
        }
        self.tick += 1;
    }

    /// Removes the stubs that nothing names, if there are many.
    fn sweep_stubs_if_many(&mut self) -> Result<(), ShardError> {
        match self.known.stubs.len() > self.stubs_to_sweep {
            true => self.sweep_stubs(),
            false => Ok(()),
        }
    }

    /// Removes the stubs that nothing names. O(world).
    pub(crate) fn sweep_stubs(&mut self) -> Result<(), ShardError> {
        if self.known.stubs.is_empty() {
            return Ok(());
        }
        let own = own_entities(&self.world);
        let named = self.world.named_by(&own)?;
        let named: Vec<Gid> = named
            .iter()
            .filter_map(|&id| Some(*self.world.get::<Gid>(id)?))
            .collect();
        let needed: GidMap<Entity> = named
            .iter()
            .filter_map(|gid| self.known.stubs.remove_entry(gid))
            .collect();
        let unneeded = std::mem::replace(&mut self.known.stubs, needed);
        let mut unneeded: Vec<Entity> = unneeded.into_values().collect();
        unneeded.sort_unstable();
        // Nothing is related to them, and no observer hears of it.
        drop(self.world.take_rows(&unneeded, key_of)?);
        let most = (self.known.stubs.len() * 2).max(own.len() / 4);
        self.stubs_to_sweep = FEW_STUBS.max(most);
        Ok(())
    }
}

/// The parts of packets that all shards have sent to all.
struct SharedParts {
    /// By shard: the parent and the number of each birth.
    births: Vec<Vec<(u64, u32)>>,
    dead: Vec<Gid>,
    /// By reduction, and by shard.
    totals: Vec<Vec<i64>>,
    /// By column; empty if borders stay.
    loads: Vec<u64>,
    /// The last checkpoint that is safe on all shards.
    durable: u64,
}

impl SharedParts {
    fn read(packets: &mut [PacketReader<'_>], reductions: usize) -> Result<Self, ShardError> {
        let mut shared = Self {
            births: Vec::new(),
            dead: Vec::new(),
            totals: vec![Vec::new(); reductions],
            loads: Vec::new(),
            durable: u64::MAX,
        };
        for packet in packets {
            let (parents, numbers) = (packet.list()?, packet.list()?);
            if parents.len() != numbers.len() {
                return Err(packet.malformed("births have as many parents as numbers"));
            }
            let births = parents.zip(numbers.map(|number| number as u32));
            shared.births.push(births.collect());
            shared.dead.extend(packet.list()?.map(Gid));
            let parts = packet.list()?;
            if parts.len() != 0 && parts.len() != reductions {
                return Err(packet.malformed("it has another number of reductions"));
            }
            for (totals, part) in shared.totals.iter_mut().zip(parts) {
                totals.push(part as i64);
            }
            let loads = packet.list()?;
            if packet.from() == 0 {
                shared.loads = loads.collect();
            } else if loads.len() != shared.loads.len() {
                return Err(packet.malformed("it has another number of columns"));
            } else {
                for (sum, load) in shared.loads.iter_mut().zip(loads) {
                    *sum = sum.saturating_add(load);
                }
            }
            shared.durable = shared.durable.min(packet.u64()?);
        }
        Ok(shared)
    }
}
