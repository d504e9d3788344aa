//! What was added to each schedule of an app, until all of it becomes one plan.

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
pub(crate) enum Kind {
    /// Once, before the first frame.
    Startup,
    /// Once a frame.
    Frame,
    /// Once a frame, and states change after its systems.
    States,
    /// At a fixed rate.
    Fixed,
    /// When the program runs it.
    ByHand,
    /// Nothing has said.
    Unknown,
}

/// A schedule of an app.
pub(crate) struct Named {
    pub(crate) label: Label,
    pub(crate) kind: Kind,
    pub(crate) schedule: Schedule,
    /// How many of its systems and conditions the world knows the data of.
    known: (usize, usize),
    /// Where it was named first.
    pub(crate) at: &'static Location<'static>,
}

/// A schedule that is to run directly before or after another one.
struct Placed {
    label: Label,
    after: bool,
    other: Label,
    at: &'static Location<'static>,
}

/// The schedules of an app.
pub(crate) struct Lists {
    /// Those that run each frame in the order in which they run, and all others.
    named: Vec<Named>,
    placed: Vec<Placed>,
}

impl Lists {
    #[track_caller]
    pub(crate) fn new() -> Self {
        let mut lists = Self {
            named: Vec::new(),
            placed: Vec::new(),
        };
        lists.push(Startup, Kind::Startup);
        lists.push(StateTransition, Kind::States);
        lists.push(First, Kind::Frame);
        lists.push(PreUpdate, Kind::Frame);
        lists.push(FixedUpdate, Kind::Fixed);
        lists.push(Update, Kind::Frame);
        lists.push(PostUpdate, Kind::Frame);
        lists.push(Last, Kind::Frame);
        lists
    }

    #[track_caller]
    fn push(&mut self, label: impl SetLabel, kind: Kind) {
        self.named
            .push(Named::new(Label::new(label), kind, Location::caller()));
    }

    /// Returns the schedule with the label; a new one, if nothing has named it before.
    pub(crate) fn of(&mut self, label: Label, at: &'static Location<'static>) -> &mut Named {
        let found = self.find(&label);
        let index = found.unwrap_or_else(|| {
            self.named.push(Named::new(label, Kind::Unknown, at));
            self.named.len() - 1
        });
        &mut self.named[index]
    }

    /// Removes a system from a schedule; returns how often it was there.
    pub(crate) fn remove<M>(&mut self, label: &Label, system: impl IntoSystem<M>) -> usize {
        match self.find(label) {
            Some(index) => {
                self.named[index].known = (0, 0);
                self.named[index].schedule.remove(system)
            }
            None => 0,
        }
    }

    /// Tells the world which data the systems name that were added since the last call.
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

    /// Returns all schedules, those that run each frame in the order in which they run; what is wrong is added to
    /// `problems`.
    pub(crate) fn resolve(mut self, problems: &mut Vec<Problem>) -> Vec<Named> {
        let mut placed = std::mem::take(&mut self.placed);
        // Each of them can be placed relative to another one, in any order.
        while let Some(next) = placed
            .iter()
            .position(|placed| self.is_placed(&placed.other))
        {
            self.insert(placed.remove(next), problems);
        }
        problems.extend(self.misplaced(&placed));
        for placed in placed {
            // Not reported again.
            self.of(placed.label, placed.at).kind = Kind::ByHand;
        }
        for named in &self.named {
            if named.kind == Kind::Unknown {
                problems.push(self.unknown(&named.label, named.at));
            }
        }
        self.named
    }

    fn is_placed(&self, label: &Label) -> bool {
        matches!(self.kind(label), Kind::Frame | Kind::States | Kind::Fixed)
    }

    fn insert(&mut self, placed: Placed, problems: &mut Vec<Problem>) {
        let Placed {
            label,
            after,
            other,
            at,
        } = placed;
        let mut named = match self.find(&label) {
            None => Named::new(label, Kind::Unknown, at),
            Some(index) if self.named[index].kind == Kind::Unknown => self.named.remove(index),
            Some(_) => {
                let label = format!("{label:?}");
                return problems.push(Problem::ScheduleTwice { label, at });
            }
        };
        named.kind = Kind::Frame;
        let other = self.find(&other).expect("is placed");
        self.named.insert(other + usize::from(after), named);
    }

    /// Returns what is wrong with schedules that have no place. Those that are placed beside one of the others have one as soon
    /// as that has; if all are, the first one is named.
    fn misplaced(&self, placed: &[Placed]) -> Vec<Problem> {
        let waits = |one: &&Placed| placed.iter().any(|other| other.label == one.other);
        let problem = |one: &Placed| {
            let is_known = waits(&one) || self.kind(&one.other) != Kind::Unknown;
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
    fn kind(&self, label: &Label) -> Kind {
        let found = self.find(label);
        found.map_or(Kind::Unknown, |index| self.named[index].kind)
    }

    fn unknown(&self, label: &Label, at: &'static Location<'static>) -> Problem {
        let label = format!("{label:?}");
        let known = self
            .named
            .iter()
            .filter(|named| named.kind != Kind::Unknown);
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

impl Named {
    fn new(label: Label, kind: Kind, at: &'static Location<'static>) -> Self {
        Self {
            label,
            kind,
            schedule: match kind {
                Kind::Fixed => Schedule::named(FIXED),
                _ => Schedule::new(),
            },
            known: (0, 0),
            at,
        }
    }
}

impl Default for Lists {
    fn default() -> Self {
        Self::new()
    }
}
