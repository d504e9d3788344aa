//! A recording that is being made, frame after frame.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::io;
use std::mem::{replace, take};
use std::time::Duration;

use ecs_app::{Exit, FramePanic};
use ecs_data::__private::{HashPart, HashTurns, StepHashes};
use ecs_data::{WorldData, WorldHasher};
use ecs_engine::__private::Instant;
use ecs_engine::World;
use ecs_engine::data_type::DataType;
use ecs_engine::schedule::Step;
use ecs_engine::task::Tasks;
use ecs_engine::world::WorldId;

use crate::format::RecordedHash;
use crate::program::RecordSource;
use crate::settings::{HashCadence, RecorderSettings};
use crate::writer::{FrameInputs, RecordingWriter, ResourceMoment};

/// A recording that is being made.
pub(crate) struct RecordSession {
    settings: RecorderSettings,
    writer: RecordingWriter,
    hasher: WorldHasher,
    turns: HashTurns,
    step_hashes: StepHashes,
    is_on: bool,
    /// The number of the next frame, from the start of the recording.
    frame: u64,
    last_snapshot: u64,
    before: ResourceMoment,
    /// The inputs of the frame, and memory to find them.
    inputs: FrameInputs,
    changed: (Vec<(TypeId, bool)>, Vec<TypeId>),
    /// The hash of the entities of a part after the last frame, and the number of all entities.
    rows: Option<(RecordedHash, usize)>,
    steps: Vec<(&'static str, u64)>,
    /// The deferred changes of the world before the step.
    deferred: (u64, usize),
    /// Data types of resources that were found.
    data: BTreeMap<TypeId, &'static DataType>,
    unrecorded: Vec<TypeId>,
    /// True if no frame leads to the world as it is: a frame has panicked, so that its number is the next one's, or other code
    /// has changed entities, and says so.
    is_jump: bool,
    /// True if the tasks of the world note their results.
    has_tasks: bool,
    /// True in a frame before the first snapshot, which waits for the end of all tasks.
    is_waiting: bool,
    /// True if nothing that the session knows keeps the next frame from being plain: it is on, does not wait, has no tasks, no hash, and
    /// nothing left to write.
    is_steady: bool,
    /// The frame before which the next snapshot or part is due.
    plain_until: u64,
    /// The world of the last frame.
    world: Option<WorldId>,
    start: Instant,
    hashing: Duration,
}

impl RecordSession {
    pub(crate) fn new(settings: RecorderSettings) -> Self {
        Self {
            writer: RecordingWriter::new(settings.path.clone(), settings.keep),
            settings,
            hasher: WorldHasher::new().only_data(),
            turns: HashTurns::default(),
            step_hashes: StepHashes::default(),
            is_on: true,
            frame: 0,
            last_snapshot: 0,
            before: ResourceMoment::default(),
            inputs: FrameInputs::default(),
            changed: (Vec::new(), Vec::new()),
            rows: None,
            steps: Vec::new(),
            deferred: (0, 0),
            data: BTreeMap::new(),
            unrecorded: Vec::new(),
            is_jump: false,
            has_tasks: false,
            is_waiting: false,
            is_steady: false,
            plain_until: 0,
            world: None,
            start: Instant::now(),
            hashing: Duration::ZERO,
        }
    }

    /// Begins a new recording with the next frame, or ends this one.
    #[cold]
    #[inline(never)]
    pub(crate) fn switch(&mut self, is_wanted: bool) {
        match is_wanted {
            // The writer that goes writes its last bytes before the new one replaces the file.
            true => *self = Self::new(self.settings.clone()),
            false => {
                self.is_steady = false;
                if replace(&mut self.is_on, false) && self.writer.end().is_err() {
                    eprintln!(
                        "error: the end of the recording {} is not written",
                        self.settings.path.display()
                    );
                }
            }
        }
    }

    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns the number of frames so far.
    pub(crate) fn frames(&self) -> u64 {
        self.frame
    }

    /// Lets the next frame begin with a snapshot.
    #[inline]
    pub(crate) fn jump(&mut self) {
        (self.is_jump, self.is_steady) = (true, false);
    }

    /// Writes the beginning of a frame. An error ends the recording.
    pub(crate) fn begin(
        &mut self,
        source: &mut impl RecordSource,
        delta: Duration,
        real: Duration,
    ) {
        if self.is_plain(source.world(), delta, real) {
            if let Err(error) = self.writer.plain_frame() {
                self.fail(&error.to_string());
            }
            return;
        }
        if self.is_on {
            self.begin_other(source, delta, real);
        }
    }

    /// Returns true if a frame is like the one before it, and nothing else has to be written: most frames.
    #[inline]
    fn is_plain(&self, world: &mut World, delta: Duration, real: Duration) -> bool {
        self.is_steady
            && self.writer.is_plain(delta, real)
            && self.frame < self.plain_until
            && !world.waits_for_flush()
            && self.before.is_same(world)
    }

    #[inline(never)]
    fn begin_other(&mut self, source: &mut impl RecordSource, delta: Duration, real: Duration) {
        self.is_steady = false;
        self.is_waiting = self.writer.is_new() && has_pending_tasks(source.world());
        if self.is_waiting {
            return;
        }
        if let Err(message) = self.try_begin(source, delta, real) {
            // The first snapshot has run `Startup`, which has started tasks.
            self.is_waiting = self.writer.is_new() && has_pending_tasks(source.world());
            if self.is_waiting {
                return;
            }
            self.fail(&message);
        }
    }

    /// Ends the recording.
    #[cold]
    fn fail(&mut self, message: &str) {
        (self.is_on, self.is_steady) = (false, false);
        let path = self.settings.path.display();
        eprintln!(
            "error: the recording {path} ends before frame {}: {message}",
            self.frame
        );
    }

    fn try_begin(
        &mut self,
        source: &mut impl RecordSource,
        delta: Duration,
        real: Duration,
    ) -> Result<(), String> {
        let is_new = self.writer.is_new();
        let is_same = self.before.is_same(source.world());
        let mut is_due = self.frame - self.last_snapshot >= self.settings.snapshot_every;
        let mut is_full = self.writer.is_part_full();
        // A snapshot has no task, so one that can wait comes after their end.
        if (is_due || is_full) && has_pending_tasks(source.world()) {
            (is_due, is_full) = (false, false);
        }
        let is_other = self.world.replace(source.world().id()) != Some(source.world().id());
        // No system does these, so a replay takes them from a snapshot.
        let is_jump = replace(&mut self.is_jump, false)
            || is_other && !is_new
            || source.world().waits_for_flush()
            || self.is_changed_outside(source.world());
        self.inputs.clear();
        if !(is_new || is_jump || is_same) {
            self.find_inputs(source.world());
        }
        let failed = |error: io::Error| error.to_string();
        if is_new || is_full {
            let (schema, bytes) = (source.world().schema_hash(), source.snapshot_bytes()?);
            let part = self.writer.begin_part(schema, self.frame, is_jump, bytes);
            part.map_err(failed)?;
            self.last_snapshot = self.frame;
        } else if is_due || is_jump {
            self.writer
                .put_snapshot(self.frame, is_jump, source.snapshot_bytes()?);
            self.last_snapshot = self.frame;
        }
        // A world may have got tasks since the last frame.
        self.has_tasks = (self.before.has_tasks || !is_same) && Self::log_tasks(source.world());
        let written = self.writer.frame(source.world(), delta, real, &self.inputs);
        for message in written.map_err(failed)? {
            self.writer.unrecorded(&message);
        }
        if self.settings.steps {
            self.deferred = source.world().deferred_changes();
        }
        Ok(())
    }

    /// Returns true if entities have changed since the end of the last frame, as far as hashes tell.
    fn is_changed_outside(&mut self, world: &World) -> bool {
        let Some((rows, entities)) = self.rows.take() else {
            return false;
        };
        // The hash may be of another part than the entities that came or went.
        if world.len() != entities {
            return true;
        }
        let now = Instant::now();
        let hash = self.hasher.rows_of(world, rows.part);
        self.hashing += now.elapsed();
        hash.is_ok_and(|now| now != rows.hash)
    }

    /// Finds the resources that have changed since the end of the last frame.
    fn find_inputs(&mut self, world: &mut World) {
        let (mut written, mut removed) = take(&mut self.changed);
        self.before.changes(world, &mut written, &mut removed);
        for (id, is_inserted) in written.drain(..) {
            // How an app ends is no input of its systems.
            if id == TypeId::of::<Exit>() {
                continue;
            }
            // Their results are recorded, and systems start them again.
            if id == TypeId::of::<Tasks>() && !is_inserted {
                continue;
            }
            match self.data_of(id, world) {
                Some(data) => self.inputs.written.push((data, is_inserted)),
                None if self.unrecorded.contains(&id) => {}
                None => {
                    self.unrecorded.push(id);
                    let types = world.resources().types();
                    let name = types.iter().find(|(known, _)| *known == id);
                    self.writer
                        .unrecorded(name.map_or("a resource", |(_, name)| name));
                }
            }
        }
        for id in removed.drain(..) {
            if let Some(data) = self.data_of(id, world) {
                self.inputs.removed.push(data.name());
            }
        }
        self.changed = (written, removed);
        let written = &mut self.inputs.written;
        written.sort_unstable_by_key(|(data, _)| data.name());
    }

    /// Returns the data type of a resource.
    fn data_of(&mut self, id: TypeId, world: &World) -> Option<&'static DataType> {
        if let Some(known) = self.data.get(&id) {
            return Some(known);
        }
        let mut types = world.data_types().into_iter();
        let data = types.find(|data| data.is_resource() && data.type_id() == id)?;
        self.data.insert(id, data);
        Some(data)
    }

    /// Notes the end of a frame.
    #[inline]
    pub(crate) fn end(&mut self, world: &mut World) {
        if self.is_steady && matches!(self.settings.hashes, HashCadence::Never) {
            if self.before.note(world) {
                self.is_steady = !self.before.has_tasks;
            }
            self.frame += 1;
            return;
        }
        if self.is_on && !self.is_waiting {
            self.end_other(world);
        }
    }

    /// Ends a frame that may have a hash, hashes of steps, and tasks.
    #[inline(never)]
    fn end_other(&mut self, world: &mut World) {
        let (cadence, start) = (self.settings.hashes, self.start);
        let is_due = cadence.is_due(self.frame, self.hashing, || start.elapsed());
        let mut hash = None;
        self.rows = None;
        if is_due {
            let now = Instant::now();
            let part = match cadence.most_values() {
                Some(most) => self.turns.take(self.frame, self.hasher.parts(world, most)),
                None => Some(HashPart::WHOLE),
            };
            if let Some(part) = part
                && let Ok(rows) = self.hasher.rows_of(world, part)
                && let Ok(resources) = self.hasher.resources_of(world, part)
            {
                let of_part = |hash| RecordedHash { hash, part };
                hash = Some(of_part(rows.wrapping_add(resources)));
                self.rows = Some((of_part(rows), world.len()));
            }
            self.hashing += now.elapsed();
        }
        self.writer.end_frame(hash, &mut self.steps);
        if self.has_tasks {
            self.note_tasks(world);
        }
        _ = self.before.note(world);
        self.frame += 1;
        let has_tasks = self.has_tasks || self.before.has_tasks;
        let is_quiet = !self.is_jump && !self.settings.steps && self.writer.has_nothing_to_write();
        self.is_steady = is_quiet && !has_tasks;
        let snapshot_at = (self.last_snapshot).saturating_add(self.settings.snapshot_every);
        let part_at = (self.frame).saturating_add(self.writer.plain_frames_left());
        self.plain_until = snapshot_at.min(part_at);
    }

    /// Writes the results of tasks since the last call.
    fn note_tasks(&mut self, world: &mut World) {
        // A game that is recorded sees no change that another one does not see.
        if let Some(tasks) = world.resources_mut().bypass::<Tasks>() {
            self.writer.tasks(&tasks.take_log());
        }
    }

    /// Lets the tasks of a world note their results; false if it has none.
    fn log_tasks(world: &mut World) -> bool {
        let tasks = world.resources_mut().bypass::<Tasks>();
        tasks.map(Tasks::log_results).is_some()
    }

    /// Hashes everything that a system can have written.
    pub(crate) fn step(&mut self, step: Step<'_>, world: &World) {
        if !self.is_on || self.is_waiting {
            return;
        }
        let now = world.deferred_changes();
        let has_deferred = replace(&mut self.deferred, now) != now;
        if let Ok(hash) = self
            .step_hashes
            .after(step, has_deferred, &mut self.hasher, world)
        {
            self.steps.push((step.name(), hash));
        }
    }

    /// Writes a panic of the frame. A hook outside of it that panics has interrupted no frame.
    pub(crate) fn panic(&mut self, panic: &FramePanic<'_>, world: &mut World) {
        if self.is_on && !self.is_waiting && panic.is_in_frame() {
            if self.has_tasks {
                self.note_tasks(world);
            }
            let source = panic.system().or(panic.hook());
            // The panic goes on; the error of a full disk would hide it.
            _ = self.writer.panic(
                source.unwrap_or_default(),
                panic.message().unwrap_or_default(),
            );
            self.jump();
            self.steps.clear();
        }
    }
}

fn has_pending_tasks(world: &World) -> bool {
    let tasks = world.get_resource::<Tasks>();
    tasks.is_some_and(|tasks| tasks.pending() > 0)
}
