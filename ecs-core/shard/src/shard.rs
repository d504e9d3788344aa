//! `Shard`: one part of a world, and its ticks.

use std::time::{Duration, Instant};

use ecs_data::__private::Saved;
use ecs_data::WorldHasher;
use ecs_engine::World;
use ecs_engine::data_type::{DataType, DataTypeOf};
use ecs_engine::meta::ConstTypeIdOf;
use ecs_engine::resource::Resource;
use serde::{Deserialize, Serialize};

use crate::borders::{Borders, ColumnShards};
use crate::checkpoint_writer::CheckpointWriter;
use crate::error::ShardError;
use crate::gid::Gid;
use crate::grid::Grid;
use crate::known::KnownEntities;
use crate::net::Net;
use crate::packet::{PacketReader, ShardPacket};
use crate::shards::Shards;

/// Counters of a shard since it began: also a resource that is data, for the world of an app that shows them in
/// the inspector.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ShardStats {
    /// Rounds of bytes to all other shards.
    pub rounds: u64,
    /// The bytes that were sent to other shards.
    pub bytes: u64,
    /// Entities that have moved to another shard.
    pub migrants: u64,
    /// Entities that were shown to another shard.
    pub ghosts: u64,
    /// Messages that were sent from here.
    pub messages: u64,
    /// Entities that were born here.
    pub births: u64,
    /// The time spent in rounds: mostly waiting for other shards.
    pub waited: Duration,
    /// The load of the fullest shard divided by the mean load, at the last [balance](Shards::balance).
    pub imbalance: f64,
}

impl Resource for ShardStats {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_shard::ShardStats", "ShardStats").with_data({
            const SAVED: &Saved = &Saved::of::<ShardStats>();
            const DATA: &[DataType] = &[DataTypeOf::<ShardStats>::new("ecs.shard_stats", 1)
                .resource()
                .cloned()
                .printed()
                .coded(SAVED)
                .erased()];
            DATA
        });
}

/// One part of a world: the entities that one of several shards owns, and the ticks that all shards run together.
///
/// [`run`](crate::run()) makes it.
pub struct Shard<'n> {
    pub(crate) net: &'n mut dyn Net,
    pub(crate) me: usize,
    pub(crate) world: World,
    pub(crate) plan: Shards,
    pub(crate) tick: u64,
    /// The time of systems since borders were moved, if borders move by time.
    pub(crate) work: Duration,
    /// The `Gid` of the next entity that is born, on any shard.
    pub(crate) next_gid: u64,
    pub(crate) borders: Borders,
    /// The borders from the end of the present tick on.
    pub(crate) next_borders: Option<Borders>,
    pub(crate) columns: Vec<ColumnShards>,
    pub(crate) known: KnownEntities,
    /// Reused memory: the bytes of the last tick, by shard.
    pub(crate) memory: Vec<Vec<u8>>,
    /// The owners of the entities of other shards that are shown here.
    pub(crate) ghost_owners: Vec<(Gid, usize)>,
    /// Without places: the entities that were born here in the last tick, and may not be on their shard; all of them at the beginning.
    pub(crate) fresh: Vec<Gid>,
    /// The `Gid` of the first entity that was born in the last tick, on any shard.
    pub(crate) first_fresh: u64,
    pub(crate) stubs_to_sweep: usize,
    /// The number of tables whose components are known to be data.
    pub(crate) tables: usize,
    pub(crate) saver: Option<CheckpointWriter>,
    /// The tick of the last checkpoint that is safe on all shards.
    pub(crate) safe_checkpoint: u64,
    pub(crate) stats: ShardStats,
    pub(crate) hasher: WorldHasher,
}

impl Shard<'_> {
    /// Returns the owner of an entity without a place.
    pub(crate) fn owner_of(gid: Gid, shards: usize) -> usize {
        (gid.random(0) % shards as u64) as usize
    }

    pub(crate) fn set_borders(&mut self, borders: Borders) {
        if let Some(placement) = &self.plan.placement {
            self.columns = borders.near(&placement.grid, placement.reach());
        }
        self.borders = borders;
    }

    /// Returns the first column that this shard knows, and their number.
    pub(crate) fn known_columns(&self) -> (u32, u32) {
        let Some(placement) = &self.plan.placement else {
            return (0, 0);
        };
        let (start, own) = self.borders.of_shard(self.me);
        let (reach, all) = (placement.reach(), placement.grid.columns());
        if own == 0 {
            return (0, 0);
        }
        if own.saturating_add(reach.saturating_mul(2)) >= all {
            return (0, all);
        }
        if placement.grid.wraps() {
            return ((start + all - reach) % all, own + 2 * reach);
        }
        let first = start.saturating_sub(reach);
        (first, (start + own + reach).min(all) - first)
    }

    /// Exchanges packets with all shards.
    pub(crate) fn round(&mut self, packets: Vec<ShardPacket>) -> Result<Vec<Vec<u8>>, ShardError> {
        let out: Vec<Vec<u8>> = packets.into_iter().map(ShardPacket::into_bytes).collect();
        let others = out
            .iter()
            .enumerate()
            .filter(|(shard, _)| *shard != self.me);
        self.stats.bytes += others.map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
        self.stats.rounds += 1;
        let begin = Instant::now();
        let got = self.net.round(out)?;
        self.stats.waited += begin.elapsed();
        Ok(got)
    }

    /// Sends bytes to all shards, and returns the bytes of each, in their order. All shards call it at the same time.
    ///
    /// # Errors
    /// If a shard is lost.
    pub fn share(&mut self, bytes: Vec<u8>) -> Result<Vec<Vec<u8>>, ShardError> {
        self.round(vec![ShardPacket::of_bytes(bytes); self.net.shards()])
    }

    /// Returns the hash of the whole world, by [`Gid`]: the same for any number of shards. All shards call it at the same time.
    /// O(values).
    ///
    /// # Errors
    /// If the world cannot be hashed, a shard is lost, or resources that are data differ between shards.
    pub fn hash(&mut self) -> Result<u64, ShardError> {
        let rows = self.hasher.rows(&self.world)?;
        let resources = self.hasher.resources(&self.world)?;
        let bytes = [rows, resources].map(u64::to_le_bytes).concat();
        let mut hash = 0_u64;
        let mut first = None;
        for mut part in PacketReader::all(&self.share(bytes)?) {
            hash = hash.wrapping_add(part.u64()?);
            let resources = part.u64()?;
            if *first.get_or_insert(resources) != resources {
                let shard = part.from();
                return Err(ShardError::Resources { shard });
            }
        }
        Ok(hash.wrapping_add(first.unwrap_or(0)))
    }

    /// Returns the number of entities of all shards. All shards call it at the same time.
    ///
    /// # Errors
    /// If a shard is lost.
    pub fn total(&mut self) -> Result<u64, ShardError> {
        let own = self.own_len() as u64;
        let mut sum = 0;
        for mut part in PacketReader::all(&self.share(own.to_le_bytes().to_vec())?) {
            sum += part.u64()?;
        }
        Ok(sum)
    }

    /// Returns the number of entities of this shard.
    #[must_use]
    pub fn own_len(&self) -> usize {
        self.known.own().len()
    }

    /// Returns the number of this shard, from 0 on.
    #[must_use]
    pub fn number(&self) -> usize {
        self.me
    }

    /// Returns the number of all shards.
    #[must_use]
    pub fn shards(&self) -> usize {
        self.net.shards()
    }

    /// Returns the number of ticks that have run, on this and earlier runs from which it was resumed.
    #[must_use]
    pub fn ticks(&self) -> u64 {
        self.tick
    }

    /// Returns the world of this shard, to look at. It has the shard's own entities, and disabled stubs of others.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// Returns the grid, if entities have [places](Shards::place).
    #[must_use]
    pub fn grid(&self) -> Option<&Grid> {
        self.plan
            .placement
            .as_ref()
            .map(|placement| &placement.grid)
    }

    /// Returns the first column of each shard, and the number of columns.
    #[must_use]
    pub fn borders(&self) -> &[u32] {
        self.borders.starts()
    }

    /// Returns the counters of this shard.
    #[must_use]
    pub fn stats(&self) -> &ShardStats {
        &self.stats
    }
}
