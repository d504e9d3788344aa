//! The inputs of an app, by the metadata of its systems.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt;

use ecs_app::{App, AppError, Exit, RealTime, Time};
use ecs_engine::meta::{Domain, Kind, SystemMeta};
use ecs_engine::schedule::{ScheduleError, SchedulePlan, is_state};
use ecs_engine::task::Tasks;

use crate::program::{RecordSource, ScheduleSource};

/// The parts of an app that a [`Recorder`](crate::Recorder) can record, and those that it cannot; see
/// [`Recorder::check`](crate::Recorder::check).
///
/// `Display` prints it, with a line for each finding.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::Recorder;
///
/// #[derive(Resource, Default)]
/// struct Keys(Vec<char>);
///
/// #[system]
/// fn type_keys(keys: Res<Keys>) {
///     let _ = keys.0.len();
/// }
///
/// let mut app = App::new();
/// app.init_resource::<Keys>().add_systems(Update, type_keys);
/// let check = Recorder::check(&mut app)?;
/// assert!(!check.is_complete() && !check.inputs[0].is_recorded);
/// assert!(check.to_string().contains("help: make it data"));
/// # Ok::<(), ecs_core::app::AppError>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RecorderCheck {
    /// The resources and events that systems read and none writes, by name: they come from outside. The
    /// recorder also writes others that code between frames changes, which metadata cannot tell from results of the app.
    pub inputs: Vec<RecorderInput>,
    /// Systems that may take in anything, with the reason: they read the whole world, a value of one thread, the wall clock, or
    /// results of
    /// [tasks](Tasks).
    pub unknown: Vec<(&'static str, String)>,
    /// The reason why there are no snapshots as bytes, so that nothing is recorded.
    pub snapshot: Option<String>,
}

/// A resource, or a type of events, that an app takes in.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::record::Recorder;
///
/// #[system]
/// fn count(speed: Res<u32>) {
///     let _ = *speed;
/// }
///
/// let mut app = App::new();
/// app.insert_resource(3_u32).add_systems(Update, count);
/// let check = Recorder::check(&mut app)?;
/// let input = &check.inputs[0];
/// assert_eq!((input.name, input.is_recorded), ("u32", false));
/// assert_eq!(input.readers.len(), 1);
/// # Ok::<(), ecs_core::app::AppError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecorderInput {
    /// Its name as data, or the path of its type.
    pub name: &'static str,
    /// False if it is no data. Then its changes are not recorded.
    pub is_recorded: bool,
    /// The names of the systems that read it.
    pub readers: Vec<&'static str>,
}

impl RecorderCheck {
    /// Returns true if everything that the app takes in is recorded, as far as metadata tells.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::record::Recorder;
    ///
    /// let mut app = App::new();
    /// assert!(Recorder::check(&mut app)?.is_complete());
    /// # Ok::<(), ecs_core::app::AppError>(())
    /// ```
    #[must_use]
    pub fn is_complete(&self) -> bool {
        let is_recorded = self.inputs.iter().all(|input| input.is_recorded);
        is_recorded && self.unknown.is_empty() && self.snapshot.is_none()
    }

    pub(crate) fn of(app: &mut App) -> Result<Self, AppError> {
        let plans = app.build()?.plans();
        let mut check = Self::of_plans(plans.iter().map(|(_, plan)| *plan));
        check.snapshot = app.snapshot_bytes().err();
        Ok(check)
    }

    pub(crate) fn of_schedule(mut source: ScheduleSource<'_>) -> Result<Self, ScheduleError> {
        source.schedule.prepare(source.world)?;
        let mut check = Self::of_plans([source.schedule.plan()?]);
        check.snapshot = source.snapshot_bytes().err();
        Ok(check)
    }

    fn of_plans<'a>(plans: impl IntoIterator<Item = &'a SchedulePlan>) -> Self {
        let mut seen = SeenResources::default();
        let mut check = Self::default();
        for plan in plans {
            each_meta(plan, &mut |meta| check.add(&mut seen, meta));
        }
        let others = [
            TypeId::of::<Time>(),
            TypeId::of::<RealTime>(),
            TypeId::of::<Exit>(),
        ];
        for (id, resource) in seen.0 {
            if !resource.is_written && !others.contains(&id) && !resource.is_state {
                check.inputs.push(resource.input);
            }
        }
        check.inputs.sort_unstable_by_key(|input| input.name);
        check
    }

    fn add(&mut self, seen: &mut SeenResources, meta: SystemMeta) {
        let mut unknown = |reason: String| {
            if !self.unknown.contains(&(meta.name, reason.clone())) {
                self.unknown.push((meta.name, reason));
            }
        };
        // Systems have asked for all changes of states.
        if let Some(kind) = meta.world().filter(|_| meta.name != "Transitions") {
            let write = if kind == Kind::Write {
                "may read and write"
            } else {
                "may read"
            };
            unknown(format!("{write} anything in the world"));
        }
        for access in meta.access() {
            let id = access.ident.type_id();
            match access.domain {
                Domain::NonSend => {
                    unknown(format!(
                        "has `{}`, a value of one thread",
                        access.ident.type_name()
                    ));
                }
                Domain::Component => {}
                Domain::Resource => {
                    if id == TypeId::of::<RealTime>() {
                        unknown("reads the wall clock by `RealTime`".to_owned());
                    } else if id == TypeId::of::<Tasks>() {
                        unknown("has `Tasks`, whose results a replay makes again, if they are not recorded by `DataTasks`".to_owned());
                    }
                    let data = access.ident.data();
                    // Transitions write it, and have the whole world.
                    let is_state = is_state(&access.ident);
                    let resource = seen.0.entry(id).or_insert_with(|| SeenResource {
                        is_written: false,
                        is_state,
                        input: RecorderInput {
                            name: data.map_or_else(|| access.ident.type_name(), |data| data.name()),
                            is_recorded: data.is_some(),
                            readers: Vec::new(),
                        },
                    });
                    resource.is_written |= access.kind.writes();
                    if !resource.input.readers.contains(&meta.name) {
                        resource.input.readers.push(meta.name);
                    }
                }
            }
        }
    }
}

impl fmt::Display for RecorderCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(reason) = &self.snapshot {
            writeln!(f, "nothing is recorded: {reason}")?;
        }
        for input in &self.inputs {
            let readers = input.readers.join("`, `");
            match input.is_recorded {
                true => writeln!(f, "input `{}`, read by `{readers}`", input.name)?,
                false => writeln!(
                    f,
                    "input `{}`, read by `{readers}`, is not recorded; help: make it data by `#[resource(data = \"..\")]`",
                    input.name
                )?,
            }
        }
        for (system, reason) in &self.unknown {
            writeln!(f, "`{system}` {reason}, which may differ in a replay")?;
        }
        Ok(())
    }
}

#[derive(Default)]
struct SeenResources(BTreeMap<TypeId, SeenResource>);

struct SeenResource {
    is_written: bool,
    is_state: bool,
    input: RecorderInput,
}

/// Calls a function with the metadata of all systems and conditions of a plan, and of the plans inside.
fn each_meta(plan: &SchedulePlan, f: &mut dyn FnMut(SystemMeta)) {
    for step in plan.steps() {
        for condition in step.conditions() {
            condition.parts.iter().for_each(|meta| f(*meta));
        }
        let mut inner = step.inner().peekable();
        if inner.peek().is_none() {
            f(step.meta());
        }
        inner.for_each(|(_, plan)| each_meta(plan, f));
    }
}
