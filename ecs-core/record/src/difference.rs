//! The first difference of two recordings.

use std::fmt;
use std::ops::Range;
use std::path::Path;

use ecs_data::__private::HashPart;
use ecs_data::{Diff, Differ};

use crate::error::ReplayError;
use crate::part::RecordedFrame;
use crate::program::RecordedProgram;
use crate::recording::Recording;
use crate::replay::{Replay, hash_error, hasher};
use crate::same::SameUntil;

/// The place where two recordings part; see [`first_difference`].
#[derive(Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The frame.
    pub frame: u64,
    /// The kind of the difference.
    pub kind: DifferenceKind,
    /// Systems that have run in one program only, up to the difference.
    pub notes: Vec<String>,
}

/// The kind of a [`Difference`].
#[derive(Debug)]
#[non_exhaustive]
pub enum DifferenceKind {
    /// The worlds before the frame, which is the first one of both.
    Start(Diff),
    /// The inputs of the frame: the text says which, with both values.
    Inputs(String),
    /// The results of the frame. The differences are empty if only data differs that has no name.
    #[non_exhaustive]
    Results {
        /// The first system whose results differ; `None` if no single one does.
        system: Option<String>,
        /// The differences of the worlds after it.
        diff: Diff,
    },
    /// The recorded hashes of the frame, of two files that were compared [without their
    /// programs](Recording::first_difference).
    #[non_exhaustive]
    Hashes {
        /// The frame after the last one whose hashes are the same.
        since: u64,
        /// The first system whose results differ, if both have hashes of [each step](crate::Recorder::each_step).
        system: Option<String>,
    },
    /// Only the recorded hashes, and not the worlds of these two replays. So the program, or the machine, does not do the same
    /// each time; or other builds of the program have made the recordings.
    #[non_exhaustive]
    HashesOnly {
        /// The frame after the last one whose hashes are the same.
        since: u64,
        /// The first later frame before which both recordings have a snapshot, and the differences of these; `None` if they have
        /// none in common.
        recorded: Option<(u64, Diff)>,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let frame = self.frame;
        let first = |diff: &Diff| {
            let lines = diff.to_string();
            let more = lines.lines().count().saturating_sub(1);
            let first = lines
                .lines()
                .next()
                .unwrap_or("the world is another one")
                .to_owned();
            match more {
                0 => first,
                more => format!("{first} (and {more} more)"),
            }
        };
        match &self.kind {
            DifferenceKind::Start(diff) => write!(f, "before frame {frame}: {}", first(diff))?,
            DifferenceKind::Inputs(what) => write!(f, "frame {frame}: the inputs differ: {what}")?,
            DifferenceKind::Results {
                system: Some(system),
                diff,
            } => {
                write!(f, "frame {frame}: after `{system}`: {}", first(diff))?;
            }
            DifferenceKind::Results { system: None, diff } => {
                write!(f, "frame {frame}: {}", first(diff))?;
            }
            DifferenceKind::Hashes {
                system: Some(system),
                ..
            } => write!(f, "frame {frame}: the results of `{system}` differ")?,
            DifferenceKind::Hashes { since, .. } if *since < frame => write!(
                f,
                "frame {frame}: the hashes differ, since frame {since} at the earliest"
            )?,
            DifferenceKind::Hashes { .. } => write!(f, "frame {frame}: the hashes differ")?,
            DifferenceKind::HashesOnly { since, recorded } => {
                write!(
                    f,
                    "frame {frame}: the recorded hashes differ, since frame {since} at the earliest, and these replays do not"
                )?;
                if let Some((frame, diff)) = recorded {
                    write!(
                        f,
                        "; in the snapshots before frame {frame}: {}",
                        first(diff)
                    )?;
                }
                f.write_str("; help: if one build has made both recordings, look for clocks, addresses, the order of a hash map, and threads with `DeterminismCheck`")?;
            }
        }
        self.notes
            .iter()
            .try_for_each(|note| write!(f, "\nnote: {note}"))
    }
}

/// Finds the first difference of two recordings, for example of the two sides of a match, or of one before and one after a
/// change of the program. `None` if everything that both have is the same, and both replays end with equal worlds.
///
/// Each recording comes with its program: the one that it was made with, or, for a recording beside itself, the build of then and
/// the one of today. Hashes and inputs are compared first, which needs no replay; then both replays run side by side from the last
/// equal hash, and one system after the other in the frame where they part. If the files are equal, both replays run to the end, and
/// if their worlds differ there, the first frame where they do is searched by halves.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::{Recorder, first_difference};
/// use ecs_core::snapshot::Snapshotter;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Component, Clone, Debug, Serialize, Deserialize)]
/// #[component(data = "game.place")]
/// struct Place { x: f32 }
///
/// /// The version of the program.
/// #[derive(Resource, Clone)]
/// struct IsOld(bool);
///
/// #[system(for_each)]
/// fn walk(place: &mut Place, is_old: Res<IsOld>) {
///     place.x += if is_old.0 && place.x > 1.0 { 0.2 } else { 0.1 };
/// }
///
/// fn game(is_old: bool) -> App {
///     let mut app = App::new();
///     app.world_mut().spawn(Place { x: 0.0 });
///     app.insert_resource(IsOld(is_old)).add_systems(Update, walk);
///     app.set_snapshotter(Snapshotter::new().without_resource::<IsOld>());
///     app
/// }
///
/// # let folder = std::env::temp_dir().join(format!("difference-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let paths = ["old.rec", "new.rec"].map(|name| folder.join(name));
/// for (path, is_old) in paths.iter().zip([true, false]) {
///     game(is_old).add_plugin(Recorder::new(path).hash_every(5)).update_times(40, App::DEFAULT_FIXED_STEP);
/// }
/// let [old, new] = &paths;
/// let found = first_difference((old, game(true)), (new, game(false)))?.unwrap().to_string();
/// assert!(found.starts_with("frame 10: after `") && found.contains("walk`: 0v1 game.place.x: "), "{found}");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// If a recording cannot be read, or does not fit its app.
///
/// # Panics
/// If a system panics.
pub fn first_difference<P: RecordedProgram>(
    one: (impl AsRef<Path>, P),
    other: (impl AsRef<Path>, P),
) -> Result<Option<Difference>, ReplayError> {
    let one = Recording::read(one.0).map(|recording| (recording, one.1))?;
    let other = Recording::read(other.0).map(|recording| (recording, other.1))?;
    let mut sides = [Replay::new(one.0, one.1)?, Replay::new(other.0, other.1)?];
    let recordings = sides.each_ref().map(Replay::shared_recording);
    let start = recordings
        .iter()
        .map(|side| side.first_frame())
        .max()
        .unwrap_or(0);
    let end = recordings
        .iter()
        .map(|side| side.end_frame())
        .min()
        .unwrap_or(0);
    run_both_to(&mut sides, start)?;
    let diff = between(&sides)?;
    if !diff.is_empty() {
        return Ok(Some(Difference {
            frame: start,
            kind: DifferenceKind::Start(diff),
            notes: Vec::new(),
        }));
    }
    let mut same = SameUntil::default();
    same.restart(start);
    for frame in start..end {
        let [Some(one), Some(other)] = recordings.each_ref().map(|side| side.frame(frame)) else {
            break;
        };
        if let Some(what) = other_inputs(&sides, [&one, &other]) {
            return Ok(Some(Difference {
                frame,
                kind: DifferenceKind::Inputs(what),
                notes: Vec::new(),
            }));
        }
        if other_hashes([&one, &other]).is_some() {
            return results(&mut sides, start, same.frame()..frame + 1).map(Some);
        }
        note_same(&mut same, [&one, &other], frame);
    }
    replayed(&mut sides, start..end)
}

/// Comparison of two files without their programs.
impl Recording {
    /// Finds the first difference of two recordings in their files alone; `None` if everything that both files say is the
    /// same.
    ///
    /// The files have the inputs of each frame, and hashes. So the frame is known if there are hashes of [each
    /// frame](crate::Recorder::hash_every), the system if there are hashes of [each step](crate::Recorder::each_step), and
    /// otherwise the frames between two hashes. Entities, fields and values need the program: the snapshots have the bytes of its
    /// types, without the names of their fields. See [`first_difference`]. O(bytes).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::{Recorder, Recording};
    /// # use serde::{Deserialize, Serialize};
    /// use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    ///
    /// # #[derive(Resource, Clone, Debug, Serialize, Deserialize)]
    /// # #[resource(data = "game.score")]
    /// # struct Score(u32);
    /// # let folder = std::env::temp_dir().join(format!("files-doc-{}", std::process::id()));
    /// # std::fs::create_dir_all(&folder)?;
    /// // No world has this value, so nothing records it.
    /// static STEP: AtomicU32 = AtomicU32::new(1);
    ///
    /// let paths = ["mine.rec", "theirs.rec"].map(|name| folder.join(name));
    /// for (path, step) in paths.iter().zip([1, 2]) {
    ///     STEP.store(step, Relaxed);
    ///     let mut app = App::new();
    ///     app.insert_resource(Score(0)).add_systems(Update, |mut score: ResMut<Score>, time: Res<Time>| {
    ///         score.0 += if time.frame() < 7 { 1 } else { STEP.load(Relaxed) };
    ///     });
    ///     app.add_plugin(Recorder::new(path).each_step().hash_every(1)).update_times(10, App::DEFAULT_FIXED_STEP);
    /// }
    /// let [mine, theirs] = [Recording::read(&paths[0])?, Recording::read(&paths[1])?];
    /// let found = mine.first_difference(&theirs).unwrap();
    /// assert_eq!(found.frame, 6);
    /// assert!(found.to_string().starts_with("frame 6: the results of `"), "{found}");
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn first_difference(&self, other: &Self) -> Option<Difference> {
        let start = self.first_frame().max(other.first_frame());
        let end = self.end_frame().min(other.end_frame());
        let mut same = SameUntil::default();
        same.restart(start);
        for frame in start..end {
            let [one, two] = [self.frame(frame)?, other.frame(frame)?];
            let found = |kind, notes| Difference { frame, kind, notes };
            if let Some(what) = other_recorded_inputs([&one, &two]) {
                return Some(found(DifferenceKind::Inputs(what), Vec::new()));
            }
            if let Some((system, notes)) = other_hashes([&one, &two]) {
                let since = same.frame();
                return Some(found(DifferenceKind::Hashes { since, system }, notes));
            }
            note_same(&mut same, [&one, &two], frame);
        }
        None
    }
}

/// Says which inputs of a frame of two recordings differ.
fn other_recorded_inputs([one, two]: [&RecordedFrame<'_>; 2]) -> Option<String> {
    if let Some(what) = other_length([one, two]) {
        return Some(what);
    }
    let removed = |name: &&&str, frame: &RecordedFrame<'_>| !frame.removed.contains(name);
    let only_one = one.removed.iter().find(|name| removed(name, two));
    let only_one = only_one.or_else(|| two.removed.iter().find(|name| removed(name, one)));
    if let Some(name) = only_one {
        return Some(format!("`{name}` is removed in one of them"));
    }
    let names = [one, two].map(|frame| {
        let written = frame.written.iter();
        written.map(|(value, _)| (value.name(), value))
    });
    let [first, second] = names;
    let (first, second): (Vec<_>, Vec<_>) = (first.collect(), second.collect());
    let of = |list: &[(&str, _)], name: &str| -> Option<_> {
        list.iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| *value)
    };
    let names = first.iter().chain(&second).map(|(name, _)| *name);
    let mut others = names.filter(|name| match (of(&first, name), of(&second, name)) {
        (Some(one), Some(two)) => !one.is_same_value(two),
        _ => true,
    });
    others
        .next()
        .map(|name| match (of(&first, name), of(&second, name)) {
            (Some(_), Some(_)) => format!("`{name}` has another value"),
            (Some(_), None) => format!("`{name}` is only written in the first"),
            _ => format!("`{name}` is only written in the second"),
        })
}

fn other_length([one, other]: [&RecordedFrame<'_>; 2]) -> Option<String> {
    let is_other = (one.delta, one.real) != (other.delta, other.real);
    is_other.then(|| format!("its length is {:?} and {:?}", one.delta, other.delta))
}

/// Names a system of one recording, and the other recording's system at the same place if it is another one.
fn system_name([one, other]: [&str; 2]) -> String {
    match one == other {
        true => one.to_owned(),
        false => format!("{one}` and `{other}"),
    }
}

fn between<P: RecordedProgram>([one, other]: &[Replay<P>; 2]) -> Result<Diff, ReplayError> {
    let differ = Differ::new().only_data();
    differ
        .between(one.world(), other.world())
        .map_err(|error| ReplayError::Diff(Box::new(error)))
}

/// Brings both replays to a frame, or to their ends if these come before.
fn run_both_to<P: RecordedProgram>(
    sides: &mut [Replay<P>; 2],
    frame: u64,
) -> Result<(), ReplayError> {
    for side in sides {
        side.run_to(frame.min(side.recording().end_frame()))?;
    }
    Ok(())
}

/// Says which inputs of a frame differ.
fn other_inputs<P: RecordedProgram>(
    sides: &[Replay<P>; 2],
    [one, other]: [&RecordedFrame<'_>; 2],
) -> Option<String> {
    if let Some(what) = other_length([one, other]) {
        return Some(what);
    }
    let names = |side: usize, frame: &RecordedFrame<'_>| {
        let written = frame.written.iter();
        let written = written.map(|(resource, _)| {
            let value = resource.tree(sides[side].world());
            (
                resource.name().to_owned(),
                value.map_or_else(|error| error, |value| format!("{value:?}")),
            )
        });
        let removed = frame
            .removed
            .iter()
            .map(|name| ((*name).to_owned(), "removed".to_owned()));
        written.chain(removed).collect::<Vec<_>>()
    };
    let (one, other) = (names(0, one), names(1, other));
    let not_in = |list: &[(String, String)], name: &str| {
        let found = list.iter().find(|(known, _)| known == name);
        found.map_or_else(|| "unchanged".to_owned(), |(_, value)| value.clone())
    };
    let all = one.iter().chain(&other);
    all.map(|(name, _)| (name, not_in(&one, name), not_in(&other, name)))
        .find(|(_, one, other)| one != other)
        .map(|(name, one, other)| format!("`{name}` is {one} and {other}"))
}

/// Returns the first difference of two replays whose files are the same in these frames; `None` if the worlds after them are equal.
fn replayed<P: RecordedProgram>(
    sides: &mut [Replay<P>; 2],
    mut frames: Range<u64>,
) -> Result<Option<Difference>, ReplayError> {
    let start = frames.start;
    let are_equal_before = |sides: &mut [Replay<P>; 2], frame| {
        run_both_to(sides, frame)?;
        between(sides).map(|diff| diff.is_empty())
    };
    if frames.is_empty() || are_equal_before(sides, frames.end)? {
        return Ok(None);
    }
    while frames.end - frames.start > 1 {
        let middle = u64::midpoint(frames.start, frames.end);
        match are_equal_before(sides, middle)? {
            true => frames.start = middle,
            false => frames.end = middle,
        }
    }
    results(sides, start, frames).map(Some)
}

/// Runs both replays through some frames, up to the first after which their worlds differ. They are equal before `start`.
fn results<P: RecordedProgram>(
    sides: &mut [Replay<P>; 2],
    start: u64,
    mut frames: Range<u64>,
) -> Result<Difference, ReplayError> {
    sides.iter_mut().for_each(Replay::watch_steps);
    run_both_to(sides, frames.start)?;
    // Hashes of parts can have missed a difference that was gone when its part had its turn.
    if frames.start > start && !between(sides)?.is_empty() {
        frames.start = start;
        run_both_to(sides, start)?;
    }
    for frame in frames.clone() {
        let mut hashes = [0; 2];
        for (side, hash) in sides.iter_mut().zip(&mut hashes) {
            side.step()?;
            *hash = hasher().world(side.world()).map_err(hash_error)?;
        }
        if hashes[0] != hashes[1] {
            return result_of(sides, frame);
        }
    }
    Ok(Difference {
        frame: frames.end - 1,
        kind: DifferenceKind::HashesOnly {
            since: frames.start,
            // Snapshots of another build may not fit this one.
            recorded: between_snapshots(sides, frames.end).unwrap_or(None),
        },
        notes: Vec::new(),
    })
}

/// Returns the differences of the first snapshots that both recordings have before the same frame, from a frame on, and that differ.
fn between_snapshots<P: RecordedProgram>(
    sides: &mut [Replay<P>; 2],
    from: u64,
) -> Result<Option<(u64, Diff)>, ReplayError> {
    let recordings = sides.each_ref().map(Replay::shared_recording);
    let [one, other] = recordings.each_ref().map(|side| side.snapshots_from(from));
    for other in other {
        let Some(one) = one.iter().find(|one| one.frame == other.frame) else {
            continue;
        };
        for (side, snapshot) in sides.iter_mut().zip([one, other]) {
            side.restore(snapshot)?;
        }
        let diff = between(sides)?;
        if !diff.is_empty() {
            return Ok(Some((other.frame, diff)));
        }
    }
    Ok(None)
}

/// Finds the first system of a frame after which the worlds differ.
fn result_of<P: RecordedProgram>(
    sides: &mut [Replay<P>; 2],
    frame: u64,
) -> Result<Difference, ReplayError> {
    let steps = sides.each_ref().map(Replay::steps);
    let (found, notes) = first_other_step(&steps);
    let mut system = None;
    if let Some(places) = found {
        for (side, place) in sides.iter_mut().zip(places) {
            side.run_to(frame)?;
            side.run_steps(place + 1)?;
        }
        system = Some(system_name([steps[0][places[0]].0, steps[1][places[1]].0]));
    }
    Ok(Difference {
        frame,
        kind: DifferenceKind::Results {
            system,
            diff: between(sides)?,
        },
        notes,
    })
}

/// Returns the first system whose recorded hashes differ, if there are some, and notes; `None` if all hashes of a frame are the
/// same.
fn other_hashes([one, other]: [&RecordedFrame<'_>; 2]) -> Option<(Option<String>, Vec<String>)> {
    let steps = [one, other].map(|frame| {
        let steps = frame.steps.iter();
        steps.map(|(name, hash)| (*name, *hash)).collect()
    });
    let (place, notes) = first_other_step(&steps);
    let hashes = one.hash.zip(other.hash);
    let is_other = place.is_some() || hashes.is_some_and(|(one, other)| one.differs(other));
    let system = place.map(|[one, two]| system_name([steps[0][one].0, steps[1][two].0]));
    is_other.then_some((system, notes))
}

/// Notes what the hashes of a frame say that do not differ.
fn note_same(same: &mut SameUntil, [one, other]: [&RecordedFrame<'_>; 2], frame: u64) {
    // Those of all steps together have everything that systems write.
    if !one.steps.is_empty() && one.steps == other.steps {
        same.note(HashPart::WHOLE, frame + 1);
    }
    if let (Some(one), Some(other)) = (one.hash, other.hash)
        && one.part == other.part
    {
        same.note(one.part, frame + 1);
    }
}

/// The steps of a frame: names, and hashes of the data that they can write.
type Steps<'a> = Vec<(&'a str, u64)>;

/// Returns the places of the first steps with another result, and notes about steps that only one side has.
fn first_other_step([one, other]: &[Steps<'_>; 2]) -> (Option<[usize; 2]>, Vec<String>) {
    let mut notes = Vec::new();
    let mut note =
        |which, name| notes.push(format!("only the {which} program has run `{name}` here"));
    let (mut i, mut j) = (0, 0);
    while let (Some((name, hash)), Some((other_name, other_hash))) = (one.get(i), other.get(j)) {
        let is_later = |steps: &Steps<'_>, from: usize, name: &str| {
            steps[from..].iter().any(|(known, _)| *known == name)
        };
        if name == other_name {
            if hash != other_hash {
                return (Some([i, j]), notes);
            }
            i += 1;
            j += 1;
        } else if !is_later(other, j, name) {
            note("first", name);
            i += 1;
        } else if !is_later(one, i, other_name) {
            note("second", other_name);
            j += 1;
        } else {
            // Another order.
            return (Some([i, j]), notes);
        }
    }
    one[i..].iter().for_each(|(name, _)| note("first", name));
    other[j..].iter().for_each(|(name, _)| note("second", name));
    (None, notes)
}

#[cfg(test)]
mod tests {
    use super::first_other_step;

    #[test]
    fn steps_that_one_program_alone_has_are_notes() {
        let one = vec![("a", 1), ("old", 2), ("b", 3), ("c", 4), ("late", 5)];
        let other = vec![("new", 9), ("a", 1), ("b", 3), ("c", 4)];
        let (place, notes) = first_other_step(&[one.clone(), other.clone()]);
        assert_eq!(place, None);
        let only = |which, name| format!("only the {which} program has run `{name}` here");
        let expected = [
            only("second", "new"),
            only("first", "old"),
            only("first", "late"),
        ];
        assert_eq!(notes, expected);

        // The first step of both with another result, and the notes before it.
        let mut changed = other;
        changed[2].1 = 8;
        let (place, notes) = first_other_step(&[one, changed]);
        assert_eq!(place, Some([2, 2]));
        assert_eq!(notes, expected[..2]);
    }

    #[test]
    fn another_order_of_steps_is_a_difference() {
        let (place, notes) =
            first_other_step(&[vec![("a", 1), ("b", 2)], vec![("b", 2), ("a", 1)]]);
        assert_eq!((place, notes), (Some([0, 0]), Vec::new()));
    }
}
