//! A part of a recording in memory: its bytes, and an index that finds frames in them.

use std::mem::{replace, take};
use std::ops::Range;
use std::time::Duration;

use ecs_data::__private::{RecordedResource, ResourceReader, push_tight};
use ecs_engine::task::{PassedResult, PassedValue};

use crate::format::{RecordFields, RecordKind, RecordedHash, Records, flags};

/// The index has one place for this many frames, which costs three bytes a frame: a short frame takes ten.
const STRIDE: u64 = 8;

#[derive(Debug)]
pub(crate) struct RecordingPart {
    pub(crate) bytes: Vec<u8>,
    pub(crate) index: PartIndex,
}

/// The index of a part. Records were checked when it was made.
#[derive(Debug, Default)]
pub(crate) struct PartIndex {
    /// The number of the first frame, from the first snapshot on.
    first: Option<u64>,
    frames: u64,
    /// The places of every [`STRIDE`]th frame.
    places: Vec<FramePlace>,
    last: FramePlace,
    /// The frame that has panicked last.
    panicked: Option<FramePlace>,
    /// The positions of the names of steps.
    steps: Vec<usize>,
    has_steps: bool,
    resources: ResourceReader,
    /// The length of the last frame.
    delta: Option<Duration>,
    /// True if the last frame has not panicked.
    is_open: bool,
    /// True if no frame was begun after the last snapshot.
    is_after_snapshot: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct FramePlace {
    /// The position of the body of its record.
    at: usize,
    /// The length of the frame before.
    delta: Option<Duration>,
}

/// The beginning of a frame, and its outcome.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordedFrame<'a> {
    pub(crate) delta: Duration,
    pub(crate) real: Duration,
    pub(crate) removed: Vec<&'a str>,
    /// Resources, and whether they were inserted.
    pub(crate) written: Vec<(RecordedResource<'a>, bool)>,
    /// The hash of the world after it, if it was taken.
    pub(crate) hash: Option<RecordedHash>,
    /// The steps that have run, and the hash after each.
    pub(crate) steps: Vec<(&'a str, u64)>,
    /// The results of tasks that were passed on.
    pub(crate) tasks: Vec<PassedResult>,
}

impl PartIndex {
    pub(crate) fn has_snapshot(&self) -> bool {
        self.first.is_some()
    }

    pub(crate) fn first_frame(&self) -> u64 {
        self.first.unwrap_or(0)
    }

    pub(crate) fn has_steps(&self) -> bool {
        self.has_steps
    }

    /// Notes a snapshot before a frame; false if the record before was one too.
    pub(crate) fn note_snapshot(&mut self, frame: u64) -> bool {
        self.first.get_or_insert(frame);
        self.delta = None;
        // Short ones would take more memory than their bytes.
        !replace(&mut self.is_after_snapshot, true)
    }

    /// Checks a record of a frame, and notes its place.
    pub(crate) fn note_frame(&mut self, part: &[u8], record: Range<usize>) -> Result<(), String> {
        self.last = FramePlace {
            at: record.start,
            delta: self.delta,
        };
        let resources = &mut self.resources;
        let take = |bytes, at: &mut usize, _| resources.take(bytes, at).map(drop);
        let head = read_frame(part, record, self.delta, |_| (), take)?;
        self.delta = Some(head.delta);
        if self.frames.is_multiple_of(STRIDE) {
            push_tight(&mut self.places, self.last);
        }
        self.frames += 1;
        self.is_open = true;
        self.is_after_snapshot = false;
        Ok(())
    }

    /// Notes that the last frame has panicked, so that it does not count; false if it was noted before.
    pub(crate) fn note_panic(&mut self) -> bool {
        if !take(&mut self.is_open) {
            return false;
        }
        self.frames -= 1;
        if self.frames.is_multiple_of(STRIDE) {
            self.places.pop();
        }
        self.panicked = Some(self.last);
        true
    }

    /// Checks a record of steps, and notes the places of new names.
    pub(crate) fn note_steps(&mut self, part: &[u8], record: Range<usize>) -> Option<()> {
        let mut fields = RecordFields(&part[record.clone()]);
        while !fields.0.is_empty() {
            let number = usize::try_from(fields.number()?).ok()?;
            if number == self.steps.len() {
                push_tight(&mut self.steps, record.end - fields.0.len());
                fields.text()?;
            }
            self.steps.get(number)?;
            fields.u64()?;
            self.has_steps = true;
        }
        Some(())
    }
}

impl RecordingPart {
    /// Reads a frame.
    pub(crate) fn frame(&self, frame: u64) -> Option<RecordedFrame<'_>> {
        let index = frame.checked_sub(self.index.first_frame())?;
        let place = self
            .index
            .places
            .get(usize::try_from(index / STRIDE).ok()?)?;
        self.read(*place, index % STRIDE, false)
    }

    /// Reads the frame that has panicked last.
    pub(crate) fn panicked(&self) -> Option<RecordedFrame<'_>> {
        self.read(self.index.panicked?, 0, true)
    }

    /// Reads the frame that comes `after` frames after a place.
    fn read(&self, place: FramePlace, after: u64, is_panicked: bool) -> Option<RecordedFrame<'_>> {
        let mut records = Records::again(&self.bytes, place.at - crate::format::HEAD);
        let (mut delta, mut number, mut found) = (place.delta, 0, None::<RecordedFrame<'_>>);
        let mut is_open = false;
        while let Some((kind, body)) = records.next() {
            let mut fields = RecordFields(body);
            match (kind, &mut found) {
                (RecordKind::Frame, Some(frame)) => {
                    frame.hash = frame.hash.or(frame_head(&mut fields)?.1);
                    break;
                }
                (RecordKind::Frame, None) => {
                    let place = records.at() - body.len()..records.at();
                    if number == after {
                        found = self.read_at(place, delta);
                        delta = Some(found.as_ref()?.delta);
                    } else {
                        if frame_head(&mut fields)?.0 & flags::DELTA != 0 {
                            delta = fields.duration();
                        }
                    }
                    number += 1;
                    is_open = true;
                }
                (RecordKind::Panic, _) if is_panicked => break,
                (RecordKind::Panic, _) if take(&mut is_open) => {
                    number -= 1;
                    found = None;
                }
                (RecordKind::End, Some(frame)) => frame.hash = frame.hash.or(end_hash(&mut fields)),
                (RecordKind::Steps, Some(frame)) => {
                    frame.steps = self.steps(records.at(), fields)?;
                }
                (RecordKind::Tasks, Some(frame)) => {
                    frame.tasks.clear();
                    passed_results(&mut fields, |result| frame.tasks.push(result))?;
                }
                _ => {}
            }
        }
        found
    }

    fn read_at(&self, record: Range<usize>, delta: Option<Duration>) -> Option<RecordedFrame<'_>> {
        let (mut removed, mut written) = (Vec::new(), Vec::new());
        let resources = &self.index.resources;
        let take = |bytes, at: &mut usize, is_inserted| {
            let resource = resources.take_again(bytes, at).ok_or_else(String::new)?;
            written.push((resource, is_inserted));
            Ok(())
        };
        let head = read_frame(&self.bytes, record, delta, |name| removed.push(name), take);
        let head = head.ok()?;
        Some(RecordedFrame {
            removed,
            written,
            ..head
        })
    }

    fn steps<'a>(
        &'a self,
        end: usize,
        mut fields: RecordFields<'a>,
    ) -> Option<Vec<(&'a str, u64)>> {
        let mut steps = Vec::new();
        while !fields.0.is_empty() {
            let number = usize::try_from(fields.number()?).ok()?;
            let place = *self.index.steps.get(number)?;
            let name = match place == end - fields.0.len() {
                true => fields.text()?,
                false => RecordFields(self.bytes.get(place..)?).text()?,
            };
            steps.push((name, fields.u64()?));
        }
        Some(steps)
    }
}

/// Reads the flags of a frame's record, and the hash of the world before it, if there is one.
fn frame_head(fields: &mut RecordFields<'_>) -> Option<(u8, Option<RecordedHash>)> {
    let set = fields.u8()?;
    let hash = match set & flags::HASH {
        0 => None,
        _ => Some(RecordedHash::read(fields, set & flags::PART != 0)?),
    };
    Some((set, hash))
}

/// Reads the hash of the last frame of a part.
pub(crate) fn end_hash(fields: &mut RecordFields<'_>) -> Option<RecordedHash> {
    // The hash of the whole world has nothing behind it.
    let has_part = fields.0.len() > size_of::<u64>();
    RecordedHash::read(fields, has_part)
}

/// Reads the record of a frame, and passes its inputs to functions: `removed` gets the names of removed resources, and `written`
/// the position of each written resource, and whether it was inserted.
fn read_frame<'a>(
    part: &'a [u8],
    record: Range<usize>,
    delta: Option<Duration>,
    mut removed: impl FnMut(&'a str),
    mut written: impl FnMut(&'a [u8], &mut usize, bool) -> Result<(), String>,
) -> Result<RecordedFrame<'a>, String> {
    let short = || "the record of a frame is too short".to_owned();
    let bytes = &part[..record.end];
    let mut fields = RecordFields(&bytes[record.start..]);
    let (set, _) = frame_head(&mut fields).ok_or_else(short)?;
    let delta = match set & flags::DELTA {
        0 => delta.ok_or("the length of the first frame is missing")?,
        _ => fields.duration().ok_or_else(short)?,
    };
    let real = match set & flags::REAL {
        0 => delta,
        _ => fields.duration().ok_or_else(short)?,
    };
    if set & flags::INPUTS != 0 {
        for _ in 0..fields.number().ok_or_else(short)? {
            removed(fields.text().ok_or_else(short)?);
        }
        for _ in 0..fields.u32().ok_or_else(short)? {
            let is_inserted = fields.u8().ok_or_else(short)? != 0;
            let mut at = record.end - fields.0.len();
            written(bytes, &mut at, is_inserted)?;
            fields = RecordFields(&bytes[at..]);
        }
    }
    Ok(RecordedFrame {
        delta,
        real,
        ..RecordedFrame::default()
    })
}

/// Reads the results of tasks.
pub(crate) fn passed_results(
    fields: &mut RecordFields<'_>,
    mut take: impl FnMut(PassedResult),
) -> Option<()> {
    while !fields.0.is_empty() {
        let mut number = || fields.number()?.try_into().ok();
        let (flush, position) = (number()?, number()?);
        let value = match fields.u8()? {
            0 => PassedValue::Again,
            1 => PassedValue::Abandoned,
            2 => {
                let length = fields.number()?;
                PassedValue::Bytes(fields.bytes(length)?.to_vec())
            }
            _ => return None,
        };
        take(PassedResult {
            flush,
            position,
            value,
        });
    }
    Some(())
}
