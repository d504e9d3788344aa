//! One plan of everything that was added to an app.

use std::panic::Location;
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::{IntoConfigs, Label, Schedule, ScheduleError, Transitions};
use ecs_engine::system::IntoSystem;

use crate::error::Problem;
use crate::fixed::fixed_update;
use crate::labels::{FixedUpdate, StateTransition};
use crate::lists::{FIXED, NamedSchedule, ScheduleKind};

/// The rate of `FixedUpdate`.
#[derive(Clone, Copy)]
pub(crate) struct FixedRate {
    pub(crate) step: Duration,
    pub(crate) max_steps: u32,
}

/// The schedules of an app, each of them planned as a whole.
pub(crate) struct BuiltApp {
    pub(crate) startup: Schedule,
    /// Everything that runs once a frame, with one part for each label.
    pub(crate) frame: Schedule,
    labels: Vec<(Label, ScheduleKind)>,
    /// The part where states will change; `None` once there is a step that changes them.
    without_states: Option<usize>,
}

impl BuiltApp {
    /// Joins the lists of all schedules that run each frame.
    pub(crate) fn new(
        lists: Vec<NamedSchedule>,
        states: Option<Transitions>,
        world: &mut World,
        rate: FixedRate,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut labels = Vec::with_capacity(lists.len());
        for named in &lists {
            labels.push((named.label.clone(), named.kind));
        }
        let names = labels.iter().map(|(label, _)| format!("{label:?}"));
        let mut frame = Schedule::of_parts(names.collect());
        let mut startup = Schedule::new();
        // States that were only added to the world change too.
        let states = states.or_else(|| world.has_states().then(Transitions::new));
        let mut states = checked(states, world, problems);
        let mut without_states = None;
        for (part, named) in lists.into_iter().enumerate() {
            let NamedSchedule {
                label,
                kind,
                schedule,
                at,
                ..
            } = named;
            match kind {
                ScheduleKind::Startup => startup = schedule,
                ScheduleKind::Frame => frame.append_to_part(part, &label, schedule),
                ScheduleKind::States => {
                    frame.append_to_part(part, &label, schedule);
                    match states.take() {
                        Some(states) => {
                            frame.add_to_part(part, states.in_set(StateTransition));
                        }
                        None => without_states = Some(part),
                    }
                }
                ScheduleKind::Fixed => {
                    frame.append_to_part(part, &label, Schedule::new());
                    if !schedule.is_blank() {
                        add_fixed(&mut frame, part, rate, schedule);
                    }
                }
                #[cfg(feature = "data")]
                ScheduleKind::FixedByHand => {
                    let mut by_hand = Schedule::of_parts(vec![format!("{label:?}")]);
                    add_fixed(&mut by_hand, 0, rate, schedule);
                    world.store_schedule(label, by_hand);
                }
                ScheduleKind::ByHand if world.stored_schedule(&label).is_some() => {
                    let label = format!("{label:?}");
                    problems.push(Problem::ScheduleTwice { label, at });
                }
                ScheduleKind::ByHand => _ = world.store_schedule(label, schedule),
                ScheduleKind::Unknown => {}
            }
        }
        startup.without_counting();
        Self {
            startup,
            frame,
            labels,
            without_states,
        }
    }

    /// Adds the step that changes states, if the world got its first ones after the app was built.
    pub(crate) fn follow_states(&mut self, world: &mut World) {
        if let Some(part) = self.without_states
            && world.has_states()
        {
            self.without_states = None;
            let states = Transitions::new();
            self.frame.add_to_part(part, states.in_set(StateTransition));
        }
    }

    /// Adds systems after the app was built.
    pub(crate) fn add_systems<M>(
        &mut self,
        world: &mut World,
        (has_started, rate): (bool, FixedRate),
        label: Label,
        at: &'static Location<'static>,
        systems: impl IntoConfigs<M>,
    ) -> Option<Problem> {
        let part = self.labels.iter().position(|(other, _)| *other == label);
        match part.map(|part| self.labels[part].1) {
            Some(ScheduleKind::Startup) if !has_started => _ = self.startup.add(systems),
            Some(ScheduleKind::Startup) => {
                return Some(Problem::TooLate {
                    to: format!("{label:?}"),
                    at,
                });
            }
            Some(ScheduleKind::Frame | ScheduleKind::States) => {
                let mut added = Schedule::new();
                added.add(systems);
                self.frame.append_to_part(part?, &label, added);
            }
            Some(ScheduleKind::Fixed) => {
                let mut added = Schedule::named(FIXED);
                added.add(systems);
                if let Some(first) = self.frame.append_inside(part?, added) {
                    add_fixed(&mut self.frame, part?, rate, first);
                }
            }
            #[cfg(feature = "data")]
            Some(ScheduleKind::FixedByHand) => {
                let mut added = Schedule::named(FIXED);
                added.add(systems);
                match world.stored_schedule(&label) {
                    Some(by_hand) => _ = by_hand.append_inside(0, added),
                    None => return Some(no_schedule(&label, at)),
                }
            }
            Some(ScheduleKind::ByHand) => match world.stored_schedule(&label) {
                Some(schedule) => _ = schedule.add(systems),
                None => return Some(no_schedule(&label, at)),
            },
            Some(ScheduleKind::Unknown) | None => return Some(no_schedule(&label, at)),
        }
        None
    }

    /// Removes a system from a schedule; returns the number of times that the schedule had it.
    pub(crate) fn remove_systems<M>(
        &mut self,
        world: &mut World,
        label: &Label,
        system: impl IntoSystem<M>,
    ) -> usize {
        let mut labels = self.labels.iter().enumerate();
        let found =
            labels.find_map(|(part, (other, kind))| (other == label).then_some((part, kind)));
        match found {
            Some((_, ScheduleKind::Startup)) => self.startup.remove(system),
            Some((part, ScheduleKind::Frame | ScheduleKind::States)) => {
                self.frame.remove_from_part(part, system)
            }
            Some((part, ScheduleKind::Fixed)) => self.frame.remove_inside(part, system),
            #[cfg(feature = "data")]
            Some((_, ScheduleKind::FixedByHand)) => match world.stored_schedule(label) {
                Some(by_hand) => by_hand.remove_inside(0, system),
                None => 0,
            },
            Some((_, ScheduleKind::ByHand)) => match world.stored_schedule(label) {
                Some(schedule) => schedule.remove(system),
                None => 0,
            },
            Some((_, ScheduleKind::Unknown)) | None => 0,
        }
    }

    /// Plans all schedules, and then prepares those that are going to run.
    pub(crate) fn prepare(
        &mut self,
        world: &mut World,
        has_started: bool,
        problems: &mut Vec<Problem>,
    ) {
        let mut states = Vec::new();
        let mut planned = |name: &str, schedule: &mut Schedule| {
            let planned = schedule.plan().map(|_| ());
            if let Err(error) = planned.and_then(|()| schedule.refuse_states(&mut states)) {
                problems.push(in_schedule(name, error.into()));
            }
        };
        // First, because most states belong to the app.
        planned("frame", &mut self.frame);
        planned("Startup", &mut self.startup);
        world.for_each_schedule(|_, label, schedule| planned(&format!("{label:?}"), schedule));
        if !problems.is_empty() {
            return;
        }
        let mut prepared = |world: &mut World, name: &str, schedule: &mut Schedule| {
            if let Err(error) = schedule.prepare(world) {
                problems.push(in_schedule(name, error));
            }
        };
        if !has_started {
            prepared(world, "Startup", &mut self.startup);
        }
        prepared(world, "frame", &mut self.frame);
        world.for_each_schedule(|world, label, schedule| {
            prepared(world, &format!("{label:?}"), schedule);
        });
    }
}

/// Returns the states if they are correct; otherwise adds the mistake to `problems`.
fn checked(
    states: Option<Transitions>,
    world: &World,
    problems: &mut Vec<Problem>,
) -> Option<Transitions> {
    let states = states?;
    let errors = states.errors(world);
    let is_right = errors.is_empty();
    problems.extend(errors.into_iter().map(Problem::State));
    is_right.then_some(states)
}

fn add_fixed(frame: &mut Schedule, part: usize, rate: FixedRate, schedule: Schedule) {
    let steps = fixed_update(rate.step, schedule).max_steps(rate.max_steps);
    frame.add_to_part(part, steps.in_set(FixedUpdate));
}

fn in_schedule(name: &str, error: ScheduleError) -> Problem {
    Problem::Schedule {
        schedule: name.to_owned(),
        error,
    }
}

fn no_schedule(label: &Label, at: &'static Location<'static>) -> Problem {
    Problem::NoSchedule {
        label: format!("{label:?}"),
        at,
        similar: None,
    }
}
