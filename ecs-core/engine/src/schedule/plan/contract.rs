//! Contracts: the systems of a plan that may change some data.

use alloc::string::String;
use alloc::vec::Vec;
use core::error::Error;
use core::fmt;

use super::SchedulePlan;
use crate::edit_distance::edit_distance;
use crate::meta::{ConstTypeId, ConstTypeIdOf, ParamAccess, QueryAccess, SystemMeta, WriteEffect};
use crate::system::SystemParam;

/// A system, or a condition, that can change some data, and how it does so.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct EffectOf {
    /// The name of the system or condition.
    pub system: &'static str,
    /// The way.
    pub effect: WriteEffect,
}

/// Contracts: which systems change some data, judged by their parameters.
impl SchedulePlan {
    /// Returns the systems and conditions, at all depths, that can change the data that a parameter reads:
    /// `Comp<Health>`, `Query<&Health, With<Player>>`, `Res<Score>`. See [`SystemMeta::effect_on`] for the rules.
    ///
    /// The step that [changes states](crate::schedule::Transitions) is not listed, although it writes the state.
    ///
    /// # Panics
    /// If the parameter writes data.
    #[must_use]
    #[track_caller]
    pub fn writers_of<P: SystemParam>(&self) -> Vec<EffectOf> {
        let data = read_by::<P>();
        self.effects(&|meta| meta.effect_on(data))
    }

    /// Returns the systems and conditions, at all depths, that can send events of a type, or change those that were sent.
    #[must_use]
    pub fn senders_of<E: Send + Sync + 'static>(&self) -> Vec<EffectOf> {
        let event = event_ident::<E>();
        self.effects(&|meta| meta.effect_on_events(&event))
    }

    /// Checks that only certain systems and conditions can change the data that a parameter reads. This is for tests: who may
    /// write health is decided in one line, and a system that breaks the rule fails the test with its name.
    ///
    /// A name may leave out the first parts of the path, and the generic arguments: `hurt`, `combat::hurt`. Each has to be in
    /// the plan. Commands that [declare](crate::Commands#declared-components) components are believed to insert and remove
    /// no others, besides those that the declared ones [require](crate::component::Required).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Health(u32);
    ///
    /// #[system(for_each)]
    /// fn hurt(health: &mut Health) { health.0 -= 1 }
    /// #[system]
    /// fn spawn_wave(mut commands: Commands) { commands.spawn(Health(9)); }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((hurt, spawn_wave));
    /// let plan = frame.plan()?;
    /// assert!(plan.only_written_by::<Comp<Health>>(&["hurt", "spawn_wave"]).is_ok());
    /// let error = plan.only_written_by::<Comp<Health>>(&["hurt"]).unwrap_err().to_string();
    /// assert!(error.contains("spawn_wave` may change it by `commands: Commands`; help: declare"), "{error}");
    /// # Ok::<(), ecs_core::schedule::PlanError>(())
    /// ```
    ///
    /// # Errors
    /// If another system can change the data, or a name is not in the plan.
    ///
    /// # Panics
    /// If the parameter writes data.
    #[track_caller]
    pub fn only_written_by<P: SystemParam>(&self, systems: &[&str]) -> Result<(), ContractError> {
        let mut data = Vec::new();
        for access in read_by::<P>().accesses() {
            data.push(access.ident.type_name());
        }
        let checked = self.check_contract(data, self.writers_of::<P>(), systems);
        checked.map_err(|error| ContractError {
            apart: filter_apart(P::ACCESS),
            ..error
        })
    }

    /// Checks that only certain systems and conditions can send events of a type; like
    /// [`only_written_by`](Self::only_written_by).
    ///
    /// # Errors
    /// If another system can send such events, or a name is not in the plan.
    pub fn only_sent_by<E: Send + Sync + 'static>(
        &self,
        systems: &[&str],
    ) -> Result<(), ContractError> {
        let data = vec![event_ident::<E>().type_name()];
        self.check_contract(data, self.senders_of::<E>(), systems)
    }

    #[inline]
    fn effects(&self, effect: &dyn Fn(&SystemMeta) -> Option<WriteEffect>) -> Vec<EffectOf> {
        let mut found = Vec::<EffectOf>::new();
        self.for_each_meta(&mut |meta| {
            let is_new = !found.iter().any(|other| other.system == meta.name);
            if let (Some(effect), true) = (effect(meta), is_new) {
                let system = meta.name;
                found.push(EffectOf { system, effect });
            }
        });
        found
    }

    /// Calls a function with the metadata of all systems and conditions, at all depths.
    #[inline]
    fn for_each_meta(&self, f: &mut dyn FnMut(&SystemMeta)) {
        for step in self.steps() {
            let metas = step.metas();
            let is_nested = step.inner().len() > 0;
            // A step with schedules inside has the whole world, for these.
            metas
                .into_iter()
                .skip(usize::from(is_nested))
                .for_each(&mut *f);
            step.inner().for_each(|(_, plan)| plan.for_each_meta(f));
        }
    }

    #[inline]
    fn check_contract(
        &self,
        data: Vec<&'static str>,
        mut others: Vec<EffectOf>,
        systems: &[&str],
    ) -> Result<(), ContractError> {
        others.retain(|other| !systems.iter().any(|name| is_called(other.system, name)));
        let mut names = Vec::new();
        self.for_each_meta(&mut |meta| names.push(meta.name));
        let mut unknown = Vec::new();
        for &system in systems {
            if !names.iter().any(|name| is_called(name, system)) {
                let distance = |name: &&&str| edit_distance(last_part(name), last_part(system));
                unknown.push((
                    String::from(system),
                    names.iter().min_by_key(distance).copied(),
                ));
            }
        }
        if others.is_empty() && unknown.is_empty() {
            return Ok(());
        }
        Err(ContractError {
            data,
            others,
            unknown,
            apart: None,
        })
    }
}

/// A schedule does not keep to a contract: [`SchedulePlan::only_written_by`] or [`only_sent_by`](SchedulePlan::only_sent_by).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ContractError {
    /// The types of the data.
    pub data: Vec<&'static str>,
    /// The systems and conditions that can change the data and are not named.
    pub others: Vec<EffectOf>,
    /// The names that are not in the plan, each with the nearest one that is.
    pub unknown: Vec<(String, Option<&'static str>)>,
    /// A filter of queries that keeps them apart from the data.
    apart: Option<String>,
}

impl fmt::Display for ContractError {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the contract about `{}` does not hold:",
            self.data.join("`, `")
        )?;
        for EffectOf { system, effect } in &self.others {
            if let (Some(filter), WriteEffect::Parameter(param)) = (&self.apart, effect)
                && let ParamAccess::Leaf(view) = param.of.access
            {
                let component = short_name(view.ident.type_name());
                write!(
                    f,
                    "\n`{system}` {effect}, which has all entities; help: take a `Query<&mut {component}, {filter}>`, or name the system in the contract"
                )?;
                continue;
            }
            let help = match effect {
                WriteEffect::UndeclaredCommands(_) => {
                    "declare the components that the commands insert and remove, `Commands<(A, B)>`, or name the system in the contract"
                }
                WriteEffect::World(_) => {
                    "take the data as parameters, or name the system in the contract"
                }
                _ => "name the system in the contract, or let another one do it",
            };
            write!(f, "\n`{system}` {effect}; help: {help}")?;
        }
        for (name, nearest) in &self.unknown {
            write!(f, "\n`{name}` is not a system of the plan; help: ")?;
            match nearest {
                Some(nearest) => write!(f, "write `{nearest}`, or remove it")?,
                None => f.write_str("remove it")?,
            }
        }
        Ok(())
    }
}

impl Error for ContractError {}

/// Returns the access of a parameter that writes nothing.
#[track_caller]
fn read_by<P: SystemParam>() -> &'static ParamAccess {
    let writes = P::ACCESS.accesses().any(|access| access.kind.writes());
    assert!(
        !writes,
        "`{}` writes data, but a contract is about data that is read; help: write `&T`, `Comp<T>` or `Res<T>`",
        core::any::type_name::<P>()
    );
    P::ACCESS
}

/// Returns a filter that no entity of a query passes, if the query has a filter of one component.
#[inline]
fn filter_apart(data: &ParamAccess) -> Option<String> {
    let ParamAccess::Query { filter, .. } = data else {
        return None;
    };
    let filter = match filter {
        QueryAccess::All([first, ..]) => first,
        filter => filter,
    };
    match filter {
        QueryAccess::With(ident) => Some(format!("Without<{}>", short_name(ident.type_name()))),
        QueryAccess::Without(ident) => Some(format!("With<{}>", short_name(ident.type_name()))),
        _ => None,
    }
}

/// Returns the last part of the path of a type; all of it for an instance of a generic type.
#[inline]
fn short_name(name: &str) -> &str {
    if name.contains('<') {
        name
    } else {
        last_part(name)
    }
}

fn event_ident<E: Send + Sync + 'static>() -> ConstTypeId {
    ConstTypeIdOf::<E>::opaque().ident()
}

/// Returns true if a name means a system: its last parts, with or without generic arguments.
#[inline]
fn is_called(system: &str, name: &str) -> bool {
    let path = system.split('<').next().unwrap_or_default();
    let ends = |text: &str| {
        let rest = text.strip_suffix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
    };
    ends(system) || ends(path)
}

#[inline]
fn last_part(name: &str) -> &str {
    name.rsplit("::").next().unwrap_or_default()
}
