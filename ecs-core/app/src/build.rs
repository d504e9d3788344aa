//! One plan of all that was added to an app.

use std::panic::Location;
use std::time::Duration;

use ecs_engine::World;
use ecs_engine::schedule::{IntoConfigs, Label, Plan, Schedule, ScheduleError};

use crate::App;
use crate::error::{AppError, Problem};
use crate::fixed::fixed_update;
use crate::labels::{FixedUpdate, StateTransition};
use crate::lists::{FIXED, Kind, Named};
use crate::states::States;

/// The schedules of an app, each of them planned as a whole.
pub(crate) struct Built {
    pub(crate) startup: Schedule,
    /// All that runs once a frame, of one part for each label.
    pub(crate) frame: Schedule,
    labels: Vec<(Label, Kind)>,
}

/// The plans of an app; see [`App::build`].
#[derive(Clone, Copy, Debug)]
pub struct AppPlan<'a> {
    startup: &'a Plan,
    frame: &'a Plan,
}

impl<'a> AppPlan<'a> {
    /// Returns the plan of `Startup`.
    #[must_use]
    pub fn startup(self) -> &'a Plan {
        self.startup
    }

    /// Returns the plan of all that runs once a frame, with the plans of fixed steps and states inside.
    #[must_use]
    pub fn frame(self) -> &'a Plan {
        self.frame
    }

    /// Returns what may be a mistake, although it has a meaning; see [`Plan::notes`].
    pub fn notes(self) -> impl Iterator<Item = &'a str> {
        let all = self.startup.notes().iter().chain(self.frame.notes());
        all.map(String::as_str)
    }
}

impl App {
    /// Plans, checks and prepares all that was added; [`update`](Self::update) and [`run`](Self::run) do it otherwise.
    ///
    /// Calls the functions of [`finally`](Self::finally) first. Does nothing if nothing was added since the last call.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn draw() {}
    /// #[system]
    /// fn walk() {}
    ///
    /// let mut app = App::new();
    /// app.add_systems("upkeep", walk);
    /// app.add_systems(Update, draw.before(draw));
    /// let error = app.build().unwrap_err();
    /// assert_eq!(error.problems().len(), 2);
    /// assert!(error.to_string().contains("the app has no schedule `\"upkeep\"`"));
    /// ```
    ///
    /// # Errors
    /// All that is wrong, at once: plugins that are missing or were added twice, schedules and states that there are not,
    /// constraints that cannot hold. No system has run then, and none will.
    pub fn build(&mut self) -> Result<AppPlan<'_>, AppError> {
        self.get_ready()?;
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is ready");
        };
        let plans = [&mut built.startup, &mut built.frame].map(Schedule::plan);
        let [Ok(startup), Ok(frame)] = plans else {
            unreachable!("the app is ready, so its schedules are planned");
        };
        Ok(AppPlan { startup, frame })
    }

    /// Builds what is new.
    pub(crate) fn get_ready(&mut self) -> Result<(), AppError> {
        if self.is_ready {
            return Ok(());
        }
        while let Some(function) = self.finally.pop_front() {
            function(self);
        }
        let mut problems = std::mem::take(&mut self.problems);
        if self.built.is_none() {
            self.plugins.check(&mut problems);
            let lists = std::mem::take(&mut self.lists).resolve(&mut problems);
            let states = std::mem::take(&mut self.states);
            self.built = Some(Ok(Built::new(
                lists,
                states,
                &mut self.world,
                self.fixed_step,
                &mut problems,
            )));
        }
        if let Some(Ok(built)) = &mut self.built {
            built.prepare(&mut self.world, &mut problems);
        }
        if !problems.is_empty() {
            self.built = Some(Err(AppError::new(problems)));
        }
        match &self.built {
            Some(Err(error)) => Err(error.clone()),
            _ => {
                self.is_ready = true;
                Ok(())
            }
        }
    }
}

impl Built {
    /// Joins the lists of all schedules that run each frame.
    fn new(
        lists: Vec<Named>,
        states: States,
        world: &mut World,
        fixed_step: Duration,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut labels = Vec::with_capacity(lists.len());
        for named in &lists {
            labels.push((named.label.clone(), named.kind));
        }
        let names = labels.iter().map(|(label, _)| format!("{label:?}"));
        let mut frame = Schedule::of_parts(names.collect());
        let mut startup = Schedule::new();
        let transitions = states.into_transitions(world, problems);
        let mut transitions = Some(transitions);
        for (part, named) in lists.into_iter().enumerate() {
            let Named {
                label,
                kind,
                schedule,
                ..
            } = named;
            match kind {
                Kind::Startup => startup = schedule,
                Kind::Frame => frame.append_to_part(part, &label, schedule),
                Kind::States => {
                    frame.append_to_part(part, &label, schedule);
                    if let Some(transitions) = transitions.take().flatten() {
                        frame.add_to_part(part, transitions.in_set(StateTransition));
                    }
                }
                Kind::Fixed => {
                    frame.append_to_part(part, &label, Schedule::new());
                    if !schedule.is_empty() {
                        add_fixed(&mut frame, part, fixed_step, schedule);
                    }
                }
                Kind::ByHand => _ = world.store_schedule(label, schedule),
                Kind::Unknown => {}
            }
        }
        Self {
            startup,
            frame,
            labels,
        }
    }

    /// Adds systems after the app was built.
    pub(crate) fn add_systems<M>(
        &mut self,
        world: &mut World,
        (has_started, fixed_step): (bool, Duration),
        label: Label,
        at: &'static Location<'static>,
        systems: impl IntoConfigs<M>,
    ) -> Option<Problem> {
        let part = self.labels.iter().position(|(other, _)| *other == label);
        match part.map(|part| self.labels[part].1) {
            Some(Kind::Startup) if !has_started => _ = self.startup.add(systems),
            Some(Kind::Startup) => {
                return Some(Problem::TooLate {
                    to: format!("{label:?}"),
                    at,
                });
            }
            Some(Kind::Frame | Kind::States) => {
                let mut added = Schedule::new();
                added.add(systems);
                self.frame.append_to_part(part?, &label, added);
            }
            Some(Kind::Fixed) => {
                let mut added = Schedule::named(FIXED);
                added.add(systems);
                if let Some(first) = self.frame.append_inside(&label, added) {
                    add_fixed(&mut self.frame, part?, fixed_step, first);
                }
            }
            Some(Kind::ByHand) => match world.stored_schedule(&label) {
                Some(schedule) => _ = schedule.add(systems),
                None => return Some(no_schedule(&label, at)),
            },
            Some(Kind::Unknown) | None => return Some(no_schedule(&label, at)),
        }
        None
    }

    /// Plans all schedules, and then prepares them.
    fn prepare(&mut self, world: &mut World, problems: &mut Vec<Problem>) {
        let mut planned = |name: &str, schedule: &mut Schedule| {
            if let Err(error) = schedule.plan() {
                problems.push(in_schedule(name, error.into()));
            }
        };
        planned("Startup", &mut self.startup);
        planned("frame", &mut self.frame);
        world.for_each_schedule(|_, label, schedule| planned(&format!("{label:?}"), schedule));
        if !problems.is_empty() {
            return;
        }
        let mut prepared = |world: &mut World, name: &str, schedule: &mut Schedule| {
            if let Err(error) = schedule.prepare(world) {
                problems.push(in_schedule(name, error));
            }
        };
        prepared(world, "Startup", &mut self.startup);
        prepared(world, "frame", &mut self.frame);
        world.for_each_schedule(|world, label, schedule| {
            prepared(world, &format!("{label:?}"), schedule);
        });
    }
}

fn add_fixed(frame: &mut Schedule, part: usize, step: Duration, schedule: Schedule) {
    frame.add_to_part(part, fixed_update(step, schedule).in_set(FixedUpdate));
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
