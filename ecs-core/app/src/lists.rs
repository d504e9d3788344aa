//! The additions to each schedule of an app, until all of them become one plan.

use std::panic::Location;

use ecs_engine::__private::edit_distance;
use ecs_engine::World;
use ecs_engine::schedule::{Label, Schedule, SetLabel};
use ecs_engine::system::IntoSystem;

use crate::error::Problem;
use crate::labels::{
    First, FixedUpdate, Last, PostUpdate, PreUpdate, Startup, StateTransition, Update,
};

/// The name of the step at a fixed rate.
pub(crate) const FIXED: &str = "FixedUpdate";

/// When a schedule runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScheduleKind {
    /// Once, before the first frame.
    Startup,
    /// Once a frame.
    Frame,
    /// Once a frame; states change after its systems.
    States,
    /// At a fixed rate.
    Fixed,
    /// When the program runs it; each run is one step of a fixed length.
    #[cfg(feature = "data")]
    FixedByHand,
    /// When the program runs it.
    ByHand,
    /// Not decided yet.
    Unknown,
}

/// A schedule of an app.
pub(crate) struct NamedSchedule {
    pub(crate) label: Label,
    pub(crate) kind: ScheduleKind,
    pub(crate) schedule: Schedule,
    /// The number of its systems and conditions whose data types were registered with the world.
    known: (usize, usize),
    /// The place that named it first.
    pub(crate) at: &'static Location<'static>,
}

/// A schedule that runs directly before or after another one.
struct Placed {
    label: Label,
    after: bool,
    other: Label,
    at: &'static Location<'static>,
}

/// The schedules of an app.
pub(crate) struct AppSchedules {
    /// First the schedules that run each frame, in the order of their runs, then all others.
    named: Vec<NamedSchedule>,
    placed: Vec<Placed>,
}

impl AppSchedules {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let mut lists = Self {
            named: Vec::new(),
            placed: Vec::new(),
        };
        lists.push(Startup, ScheduleKind::Startup);
        lists.push(StateTransition, ScheduleKind::States);
        lists.push(First, ScheduleKind::Frame);
        lists.push(PreUpdate, ScheduleKind::Frame);
        lists.push(FixedUpdate, ScheduleKind::Fixed);
        lists.push(Update, ScheduleKind::Frame);
        lists.push(PostUpdate, ScheduleKind::Frame);
        lists.push(Last, ScheduleKind::Frame);
        lists
    }

    #[track_caller]
    fn push(&mut self, label: impl SetLabel, kind: ScheduleKind) {
        self.named.push(NamedSchedule::new(
            Label::new(label),
            kind,
            Location::caller(),
        ));
    }

    /// Returns the schedule with the label, or a new one if nothing has named it before.
    pub(crate) fn of(
        &mut self,
        label: Label,
        at: &'static Location<'static>,
    ) -> &mut NamedSchedule {
        let found = self.find(&label);
        let index = found.unwrap_or_else(|| {
            self.named
                .push(NamedSchedule::new(label, ScheduleKind::Unknown, at));
            self.named.len() - 1
        });
        &mut self.named[index]
    }

    /// Takes the fixed schedule out of the frames.
    #[cfg(feature = "data")]
    #[track_caller]
    pub(crate) fn run_fixed_by_hand(&mut self) {
        let fixed = self.of(Label::new(FixedUpdate), Location::caller());
        fixed.kind = ScheduleKind::FixedByHand;
    }

    /// Returns true if the fixed schedule is not part of the frames.
    #[cfg(feature = "data")]
    pub(crate) fn is_fixed_by_hand(&self) -> bool {
        self.kind(&Label::new(FixedUpdate)) == ScheduleKind::FixedByHand
    }

    /// Removes a system from a schedule; returns the number of times that the schedule had it.
    pub(crate) fn remove<M>(&mut self, label: &Label, system: impl IntoSystem<M>) -> usize {
        match self.find(label) {
            Some(index) => {
                self.named[index].known = (0, 0);
                self.named[index].schedule.remove(system)
            }
            None => 0,
        }
    }

    /// Registers with the world the data types that the systems added since the last call use.
    pub(crate) fn make_known(&mut self, world: &mut World) {
        for named in &mut self.named {
            named.known = named.schedule.make_known(world, named.known);
        }
    }

    fn find(&self, label: &Label) -> Option<usize> {
        self.named.iter().position(|named| named.label == *label)
    }

    /// Notes that a schedule runs directly before or after another one.
    pub(crate) fn place(
        &mut self,
        label: Label,
        after: bool,
        other: Label,
        at: &'static Location<'static>,
    ) {
        self.placed.push(Placed {
            label,
            after,
            other,
            at,
        });
    }

    /// Returns all schedules, first those that run each frame, in the order of their runs. Adds mistakes to `problems`.
    pub(crate) fn resolve(mut self, problems: &mut Vec<Problem>) -> Vec<NamedSchedule> {
        let mut placed = std::mem::take(&mut self.placed);
        // They come in any order: a schedule may be placed beside one that is placed later in the list.
        while let Some(next) = placed
            .iter()
            .position(|placed| self.is_placed(&placed.other))
        {
            self.insert(placed.remove(next), problems);
        }
        problems.extend(self.misplaced(&placed));
        for placed in placed {
            // It was reported already.
            self.of(placed.label, placed.at).kind = ScheduleKind::ByHand;
        }
        for named in &self.named {
            if named.kind == ScheduleKind::Unknown {
                problems.push(self.unknown(&named.label, named.at));
            }
        }
        self.named
    }

    fn is_placed(&self, label: &Label) -> bool {
        matches!(
            self.kind(label),
            ScheduleKind::Frame | ScheduleKind::States | ScheduleKind::Fixed
        )
    }

    fn insert(&mut self, placed: Placed, problems: &mut Vec<Problem>) {
        let Placed {
            label,
            after,
            other,
            at,
        } = placed;
        let mut named = match self.find(&label) {
            None => NamedSchedule::new(label, ScheduleKind::Unknown, at),
            Some(index) if self.named[index].kind == ScheduleKind::Unknown => {
                self.named.remove(index)
            }
            Some(_) => {
                let label = format!("{label:?}");
                return problems.push(Problem::ScheduleTwice { label, at });
            }
        };
        named.kind = ScheduleKind::Frame;
        let other = self.find(&other).expect("is placed");
        self.named.insert(other + usize::from(after), named);
    }

    /// Returns the mistakes that left schedules without a place. A schedule whose neighbour is also in the list only waits for that
    /// one, and is not reported; if they all wait for each other, the first one is.
    fn misplaced(&self, placed: &[Placed]) -> Vec<Problem> {
        let waits = |one: &&Placed| placed.iter().any(|other| other.label == one.other);
        let problem = |one: &Placed| {
            let is_known = waits(&one) || self.kind(&one.other) != ScheduleKind::Unknown;
            if is_known {
                let (label, at) = (format!("{:?}", one.other), one.at);
                Problem::NotEachFrame { label, at }
            } else {
                self.unknown(&one.other, one.at)
            }
        };
        let mut problems: Vec<_> = placed
            .iter()
            .filter(|one| !waits(one))
            .map(problem)
            .collect();
        if problems.is_empty() {
            problems.extend(placed.first().map(problem));
        }
        problems
    }

    /// Returns when a schedule runs.
    fn kind(&self, label: &Label) -> ScheduleKind {
        let found = self.find(label);
        found.map_or(ScheduleKind::Unknown, |index| self.named[index].kind)
    }

    fn unknown(&self, label: &Label, at: &'static Location<'static>) -> Problem {
        let label = format!("{label:?}");
        let known = self
            .named
            .iter()
            .filter(|named| named.kind != ScheduleKind::Unknown);
        let similar = known.map(|named| format!("{:?}", named.label));
        Problem::NoSchedule {
            similar: similar
                .min_by_key(|other| edit_distance(&label, other))
                .filter(|other| {
                    // A third of the letters may differ.
                    edit_distance(&label, other) * 3 <= label.len()
                }),
            label,
            at,
        }
    }
}

impl NamedSchedule {
    fn new(label: Label, kind: ScheduleKind, at: &'static Location<'static>) -> Self {
        Self {
            label,
            kind,
            schedule: match kind {
                ScheduleKind::Fixed => Schedule::named(FIXED),
                _ => Schedule::new(),
            },
            known: (0, 0),
            at,
        }
    }
}

impl Default for AppSchedules {
    fn default() -> Self {
        Self::new()
    }
}
