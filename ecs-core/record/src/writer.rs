//! Writes the files of a recording: see `format`.

use std::any::TypeId;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::Duration;

use ecs_data::__private::{ResourceWriter, put_number};
use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::task::{PassedResult, PassedValue, Tasks};
use ecs_engine::world::WorldId;

use crate::delta::put_delta;
use crate::format::{
    MAX_DELTAS, MAX_GROWTH, RecordKind, RecordedHash, flags, put_duration, put_magic, put_record,
    put_text, put_u64,
};
use crate::parts::{new_part, old_part, remove_old_parts};

/// The inputs of a frame: resources that were written and removed since the last one.
#[derive(Default)]
pub(crate) struct FrameInputs {
    pub(crate) removed: Vec<&'static str>,
    pub(crate) written: Vec<(&'static DataType, bool)>,
}

impl FrameInputs {
    pub(crate) fn clear(&mut self) {
        self.removed.clear();
        self.written.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.written.is_empty()
    }
}

/// The files of a recording that is being made.
pub(crate) struct RecordingWriter {
    path: PathBuf,
    keep: Option<u64>,
    file: Option<File>,
    /// The bytes that are written next.
    buffer: Vec<u8>,
    /// The record of a frame like the one before it, without inputs and without a hash.
    plain_frame: Vec<u8>,
    /// The numbers and lengths of the parts before this one that still exist.
    old: Vec<(u64, u64)>,
    next_part: u64,
    /// The bytes of this part, and from how many on another one should follow.
    part_len: u64,
    full_at: u64,
    /// The last snapshot of the part, and the number of differences since the last whole one.
    last_snapshot: Vec<u8>,
    deltas: u32,
    resources: ResourceWriter,
    step_names: Vec<&'static str>,
    last_delta: Option<Duration>,
    /// The hash of the world after the last frame.
    outcome: Option<RecordedHash>,
}

impl RecordingWriter {
    pub(crate) fn new(path: PathBuf, keep: Option<u64>) -> Self {
        let mut plain_frame = Vec::new();
        put_record(&mut plain_frame, RecordKind::Frame, |out| out.push(0));
        Self {
            path,
            keep,
            file: None,
            buffer: Vec::new(),
            plain_frame,
            old: Vec::new(),
            next_part: 0,
            part_len: 0,
            full_at: u64::MAX,
            last_snapshot: Vec::new(),
            deltas: 0,
            resources: ResourceWriter::default(),
            step_names: Vec::new(),
            last_delta: None,
            outcome: None,
        }
    }

    /// Returns true if no part was begun.
    pub(crate) fn is_new(&self) -> bool {
        self.file.is_none()
    }

    /// Returns true if the part has become so long that another one should follow: a quarter of the bytes that are kept, and at
    /// least as long as twice its snapshot.
    #[inline]
    pub(crate) fn is_part_full(&self) -> bool {
        self.part_len >= self.full_at
    }

    /// Begins a part with a snapshot before a frame.
    pub(crate) fn begin_part(
        &mut self,
        schema: u64,
        frame: u64,
        is_jump: bool,
        snapshot: Vec<u8>,
    ) -> io::Result<()> {
        if self.file.is_some() {
            self.end()?;
        } else {
            remove_old_parts(&self.path)?;
        }
        self.resources = ResourceWriter::default();
        self.step_names.clear();
        self.last_snapshot.clear();
        put_magic(&mut self.buffer);
        put_record(&mut self.buffer, RecordKind::Head, |out| {
            put_u64(out, schema);
        });
        self.put_snapshot(frame, is_jump, snapshot);
        // Written aside, so that there is always a newest part that can be played, whenever the program is killed.
        let new = new_part(&self.path);
        let mut file = File::create(&new)?;
        file.write_all(&self.buffer)?;
        if self.file.is_some() {
            fs::rename(&self.path, old_part(&self.path, self.next_part))?;
            self.old.push((self.next_part, self.part_len));
            self.next_part += 1;
        }
        fs::rename(&new, &self.path)?;
        self.file = Some(file);
        self.part_len = 0;
        self.note_written();
        self.remove_oldest()
    }

    /// Removes the oldest parts, as long as more bytes are kept than should be.
    fn remove_oldest(&mut self) -> io::Result<()> {
        let Some(keep) = self.keep else {
            return Ok(());
        };
        let mut len: u64 = self.old.iter().map(|(_, len)| len).sum();
        // The part that was begun just now may grow to a quarter.
        while len + keep / 4 > keep && !self.old.is_empty() {
            let (number, oldest) = self.old.remove(0);
            len -= oldest;
            fs::remove_file(old_part(&self.path, number))?;
        }
        Ok(())
    }

    /// Adds a snapshot before the next frame to the part. A jump is one that the frame before does not lead to.
    ///
    /// It is written as a difference from the last one if that is less than half as long.
    pub(crate) fn put_snapshot(&mut self, frame: u64, is_jump: bool, snapshot: Vec<u8>) {
        self.put_outcome();
        let mut delta = Vec::new();
        let is_grown = snapshot.len() as u64 > self.part_len.saturating_mul(MAX_GROWTH as u64);
        if !self.last_snapshot.is_empty() && self.deltas < MAX_DELTAS && !is_grown {
            put_delta(&mut delta, &self.last_snapshot, &snapshot);
        }
        let is_delta = !delta.is_empty() && delta.len() < snapshot.len() / 2;
        let (kind, bytes) = match is_delta {
            true => (RecordKind::Delta, &delta),
            false => (RecordKind::Snapshot, &snapshot),
        };
        put_record(&mut self.buffer, kind, |out| {
            put_u64(out, frame);
            out.push(u8::from(is_jump));
            out.extend(bytes);
        });
        self.deltas = if is_delta { self.deltas + 1 } else { 0 };
        let quarter = self.keep.map_or(u64::MAX, |keep| keep / 4);
        self.full_at = quarter.max(2 * snapshot.len() as u64);
        self.last_snapshot = snapshot;
        self.last_delta = None;
    }

    /// Returns the number of plain frames after which the part may be full.
    pub(crate) fn plain_frames_left(&self) -> u64 {
        let bytes = self.full_at.saturating_sub(self.part_len);
        bytes / self.plain_frame.len() as u64
    }

    /// Returns true if a part was begun, and everything until now is written.
    pub(crate) fn has_nothing_to_write(&self) -> bool {
        self.file.is_some() && self.buffer.is_empty() && self.outcome.is_none()
    }

    /// Returns true if the next frame is written like the last one, and there was [nothing else to
    /// write](Self::has_nothing_to_write).
    #[inline]
    pub(crate) fn is_plain(&self, delta: Duration, real: Duration) -> bool {
        self.last_delta == Some(delta) && real == delta
    }

    /// Writes the beginning of a [plain](Self::is_plain) frame.
    pub(crate) fn plain_frame(&mut self) -> io::Result<()> {
        let bytes = &self.plain_frame[..];
        self.part_len += bytes.len() as u64;
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        // The loop of `write_all` costs more than the call of the system.
        match file.write(bytes) {
            Ok(written) if written == bytes.len() => Ok(()),
            written => finish_write(file, bytes, written),
        }
    }

    /// Writes the beginning of a frame, with its inputs, and everything before. Returns the messages of inputs that cannot be
    /// written.
    pub(crate) fn frame(
        &mut self,
        world: &World,
        delta: Duration,
        real: Duration,
        inputs: &FrameInputs,
    ) -> io::Result<Vec<String>> {
        let mut failed = Vec::new();
        let is_delta = self.last_delta.replace(delta) != Some(delta);
        let outcome = self.outcome.take();
        let resources = &mut self.resources;
        put_record(&mut self.buffer, RecordKind::Frame, |out| {
            let flag = |is_set, flag| if is_set { flag } else { 0 };
            out.push(
                flag(outcome.is_some(), flags::HASH)
                    | flag(
                        outcome.is_some_and(|hash| !hash.part.is_whole()),
                        flags::PART,
                    )
                    | flag(is_delta, flags::DELTA)
                    | flag(real != delta, flags::REAL)
                    | flag(!inputs.is_empty(), flags::INPUTS),
            );
            outcome.into_iter().for_each(|hash| hash.put(out));
            if is_delta {
                put_duration(out, delta);
            }
            if real != delta {
                put_duration(out, real);
            }
            if inputs.is_empty() {
                return;
            }
            put_number(out, inputs.removed.len() as u64);
            inputs.removed.iter().for_each(|name| put_text(out, name));
            let count = out.len();
            let mut written = 0_u32;
            out.extend([0; 4]);
            for &(data, is_inserted) in &inputs.written {
                let start = out.len();
                out.push(u8::from(is_inserted));
                match resources.write(world, data, out) {
                    Ok(true) => written += 1,
                    other => {
                        out.truncate(start);
                        failed.extend(other.err());
                    }
                }
            }
            out[count..count + 4].copy_from_slice(&written.to_le_bytes());
        });
        self.write()?;
        Ok(failed)
    }

    /// Notes the end of a frame, which is written with the beginning of the next one.
    pub(crate) fn end_frame(
        &mut self,
        hash: Option<RecordedHash>,
        steps: &mut Vec<(&'static str, u64)>,
    ) {
        self.outcome = hash;
        if steps.is_empty() {
            return;
        }
        let names = &mut self.step_names;
        put_record(&mut self.buffer, RecordKind::Steps, |out| {
            for (name, hash) in steps.drain(..) {
                let known = names.iter().position(|known| std::ptr::eq(*known, name));
                put_number(out, known.unwrap_or(names.len()) as u64);
                if known.is_none() {
                    names.push(name);
                    put_text(out, name);
                }
                put_u64(out, hash);
            }
        });
    }

    /// Notes the results of tasks that were passed on in the frame that ends.
    pub(crate) fn tasks(&mut self, passed: &[PassedResult]) {
        if passed.is_empty() {
            return;
        }
        put_record(&mut self.buffer, RecordKind::Tasks, |out| {
            for result in passed {
                put_number(out, u64::from(result.flush));
                put_number(out, u64::from(result.position));
                match &result.value {
                    PassedValue::Again => out.push(0),
                    PassedValue::Abandoned => out.push(1),
                    PassedValue::Bytes(bytes) => {
                        out.push(2);
                        put_number(out, bytes.len() as u64);
                        out.extend(bytes);
                    }
                }
            }
        });
    }

    /// Writes a panic of the frame that was begun.
    pub(crate) fn panic(&mut self, system: &str, message: &str) -> io::Result<()> {
        put_record(&mut self.buffer, RecordKind::Panic, |out| {
            put_text(out, system);
            put_text(out, message);
        });
        self.write()
    }

    /// Notes the name of a resource that has changed between frames and cannot be recorded.
    pub(crate) fn unrecorded(&mut self, name: &str) {
        put_record(&mut self.buffer, RecordKind::Unrecorded, |out| {
            put_text(out, name);
        });
    }

    /// Writes the end of the last frame.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        self.put_outcome();
        self.write()
    }

    fn put_outcome(&mut self) {
        if let Some(hash) = self.outcome.take() {
            put_record(&mut self.buffer, RecordKind::End, |out| hash.put(out));
        }
    }

    /// Writes the buffer, in one call.
    fn write(&mut self) -> io::Result<()> {
        if let Some(file) = &mut self.file {
            file.write_all(&self.buffer)?;
        }
        self.note_written();
        Ok(())
    }

    fn note_written(&mut self) {
        self.part_len += self.buffer.len() as u64;
        self.buffer.clear();
    }
}

/// Ends a write that has written less than all, or was interrupted.
#[cold]
fn finish_write(file: &mut File, bytes: &[u8], written: io::Result<usize>) -> io::Result<()> {
    match written {
        Ok(written) => file.write_all(&bytes[written..]),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => file.write_all(bytes),
        Err(error) => Err(error),
    }
}

impl Drop for RecordingWriter {
    fn drop(&mut self) {
        // The frames are in the file; at worst the last hash is missing.
        _ = self.end();
    }
}

/// The resources of a world at the end of a frame, to notice changes until the next one begins.
#[derive(Default)]
pub(crate) struct ResourceMoment {
    moment: u64,
    /// The world, and the number of insertions into it: no other types have come while both stay the same.
    world: Option<WorldId>,
    insertions: u64,
    types: Vec<(TypeId, &'static str)>,
    /// True if there were [`Tasks`].
    pub(crate) has_tasks: bool,
}

impl ResourceMoment {
    /// Notes the resources, and returns true if others may be there than at the last call.
    #[inline]
    pub(crate) fn note(&mut self, world: &mut World) -> bool {
        let has_moved = self.has_moved(world);
        self.moment = world.resources_mut().moment();
        if has_moved {
            self.note_types(world);
        }
        has_moved
    }

    #[inline(never)]
    fn note_types(&mut self, world: &World) {
        let resources = world.resources();
        self.world = Some(world.id());
        self.insertions = resources.insertions();
        self.types = resources.types();
        let is_tasks = |(id, _): &(TypeId, _)| *id == TypeId::of::<Tasks>();
        self.has_tasks = self.types.iter().any(is_tasks);
    }

    /// Returns true if no resource was written, inserted or removed since.
    #[inline]
    pub(crate) fn is_same(&self, world: &mut World) -> bool {
        !self.has_moved(world) && world.resources_mut().moment() == self.moment
    }

    /// Returns true if resources were inserted or removed since.
    #[inline]
    fn has_moved(&self, world: &World) -> bool {
        let resources = world.resources();
        self.insertions != resources.insertions()
            || resources.len() != self.types.len()
            || self.world != Some(world.id())
    }

    /// Adds the types of the resources that were written since, and of those that were removed.
    pub(crate) fn changes(
        &self,
        world: &mut World,
        written: &mut Vec<(TypeId, bool)>,
        removed: &mut Vec<TypeId>,
    ) {
        let has_moved = self.has_moved(world);
        let resources = world.resources_mut();
        resources.written_since(self.moment, written);
        if has_moved {
            let now = resources.types();
            let is_gone = |(id, _): &&(TypeId, _)| now.iter().all(|(known, _)| known != id);
            removed.extend(self.types.iter().filter(is_gone).map(|(id, _)| *id));
        }
    }
}
