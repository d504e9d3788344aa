//! The contents of the files of a recording.

use std::borrow::Cow;
use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use ecs_data::__private::push_tight;

use crate::delta::apply_delta;
use crate::error::RecordingError;
use crate::format::{
    FORM, MAGIC, MAX_GROWTH, RecordFields, RecordKind, Records, RecordsEnd, record_body,
};
use crate::part::{PartIndex, RecordedFrame, RecordingPart, end_hash, passed_results};
use crate::parts::{new_part, old_part, old_parts};

/// The most names of what could not be recorded. More, in a file from strangers, would take more memory than their bytes.
const MOST_UNRECORDED: usize = 100;

/// A recording that a [`Recorder`](crate::Recorder) has made, read from its files.
///
/// Reading ends at the first damage: everything before it can be replayed.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Recorder, Recording, RecordingEnd};
///
/// # let folder = std::env::temp_dir().join(format!("recording-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let path = folder.join("match.rec");
/// let mut app = App::new();
/// app.add_plugin(Recorder::new(&path));
/// for _ in 0..3 {
///     app.update();
/// }
/// let recording = Recording::read(&path)?;
/// assert_eq!((recording.first_frame(), recording.end_frame()), (0, 3));
/// assert_eq!(recording.end(), RecordingEnd::Whole);
/// assert!(recording.panic().is_none() && recording.unrecorded().is_empty());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Recording {
    parts: Vec<RecordingPart>,
    first: u64,
    /// The number of frames.
    frames: u64,
    snapshots: Vec<RecordedSnapshot>,
    panic: Option<RecordedPanic>,
    unrecorded: Vec<String>,
    end: RecordingEnd,
}

/// The end of the last file of a [`Recording`].
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Recorder, Recording, RecordingEnd};
///
/// # let path = std::env::temp_dir().join(format!("recording-end-doc-{}.rec", std::process::id()));
/// let mut app = App::new();
/// app.add_plugin(Recorder::new(&path));
/// app.update_times(3, App::DEFAULT_FIXED_STEP);
///
/// let recording = Recording::read(&path)?;
/// match recording.end() {
///     RecordingEnd::Whole => println!("{} frames", recording.end_frame()),
///     RecordingEnd::Cut | RecordingEnd::Damaged => println!("the rest is lost"),
///     _ => {}
/// }
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordingEnd {
    /// After a frame that has ended, or with its beginning if the program was killed in it.
    Whole,
    /// In the middle of a record, which was being written.
    Cut,
    /// Before a record that is damaged. Frames that follow are lost.
    Damaged,
}

/// A panic that ended a frame of a [`Recording`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedPanic {
    /// The frame, which the recording does not count among those that have run.
    pub frame: u64,
    /// The name of the system, or of the [hook](ecs_app::FramePanic::hook) after a step; empty if it was none.
    pub system: String,
    /// The message; empty if the value of the panic was no text.
    pub message: String,
}

#[derive(Debug)]
pub(crate) struct RecordedSnapshot {
    pub(crate) frame: u64,
    /// True if the frame before does not lead to it.
    pub(crate) is_jump: bool,
    part: u32,
    /// The position of the body of its record.
    at: usize,
    /// True if the bytes are the difference from the snapshot before it.
    is_delta: bool,
}

impl Recording {
    /// Reads a recording: the file at a path, and the older parts beside it.
    ///
    /// A program that runs may still be writing it. Parts that do not lead up to the newest one, because a file between
    /// them is missing or damaged, are left out.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("read-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// assert_eq!(recording.end_frame(), 3);
    /// assert!(Recording::read("no such file.rec").is_err());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// If there is no such recording, or its newest part is damaged before the end of its first snapshot.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, RecordingError> {
        let path = path.as_ref();
        let mut recording = Self {
            parts: Vec::new(),
            first: 0,
            frames: 0,
            snapshots: Vec::new(),
            panic: None,
            unrecorded: Vec::new(),
            end: RecordingEnd::Whole,
        };
        for number in old_parts(path).unwrap_or_default() {
            // An old part that was removed meanwhile, or is damaged, only makes the recording begin later.
            if recording.read_part(&old_part(path, number)).is_err() {
                recording.forget();
            }
        }
        // A program that was killed between two parts has not given the new one its name.
        let new = new_part(path);
        let is_unnamed = !path.exists() && new.exists();
        recording.read_part(if is_unnamed { &new } else { path })?;
        Ok(recording)
    }

    /// Drops all parts so far.
    fn forget(&mut self) {
        self.parts.clear();
        self.frames = 0;
        self.snapshots.clear();
        self.panic = None;
    }

    fn read_part(&mut self, path: &Path) -> Result<(), RecordingError> {
        let bytes = fs::read(path).map_err(|error| RecordingError::Io {
            path: path.to_owned(),
            error: Arc::new(error),
        })?;
        let path = path.to_owned();
        let Some(form) = bytes
            .strip_prefix(MAGIC)
            .and_then(|bytes| RecordFields(bytes).u32())
        else {
            return Err(RecordingError::Foreign { path });
        };
        if form != FORM {
            return Err(RecordingError::OtherForm { path, form });
        }
        let mut part = PartIndex::default();
        let mut records = Records::new(&bytes);
        let mut wrong = None;
        loop {
            let byte = records.at();
            let Some((kind, body)) = records.next() else {
                break;
            };
            let start = records.at() - body.len();
            if let Err(problem) =
                self.read_record(&mut part, &bytes, kind, start..start + body.len())
            {
                wrong = Some((byte, problem));
                break;
            }
        }
        if !part.has_snapshot() {
            return Err(RecordingError::NoSnapshot { path });
        }
        if let Some((byte, problem)) = wrong {
            return Err(RecordingError::Malformed {
                path,
                byte,
                problem,
            });
        }
        self.end = match records.end {
            RecordsEnd::Whole => RecordingEnd::Whole,
            RecordsEnd::Cut => RecordingEnd::Cut,
            RecordsEnd::Damaged => RecordingEnd::Damaged,
        };
        self.parts.push(RecordingPart { bytes, index: part });
        Ok(())
    }

    fn read_record(
        &mut self,
        part: &mut PartIndex,
        bytes: &[u8],
        kind: RecordKind,
        place: Range<usize>,
    ) -> Result<(), String> {
        let body = &bytes[place.clone()];
        let mut fields = RecordFields(body);
        let short = || "a record is too short".to_owned();
        if !part.has_snapshot() && !matches!(kind, RecordKind::Head | RecordKind::Snapshot) {
            return Err("the first snapshot is missing".to_owned());
        }
        match kind {
            RecordKind::Head => _ = fields.u64().ok_or_else(short)?,
            RecordKind::Delta if !part.has_snapshot() => {
                return Err("the snapshot before a difference is missing".to_owned());
            }
            RecordKind::Snapshot | RecordKind::Delta => {
                let (frame, is_jump) = fields.u64().zip(fields.u8()).ok_or_else(short)?;
                let is_next = frame == self.end_frame();
                if self.snapshots.is_empty() || !part.has_snapshot() && !is_next {
                    self.forget();
                    self.first = frame;
                } else if !is_next {
                    return Err(format!(
                        "a snapshot is before frame {frame}, which is not the next"
                    ));
                }
                if !part.note_snapshot(frame) {
                    return Err(format!("two snapshots are before frame {frame}"));
                }
                let snapshot = RecordedSnapshot {
                    frame,
                    is_jump: is_jump != 0,
                    part: self.parts.len() as u32,
                    at: place.start,
                    is_delta: kind == RecordKind::Delta,
                };
                push_tight(&mut self.snapshots, snapshot);
            }
            RecordKind::Frame => {
                part.note_frame(bytes, place)?;
                self.frames += 1;
            }
            RecordKind::End => _ = end_hash(&mut fields).ok_or_else(short)?,
            RecordKind::Steps => part.note_steps(bytes, place).ok_or_else(short)?,
            RecordKind::Tasks => passed_results(&mut fields, |_| ()).ok_or_else(short)?,
            RecordKind::Panic => {
                let (system, message) = fields.text().zip(fields.text()).ok_or_else(short)?;
                self.frames -= u64::from(part.note_panic());
                self.panic = Some(RecordedPanic {
                    frame: self.end_frame(),
                    system: system.to_owned(),
                    message: message.to_owned(),
                });
            }
            RecordKind::Unrecorded => {
                let name = fields.text().ok_or_else(short)?;
                let is_new = self.unrecorded.iter().all(|known| known != name);
                if is_new && self.unrecorded.len() < MOST_UNRECORDED {
                    self.unrecorded.push(name.to_owned());
                }
            }
        }
        Ok(())
    }

    /// Returns the number of the first frame. It is 0 if the recording has all parts.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("first-frame-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// assert_eq!(recording.first_frame(), 0);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first_frame(&self) -> u64 {
        self.first
    }

    /// Returns the number after the last frame that was begun and has not panicked.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("end-frame-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// assert_eq!(recording.end_frame(), 3);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn end_frame(&self) -> u64 {
        self.first + self.frames
    }

    /// Returns the last panic.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("panic-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// if let Some(panic) = recording.panic() {
    ///     println!("`{}` panicked in frame {}: {}", panic.system, panic.frame, panic.message);
    /// }
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn panic(&self) -> Option<&RecordedPanic> {
        self.panic.as_ref()
    }

    /// Returns the resources that have changed between frames and could not be recorded, so that a replay may differ: the first
    /// hundred.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    ///
    /// # let path = std::env::temp_dir().join(format!("unrecorded-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// assert!(recording.unrecorded().is_empty(), "{:?} may differ", recording.unrecorded());
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn unrecorded(&self) -> &[String] {
        &self.unrecorded
    }

    /// Returns how the recording ends.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording, RecordingEnd};
    ///
    /// # let path = std::env::temp_dir().join(format!("end-doc-{}.rec", std::process::id()));
    /// let mut app = App::new();
    /// app.add_plugin(Recorder::new(&path));
    /// app.update_times(3, App::DEFAULT_FIXED_STEP);
    ///
    /// let recording = Recording::read(&path)?;
    /// assert_eq!(recording.end(), RecordingEnd::Whole);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn end(&self) -> RecordingEnd {
        self.end
    }

    /// Returns the frame that has panicked, if it is the last one.
    pub(crate) fn panicked(&self) -> Option<RecordedFrame<'_>> {
        let is_last = self.panic.as_ref()?.frame == self.end_frame();
        self.parts.last().filter(|_| is_last)?.panicked()
    }

    /// Returns true if frames have hashes after each step.
    pub(crate) fn has_steps(&self) -> bool {
        self.parts.iter().any(|part| part.index.has_steps())
    }

    /// Reads a frame.
    pub(crate) fn frame(&self, frame: u64) -> Option<RecordedFrame<'_>> {
        if !(self.first..self.end_frame()).contains(&frame) {
            return None;
        }
        let later = |part: &RecordingPart| part.index.first_frame() <= frame;
        let part = self.parts.partition_point(later).checked_sub(1)?;
        self.parts[part].frame(frame)
    }

    /// Reads a frame, or the one that has panicked at the end.
    pub(crate) fn any_frame(&self, frame: u64) -> Option<RecordedFrame<'_>> {
        let is_end = frame == self.end_frame();
        self.frame(frame)
            .or_else(|| self.panicked().filter(|_| is_end))
    }

    /// Returns the last snapshot before an earlier frame, or the first of all.
    ///
    /// A snapshot before the frame itself also has the inputs since the frame before.
    pub(crate) fn snapshot_before(&self, frame: u64) -> &RecordedSnapshot {
        let earlier = self
            .snapshots
            .iter()
            .rev()
            .find(|snapshot| snapshot.frame < frame);
        earlier.unwrap_or(&self.snapshots[0])
    }

    /// Returns the snapshots before a frame and before all later ones.
    pub(crate) fn snapshots_from(&self, frame: u64) -> &[RecordedSnapshot] {
        let first = self
            .snapshots
            .partition_point(|snapshot| snapshot.frame < frame);
        &self.snapshots[first..]
    }

    /// Returns the snapshot before a frame if no frame leads to it.
    pub(crate) fn jump_to(&self, frame: u64) -> Option<&RecordedSnapshot> {
        let mut later = self.snapshots.iter().rev();
        let at = later.find(|snapshot| snapshot.frame == frame);
        at.filter(|snapshot| snapshot.is_jump)
    }

    /// Returns the bytes of a snapshot; `None` if they are damaged. O(differences since the last whole one).
    pub(crate) fn bytes(&self, snapshot: &RecordedSnapshot) -> Option<Cow<'_, [u8]>> {
        let at = self
            .snapshots
            .partition_point(|other| other.frame <= snapshot.frame);
        let snapshots = &self.snapshots[..at];
        let whole = snapshots.iter().rposition(|other| !other.is_delta)?;
        let part = &self.parts[snapshots[whole].part as usize].bytes;
        let mut bytes = Cow::Borrowed(snapshot_bytes(part, &snapshots[whole])?);
        for delta in &snapshots[whole + 1..] {
            let limit = part.len().saturating_mul(MAX_GROWTH);
            bytes = Cow::Owned(apply_delta(&bytes, snapshot_bytes(part, delta)?, limit)?);
        }
        Some(bytes)
    }
}

/// Returns the bytes of a snapshot's record after its frame and its kind.
fn snapshot_bytes<'a>(part: &'a [u8], snapshot: &RecordedSnapshot) -> Option<&'a [u8]> {
    record_body(part, snapshot.at)?.get(9..)
}
