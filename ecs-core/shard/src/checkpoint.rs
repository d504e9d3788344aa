//! Checkpoints: all shards at one tick, in files.
//!
//! A shard copies its world into memory, and a thread writes the copy while the simulation goes on. Shards tell each other at the
//! end of each tick which checkpoint is safe on their disk, and delete older ones only when a newer one is safe everywhere. So
//! whenever processes die, there is one tick whose files are all there.
//!
//! ```text
//! TICK.SHARD-of-SHARDS:
//! "ecs-shrd", form: u32
//! header: bytes                          tick, next `Gid`, borders, totals, messages that wait
//! snapshot: bytes                        see `SnapshotBytes`; with the ticks that systems remember
//! checksum: u64                          of all before
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use ecs_data::__private::checksum;
use ecs_data::{SnapshotBytes, SnapshotterBytes, write_file};
use ecs_engine::rows::Rows;
use ecs_engine::snapshot::{Snapshot, Snapshotter};

use crate::borders::Borders;
use crate::clock::TickNumber;
use crate::error::ShardError;
use crate::gid::Gid;
use crate::known::{Departures, KnownEntities};
use crate::local::LocalComponents;
use crate::packet::{PacketReader, ShardPacket};
use crate::shard::Shard;

/// The first bytes of a file.
const MAGIC: &[u8; 8] = b"ecs-shrd";

/// The version of the form.
const FORM: u32 = 2;

/// A file of a checkpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CheckpointFile {
    tick: u64,
    shard: usize,
    shards: usize,
}

impl CheckpointFile {
    fn path(self, folder: &Path) -> PathBuf {
        let Self {
            tick,
            shard,
            shards,
        } = self;
        folder.join(format!("{tick:012}.{shard}-of-{shards}"))
    }

    fn of_name(name: &str) -> Option<Self> {
        let (tick, shards) = name.split_once('.')?;
        let (shard, shards) = shards.split_once("-of-")?;
        let file = Self {
            tick: tick.parse().ok()?,
            shard: shard.parse().ok()?,
            shards: shards.parse().ok()?,
        };
        (file.shard < file.shards).then_some(file)
    }

    fn all(folder: &Path) -> Vec<Self> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| Self::of_name(entry.file_name().to_str()?));
        let mut files: Vec<Self> = names.collect();
        files.sort_unstable();
        files
    }
}

impl Shard<'_> {
    /// Copies the world, and begins to write the copy to a file.
    pub(crate) fn write_checkpoint(&mut self) -> Result<(), ShardError> {
        let Some(plan) = self.plan.checkpoint.clone() else {
            return Ok(());
        };
        fs::create_dir_all(&plan.folder).map_err(|error| ShardError::file(&plan.folder, error))?;
        let file = CheckpointFile {
            tick: self.tick,
            shard: self.me,
            shards: self.net.shards(),
        };
        let path = file.path(&plan.folder);
        let snapshotter = snapshotter(&self.plan.locals);
        let snapshot = snapshotter.take_with(&mut self.world, &mut self.plan.schedules());
        let snapshot = snapshot.map_err(|error| ShardError::file(&path, error))?;
        let header = self.header()?;
        self.delete_old(&plan.folder);
        let writer = self.saver.get_or_insert_default();
        writer.begin(self.tick, move || write(&path, &header, &snapshot))
    }

    fn header(&self) -> Result<Vec<u8>, ShardError> {
        let mut header = ShardPacket::default();
        header.put_u64(self.tick);
        header.put_u64(self.next_gid);
        header.put_list(self.borders.starts(), |start| (*start).into());
        let totals = self.plan.reductions.iter();
        let totals: Vec<i64> = totals.map(|reduce| (reduce.total)(&self.world)).collect();
        header.put_list(&totals, |total| *total as u64);
        for fns in &self.plan.messages {
            header.put_bytes(&(fns.save)(&self.world)?);
        }
        Ok(header.into_bytes())
    }

    /// Deletes the checkpoints of this shard that no shard needs any more, and those of another number of shards.
    fn delete_old(&self, folder: &Path) {
        for file in CheckpointFile::all(folder) {
            let is_mine = file.shard == self.me || file.shards != self.net.shards();
            if is_mine && file.tick < self.safe_checkpoint {
                // A file that cannot be deleted does no harm.
                _ = fs::remove_file(file.path(folder));
            }
        }
    }

    /// Waits until the checkpoint that is being written is safe.
    pub(crate) fn finish_checkpoint(&mut self) -> Result<(), ShardError> {
        let Some(saver) = &mut self.saver else {
            return Ok(());
        };
        saver.wait();
        saver.error.take().map_or(Ok(()), Err)
    }

    /// Refuses to begin a run in a folder with checkpoints of another one: a later resume would go on from the newest of both, which
    /// may have other entities and systems.
    pub(crate) fn refuse_other_checkpoints(&self) -> Result<(), ShardError> {
        let Some(plan) = &self.plan.checkpoint else {
            return Ok(());
        };
        match CheckpointFile::all(&plan.folder).last() {
            None => Ok(()),
            Some(CheckpointFile { tick, .. }) => Err(ShardError::file(
                &plan.folder,
                format_args!(
                    "this run begins anew, and the folder has checkpoints of an earlier one, up to tick {tick}; help: go on with that one by `ShardConfig::resume` or `SHARD_RESUME=1`, delete the folder, or name another one"
                ),
            )),
        }
    }

    /// Goes back to the last checkpoint whose files are all there, of any number of shards; false if there is none.
    pub(crate) fn resume(&mut self) -> Result<bool, ShardError> {
        let Some(plan) = self.plan.checkpoint.clone() else {
            return Ok(false);
        };
        let Some((tick, shards)) = self.agreed(&plan.folder)? else {
            return Ok(false);
        };
        let file = |shard| CheckpointFile {
            tick,
            shard,
            shards,
        };
        if shards == self.net.shards() {
            let path = file(self.me).path(&plan.folder);
            let borders = self.restore(&path, shards)?;
            self.set_borders(borders);
        } else {
            self.divide((0..shards).map(|shard| file(shard).path(&plan.folder)))?;
        }
        self.known = KnownEntities::of(&self.world);
        *self.world.resource_mut::<Departures>() = Departures::default();
        *self.world.resource_mut::<TickNumber>() = TickNumber(tick);
        self.tick = tick;
        self.safe_checkpoint = 0;
        if shards == self.net.shards() {
            self.saver.get_or_insert_default().durable = tick;
        }
        // The entities of the last tick before the checkpoint may still be on the shards of their parents.
        self.fresh = self.known.own().iter().collect();
        self.settle(false)?;
        Ok(true)
    }

    /// Agrees with all shards on the last checkpoint that all of them can read.
    fn agreed(&mut self, folder: &Path) -> Result<Option<(u64, usize)>, ShardError> {
        let files = CheckpointFile::all(folder);
        let mut mine: Vec<u64> = Vec::new();
        for same in files.chunk_by(|one, next| one.tick == next.tick) {
            let mut counts: Vec<usize> = same.iter().map(|file| file.shards).collect();
            counts.sort_unstable();
            counts.dedup();
            for shards in counts {
                let of_it = same.iter().filter(|file| file.shards == shards);
                let is_readable = match shards == self.net.shards() {
                    true => of_it.clone().any(|file| file.shard == self.me),
                    false => of_it.count() == shards,
                };
                if is_readable {
                    mine.extend([same[0].tick, shards as u64]);
                }
            }
        }
        let mut list = ShardPacket::default();
        list.put_list(&mine, |number| *number);
        let got = self.share(list.into_bytes())?;
        let mut lists = Vec::new();
        for (shard, bytes) in got.iter().enumerate() {
            let numbers: Vec<u64> = PacketReader::new(shard, bytes).list()?.collect();
            let (pairs, _) = numbers.as_chunks::<2>();
            lists.push(
                pairs
                    .iter()
                    .map(|&[tick, shards]| (tick, shards))
                    .collect::<Vec<_>>(),
            );
        }
        let Some((first, others)) = lists.split_first() else {
            return Ok(None);
        };
        let all_have = |one: &&(u64, u64)| others.iter().all(|list| list.contains(one));
        let last = first.iter().filter(all_have).max();
        Ok(last.map(|&(tick, shards)| (tick, shards as usize)))
    }

    /// Reads a file into the world; returns its borders.
    fn restore(&mut self, path: &Path, shards: usize) -> Result<Borders, ShardError> {
        let failed = |problem: &dyn std::fmt::Display| ShardError::file(path, problem);
        let bytes = fs::read(path).map_err(|error| failed(&error))?;
        let malformed = |_| failed(&"it is damaged");
        let Some((content, sum)) = bytes.split_last_chunk::<8>() else {
            return Err(failed(&"it is damaged"));
        };
        if u64::from_le_bytes(*sum) != checksum(content) {
            return Err(failed(&"it is damaged"));
        }
        let Some(content) = content.strip_prefix(MAGIC) else {
            return Err(failed(&"it is not a checkpoint"));
        };
        let mut input = PacketReader::new(0, content);
        if input.u32().map_err(malformed)? != FORM {
            return Err(failed(&"it was written by another version"));
        }
        let (header, snapshot) = (
            input.bytes().map_err(malformed)?,
            input.bytes().map_err(malformed)?,
        );
        let mut header = PacketReader::new(0, header);
        header.u64().map_err(malformed)?;
        self.next_gid = header.u64().map_err(malformed)?;
        let starts: Vec<u32> = header
            .list()
            .map_err(malformed)?
            .map(|start| start as u32)
            .collect();
        let Some(borders) = Borders::of_starts(starts, self.plan.columns(), shards) else {
            return Err(failed(
                &"it has other columns than the grid of this program",
            ));
        };
        let totals: Vec<u64> = header.list().map_err(malformed)?.collect();
        if totals.len() != self.plan.reductions.len() {
            return Err(failed(&"it has other reductions than this program"));
        }
        for (reduce, total) in self.plan.reductions.iter().zip(totals) {
            (reduce.set)(&mut self.world, total as i64);
        }
        for fns in &self.plan.messages {
            let bytes = header.bytes().map_err(malformed)?;
            (fns.load)(&mut self.world, &mut PacketReader::new(0, bytes))?;
        }
        self.plan.locals.strip_all(&mut self.world, |_| true);
        let snapshotter = snapshotter(&self.plan.locals);
        let snapshot = snapshotter.read_bytes(&self.world, snapshot);
        let mut snapshot = snapshot.map_err(|error| failed(&error))?;
        snapshotter
            .restore_with(&mut self.world, &mut self.plan.schedules(), &mut snapshot)
            .map_err(|error| failed(&error))?;
        Ok(borders)
    }

    /// Reads the files of another number of shards, and keeps the entities that this one owns.
    fn divide(&mut self, files: impl ExactSizeIterator<Item = PathBuf>) -> Result<(), ShardError> {
        let shards = files.len();
        let mut waiting = Vec::new();
        let mut parts: Vec<Rows> = Vec::new();
        for path in files {
            self.restore(&path, shards)?;
            for fns in &self.plan.messages {
                waiting.push((fns.save)(&self.world)?);
            }
            self.set_borders(Borders::even(self.plan.columns(), self.net.shards()));
            self.known = KnownEntities::of(&self.world);
            self.fresh = self.known.own().iter().collect();
            parts.push(self.take_own()?);
        }
        // The others live elsewhere. `resume` forgets that they were noted as dead.
        self.world.clear();
        self.known = KnownEntities::default();
        for rows in parts {
            let gids: Vec<Gid> = rows.keys().map(Gid).collect();
            self.put_known(self.me, rows, &gids, &Gid)?;
        }
        self.load_waiting(&waiting)
    }

    /// Puts the messages of all files that wait for a delivery into the outboxes of the first shard: who sends them does not matter.
    fn load_waiting(&mut self, waiting: &[Vec<u8>]) -> Result<(), ShardError> {
        for (number, fns) in self.plan.messages.iter().enumerate() {
            let kind = waiting
                .iter()
                .skip(number)
                .step_by(self.plan.messages.len());
            (fns.load)(&mut self.world, &mut PacketReader::new(0, &EMPTY))?;
            if self.me == 0 {
                for bytes in kind {
                    (fns.append)(&mut self.world, &mut PacketReader::new(0, bytes))?;
                }
            }
        }
        Ok(())
    }
}

/// The bytes of no message: no receiver, no sender, no value.
const EMPTY: [u8; 24] = [0; 24];

/// Snapshots of all data that moves. Other resources stay as the setup made them.
fn snapshotter(locals: &LocalComponents) -> Snapshotter {
    let all = Snapshotter::new().without_others().for_bytes();
    let locals = locals.0.iter();
    locals.fold(all, |some, local| some.without_erased(local.component))
}

fn write(path: &Path, header: &[u8], snapshot: &Snapshot) -> Result<(), ShardError> {
    let failed = |error: &dyn std::fmt::Display| ShardError::file(path, error);
    let mut content = ShardPacket::default();
    content.put_u32(FORM);
    content.put_bytes(header);
    content.put_bytes(&snapshot.to_bytes().map_err(|error| failed(&error))?);
    let mut bytes = MAGIC.to_vec();
    bytes.extend(content.into_bytes());
    bytes.extend(checksum(&bytes).to_le_bytes());
    write_file(path, |out| std::io::Write::write_all(out, &bytes)).map_err(|error| failed(&error))
}
