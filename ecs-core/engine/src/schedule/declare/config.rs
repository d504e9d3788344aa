//! Systems with their constraints and conditions, ready to be added to a schedule.

use alloc::vec::Vec;

use super::label::{Label, SetLabel};
use super::list::{Flush, ListedCondition, ListedStep, StepList};
use super::system_error::ErrorPolicy;
use super::target::{IntoTarget, OrderKind, StepConstraint};
use super::unread::Unread;
use crate::system::{
    ConditionOutput, IntoCondition, IntoSystem, SystemOutput, SystemSource, exclusive,
};
use crate::tuples::for_each_prefix;

/// One or more systems with their constraints and conditions; returned by the methods of [`IntoConfigs`].
#[must_use = "does nothing until it is added to a schedule"]
pub struct Configs {
    /// In list order.
    systems: Vec<ListedStep>,
    conditions: Vec<ListedCondition>,
    /// Pairs of positions in `systems`; the first one of a pair runs first.
    chained: Vec<(usize, usize)>,
    /// Positions in `systems` at which the direct members of the tuple start.
    members: Vec<usize>,
    /// The number of conditions on the group as a whole; they come first in each system's list.
    on_group: usize,
}

impl Configs {
    fn empty() -> Self {
        Self {
            systems: Vec::new(),
            conditions: Vec::new(),
            chained: Vec::new(),
            members: Vec::new(),
            on_group: 0,
        }
    }

    fn one(source: SystemSource, flush: Flush) -> Self {
        Self::of(ListedStep::new(source, flush))
    }

    /// Returns a single step.
    pub(crate) fn of(listed: ListedStep) -> Self {
        let mut configs = Self::empty();
        configs.members.push(0);
        configs.systems.push(listed);
        configs
    }

    /// Returns a step that applies the commands deferred up to it.
    pub(crate) fn flush_point() -> Self {
        struct Point;

        Self::one(exclusive::<Point>("flush", |_| Ok(())), Flush::Point)
    }

    /// Adds a member to the tuple.
    fn push(&mut self, member: Self) {
        let (systems, conditions) = (self.systems.len(), self.conditions.len());
        self.members.push(systems);
        self.systems
            .extend(member.systems.into_iter().map(|mut config| {
                config.conditions.iter_mut().for_each(|c| *c += conditions);
                config
            }));
        self.conditions.extend(member.conditions);
        let moved = |(first, second)| (systems + first, systems + second);
        self.chained.extend(member.chained.into_iter().map(moved));
    }

    /// Adds the systems to the end of the list.
    pub(crate) fn add_to(self, list: &mut StepList) {
        let (listed, conditions) = (list.systems.len(), list.conditions.len());
        for mut system in self.systems {
            for condition in &mut system.conditions {
                *condition += conditions;
            }
            list.systems.push(system);
        }
        for (first, second) in self.chained {
            list.chained.push((listed + first, listed + second));
        }
        list.conditions.extend(self.conditions);
    }

    fn constrain(mut self, constraint: &StepConstraint) -> Self {
        for system in &mut self.systems {
            system.constraints.push(constraint.clone());
        }
        self
    }
}

/// Systems that can be [added](crate::Schedule::add) to a schedule, with methods that order and restrict them.
///
/// Implemented for `#[system]` functions, for [closures](crate::system::SystemClosure) of system parameters, for
/// [pipes](crate::system::IntoSystemValue::pipe) of both, for tuples of up to 16 members, nested to any depth, and for the
/// values that these methods return. A method on a tuple applies to each of its systems, except where noted.
///
/// `M` is inferred.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[system]
/// fn read_input(mut log: ResMut<String>) { log.push('i') }
/// #[system]
/// fn think(mut log: ResMut<String>) { log.push('t') }
/// #[system]
/// fn act(mut log: ResMut<String>) { log.push('a') }
/// #[system]
/// fn draw(mut log: ResMut<String>) { log.push('d') }
/// #[system]
/// fn never() -> bool { false }
///
/// let mut frame = Schedule::new();
/// frame.add(((think, act).after(read_input), draw.run_if(never)));
/// frame.add(read_input);
///
/// let mut world = World::new();
/// world.insert_resource(String::new());
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<String>(), "ita");
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be added to a schedule",
    label = "not a system, nor a tuple of systems",
    note = "a scheduled system is a `#[system]` function without ordinary arguments, or a closure of system parameters with their types written, that returns `()` or `Result<(), E>`, where `E` converts into `Box<dyn Error + Send + Sync>`",
    note = "it is passed by name, without calling it; an observer, whose first parameter is its event, is not scheduled: `world.observe(on_hit)`",
    note = "a closure owns its captured values (`move`), and they are `Send`; one that takes the world needs `from_fn`, and `&mut`: `from_fn(|world: &mut World| ..)`",
    note = "write a closure as a `#[system]` function to see which of its parameters is wrong and why",
    note = "each type in `fn(..)` but the last is an ordinary argument, which only a caller has: take a component as `Comp<T>` or `CompMut<T>` and a resource as `Res<T>` or `ResMut<T>`, and mark any other parameter that the world supplies `#[param]`",
    note = "a tuple has at most 16 members; nest tuples for more",
    note = "add the members of a tuple one by one to see which one is wrong and why"
)]
pub trait IntoConfigs<M>: Sized {
    /// Erases the types.
    fn into_configs(self) -> Configs;

    /// Runs the systems after `other`: a system, or all systems of a set, anywhere in the schedule.
    fn after<N>(self, other: impl IntoTarget<N>) -> Configs {
        self.into_configs()
            .constrain(&StepConstraint::new(OrderKind::After, other))
    }

    /// Runs the systems before `other`: a system, or all systems of a set, anywhere in the schedule.
    fn before<N>(self, other: impl IntoTarget<N>) -> Configs {
        self.into_configs()
            .constrain(&StepConstraint::new(OrderKind::Before, other))
    }

    /// Adds the systems to a set, so that they obey its [configuration](crate::Schedule::configure).
    ///
    /// A system can be in several sets.
    #[doc(alias = "label")]
    #[doc(alias = "in_base_set")]
    fn in_set(self, set: impl SetLabel) -> Configs {
        let mut configs = self.into_configs();
        let label = Label::new(set);
        for system in &mut configs.systems {
            system.sets.push(label.clone());
        }
        configs
    }

    /// Runs the systems only if `condition` returns true.
    ///
    /// *A condition asks, a run consumes.* A system's conditions are its own and the ones on its tuples and sets. All of
    /// them are asked in each turn, directly before the system would run, whatever the others answer. A condition remembers
    /// things: the position of its readers of events and removals, the start of the time whose changes count, and, for the
    /// conditions of this [crate](crate::schedule::conditions), a memory of their own. All of that moves only when the
    /// system runs. So no condition loses anything while another one is false, and conditions in any order give the same
    /// runs. While the system sleeps because of a state, events that its readers have not read are
    /// [discarded](crate::schedule::Unread).
    ///
    /// So write a condition that is true when there is news. Put `not` around it for the opposite, which holds up the system
    /// for one turn. If you write a condition that is true while there is no news, such as
    /// `|events: EventReader<E>| events.is_empty()` or `|score: Res<Score>| !score.is_changed()`, it stays false after the
    /// first event or change: no run ever consumes the news.
    ///
    /// A [`Local`](crate::Local) of your own, and a value that a closure captures, change whenever the condition is asked.
    ///
    /// On a tuple or a set, a condition is asked once per run of the schedule, before the first system, and the answer holds
    /// for all of them. It is consumed if one of them runs. Conditions on sets are asked first, then those on outer tuples
    /// before those on inner ones, and on the same level in the order written. This order matters only for side effects of
    /// the conditions themselves. If a schedule does not run, its conditions are not asked.
    ///
    /// # Errors
    /// A condition whose parameters cannot be borrowed counts as false, and the run reports the error unless another
    /// condition is false. So `run_if(resource_exists::<T>())` guards conditions with a `Res<T>`. It does not guard against
    /// a panic.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::schedule::conditions::on_event;
    ///
    /// struct Knock;
    ///
    /// #[system]
    /// fn answer(mut answers: ResMut<u32>) { *answers += 1 }
    /// #[system]
    /// fn at_home(at_home: Res<bool>) -> bool { *at_home }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add(answer.run_if(on_event::<Knock>()).run_if(at_home));
    /// let mut world = World::new();
    /// world.insert_resource(0_u32);
    /// world.insert_resource(false);
    /// world.send_event(Knock);
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<u32>(), 0);
    /// world.insert_resource(true);
    /// frame.run(&mut world)?;
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<u32>(), 1);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    fn run_if<N, C: IntoCondition<N>>(self, condition: C) -> Configs
    where
        C::Out: ConditionOutput,
    {
        let mut configs = self.into_configs();
        let condition_index = configs.conditions.len();
        configs
            .conditions
            .push(ListedCondition::new(condition.into_condition()));
        for system in &mut configs.systems {
            system.conditions.insert(configs.on_group, condition_index);
        }
        configs.on_group += 1;
        configs
    }

    /// Defers the commands of the systems to the next [flush point](crate::Schedule::add_flush), or to the end of the run.
    /// There they are applied in the order of the systems, instead of directly after each system.
    ///
    /// So later systems need not wait for the commands, but do not see the changes. They can only see ids that were
    /// reserved: such an entity has no components until the commands are applied.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    ///
    /// #[system]
    /// fn strike(mut commands: Commands) { commands.spawn(Spark); }
    /// #[system]
    /// fn count(sparks: Comp<Spark>, mut log: ResMut<Vec<usize>>) { log.push(sparks.len()) }
    ///
    /// let mut frame = Schedule::new();
    /// frame.add((strike.flush_later(), count));
    /// frame.add_flush();
    /// frame.add(count);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Vec::<usize>::new());
    /// frame.run(&mut world)?;
    /// assert_eq!(*world.resource::<Vec<usize>>(), [0, 1]);
    /// # Ok::<(), ecs_core::schedule::ScheduleError>(())
    /// ```
    fn flush_later(self) -> Configs {
        let mut configs = self.into_configs();
        for system in &mut configs.systems {
            system.flush = Flush::Later;
        }
        configs
    }

    /// Chooses between keeping and discarding the events and removals that the systems have not read when their turn is
    /// skipped.
    ///
    /// On a step with schedules inside, the choice holds for all of their systems, whichever condition is false. If there
    /// are several choices, the innermost counts: on the system, on the tuples around it, on its sets, on the step that it
    /// is inside. [`Unread`] describes the default.
    fn unread(self, unread: Unread) -> Configs {
        let mut configs = self.into_configs();
        for system in &mut configs.systems {
            system.unread.get_or_insert(unread);
        }
        configs
    }

    /// Sets the reaction to an error of one of the systems, and overrides the policy of the app or schedule that runs them.
    ///
    /// A [`Schedule`](crate::Schedule) on its own returns all errors, each with its policy
    /// ([`SystemError::policy`](crate::schedule::SystemError::policy)); an app acts on the policy.
    fn on_error(self, policy: ErrorPolicy) -> Configs {
        let mut configs = self.into_configs();
        for system in &mut configs.systems {
            system.on_error = Some(policy);
        }
        configs
    }

    /// Runs the members of the tuple in the order listed.
    ///
    /// Unlike list order, this is a constraint: it does not yield if a member waits for a system that is listed later. A
    /// nested tuple is chained as a group; its own members are not chained to each other.
    fn chain(self) -> Configs {
        let mut configs = self.into_configs();
        let mut ends = configs.members.clone();
        ends.push(configs.systems.len());
        for bounds in ends.windows(3) {
            for first in bounds[0]..bounds[1] {
                configs
                    .chained
                    .extend((bounds[1]..bounds[2]).map(|second| (first, second)));
            }
        }
        configs
    }
}

/// Marker of the implementation of [`IntoConfigs`] for single systems.
#[doc(hidden)]
pub struct OneSystem<M>(M);

/// Marker of the implementation of [`IntoConfigs`] for tuples.
#[doc(hidden)]
pub struct Several<M>(M);

/// Marker of the implementation of [`IntoConfigs`] for [`Configs`].
#[doc(hidden)]
pub struct Configured;

impl<M, F: IntoSystem<M, Out: SystemOutput> + Send + 'static> IntoConfigs<OneSystem<M>> for F {
    fn into_configs(self) -> Configs {
        Configs::one(self.into_source(), Flush::After)
    }
}

#[diagnostic::do_not_recommend]
impl IntoConfigs<Configured> for Configs {
    fn into_configs(self) -> Configs {
        self
    }
}

macro_rules! tuple_configs {
    ($($name:ident $marker:ident),+) => {
        impl<$($marker, $name: IntoConfigs<$marker>),+> IntoConfigs<Several<($($marker,)+)>> for ($($name,)+) {
            fn into_configs(self) -> Configs {
                #[allow(non_snake_case, reason = "named like the type parameters")]
                let ($($name,)+) = self;
                let mut configs = Configs::empty();
                $(configs.push($name.into_configs());)+
                configs
            }
        }
    };
}

for_each_prefix!(tuple_configs: [A MA] [B MB] [C MC] [D MD] [E ME] [F MF] [G MG] [H MH] [I MI] [J MJ] [K MK] [L ML] [N MN] [O MO] [P MP] [Q MQ]);
