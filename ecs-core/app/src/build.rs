//! Building an app: planning, checking and preparing everything that was added.
//!
//! # Run an app
//! Plugins add to a list per label (`lists.rs` of `ecs-app`). `App::build` joins the lists that run each frame into one schedule,
//! which has a part for each list (`schedule/parts.rs`): the planner sorts systems by `ListedStep::part` first, and refuses
//! constraints that contradict the order of the parts. States and the fixed rate are steps of that schedule. Schedules that are run
//! by hand are kept in the world (`schedule/stored.rs`). First everything is planned, then everything is prepared, and only then
//! does anything run. Later additions go to the end of their part, and each system keeps its timings (`Records::insert`). After
//! `Startup` has run, its systems are dropped (`Schedule::end`), because their readers would keep all events. A frame (`update.rs`) advances `Time`, runs the
//! one schedule, and treats errors by their policies: 750 instructions if there is nothing to run.

use ecs_engine::schedule::{InPlan, Schedule, SchedulePlan, Why};

use crate::app::App;
use crate::built::BuiltApp;
use crate::error::AppError;

/// The plans of an app; see [`App::build`].
#[derive(Clone, Debug)]
pub struct AppPlan<'a> {
    startup: &'a SchedulePlan,
    frame: &'a SchedulePlan,
    /// With their labels.
    by_hand: Vec<(String, &'a SchedulePlan)>,
}

impl<'a> AppPlan<'a> {
    /// Returns the plan of `Startup`.
    #[must_use]
    pub fn startup(&self) -> &'a SchedulePlan {
        self.startup
    }

    /// Returns the plan of everything that runs once a frame, with the plans of fixed steps and states inside.
    #[must_use]
    pub fn frame(&self) -> &'a SchedulePlan {
        self.frame
    }

    /// Returns all plans with their names: an empty one for the frame, `Startup`, and the labels of schedules that are [run
    /// by hand](App::add_schedule). The paths in [timings](App::timings) and errors begin with these names.
    #[must_use]
    pub fn plans(&self) -> Vec<(String, &'a SchedulePlan)> {
        let mut plans = vec![
            (String::new(), self.frame),
            (String::from("Startup"), self.startup),
        ];
        plans.extend(self.by_hand.iter().cloned());
        plans
    }

    /// Explains why two systems cannot run at the same time, or says that they can. Looks in the first of the
    /// [plans](Self::plans) that has both; see [`SchedulePlan::why`].
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[system]
    /// fn think(mut thoughts: ResMut<u32>) { *thoughts += 1 }
    /// #[system]
    /// fn act(thoughts: Res<u32>, mut done: ResMut<u64>) { *done += u64::from(*thoughts) }
    ///
    /// let mut app = App::new();
    /// app.add_schedule("turn").add_systems("turn", (think, act));
    /// let plan = app.build()?;
    /// assert!(plan.why(think, act).to_string().contains("the resource `u32`"));
    /// # Ok::<(), ecs_core::app::AppError>(())
    /// ```
    pub fn why<A, B>(&self, one: impl InPlan<A> + Clone, other: impl InPlan<B> + Clone) -> Why<'a> {
        let why = |plan: &'a SchedulePlan| plan.why(one.clone(), other.clone());
        let others = self.by_hand.iter().map(|(_, plan)| *plan);
        let mut all = [self.frame, self.startup].into_iter().chain(others);
        let found = all.find_map(|plan| Some(why(plan)).filter(Why::is_known));
        found.unwrap_or_else(|| why(self.frame))
    }

    /// Returns notes about declarations that are valid but may be mistakes; see [`SchedulePlan::notes`].
    pub fn notes(&self) -> impl Iterator<Item = &'a str> {
        let plans = self.plans().into_iter();
        plans.flat_map(|(_, plan)| plan.notes().iter().map(String::as_str))
    }
}

impl App {
    /// Plans, checks and prepares everything that was added. [`update`](Self::update) and [`run`](Self::run) call it if
    /// you do not.
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
    /// All mistakes together: plugins that are missing or were added twice, schedules and states that do not exist,
    /// impossible constraints. In that case no system has run, and none will.
    pub fn build(&mut self) -> Result<AppPlan<'_>, AppError> {
        self.get_ready()?;
        let Some(Ok(built)) = &mut self.built else {
            unreachable!("the app is ready");
        };
        let plans = [&mut built.startup, &mut built.frame].map(Schedule::plan);
        let [Ok(startup), Ok(frame)] = plans else {
            unreachable!("the app is ready, so its schedules are planned");
        };
        let by_hand = self.world.plans_of_schedules();
        Ok(AppPlan {
            startup,
            frame,
            by_hand,
        })
    }

    /// Builds the new parts.
    pub(crate) fn get_ready(&mut self) -> Result<(), AppError> {
        // Additions in the middle of a frame take effect in the next one.
        if self.is_ready || self.is_in_frame() {
            return Ok(());
        }
        while let Some(function) = self.finally.pop_front() {
            function(self);
        }
        let mut problems = std::mem::take(&mut self.problems);
        if self.built.is_none() {
            self.plugins.check(&mut problems);
            let lists = std::mem::take(&mut self.lists).resolve(&mut problems);
            let states = self.states.take();
            self.built = Some(Ok(BuiltApp::new(
                lists,
                states,
                &mut self.world,
                self.fixed,
                &mut problems,
            )));
        }
        if let Some(Ok(built)) = &mut self.built {
            built.prepare(&mut self.world, self.has_started, &mut problems);
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
