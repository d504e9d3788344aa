//! Common conditions, for [`run_if`](crate::IntoConfigs::run_if).
//!
//! A condition asks, and a run consumes: all conditions of a step are asked in each of its turns, and their answers stay
//! true until the system has run. So a system does not lose an event, a change or its only run from [`run_once`] while
//! another condition is false, and the order of conditions makes no difference. See [`run_if`](crate::IntoConfigs::run_if).
//!
//! Each call creates a condition with its own state. Combine them with [`and`](crate::IntoCondition::and),
//! [`or`](crate::IntoCondition::or) and [`not`]; write others as `#[system]` functions or closures that return `bool`.

use super::states::{State, StateValue};
use crate::component::{Component, TrackedComponent};
use crate::event::EventReader;
use crate::query::{Changed, Query};
use crate::resource::{Res, Resource};
pub use crate::system::not;
use crate::system::{
    ConditionSource, IntoCondition, Remember, Remembered, Turn, TurnLocal, TurnMemory, from_fn,
};
use crate::type_name::type_name;
use crate::view::Comp;

/// True if there is a resource of the type.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::resource_exists;
///
/// #[derive(Resource)]
/// struct Score(u32);
/// #[system]
/// fn win(mut score: ResMut<Score>) { score.0 += 1 }
///
/// let mut frame = Schedule::new();
/// frame.add(win.run_if(resource_exists::<Score>()));
/// let mut world = World::new();
/// frame.run(&mut world)?;
/// world.insert_resource(Score(0));
/// frame.run(&mut world)?;
/// assert_eq!(world.resource::<Score>().0, 1);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
pub fn resource_exists<T: Resource>() -> ConditionSource {
    let exists = from_fn(|resource: Option<Res<T>>| resource.is_some());
    exists
        .into_condition()
        .named(format!("resource_exists::<{}>", type_name::<T>()))
}

/// True if an entity has the component and queries would visit it: [disabled](crate::Disabled) entities do not count.
///
/// O(tables that have the component). For a sparse component, it looks for the first entity that is not disabled.
pub fn component_exists<T: Component>() -> ConditionSource {
    let any = from_fn(|all: Comp<T>| all.iter().next().is_some());
    any.into_condition()
        .named(format!("component_exists::<{}>", type_name::<T>()))
}

/// True if the resource was inserted or changed since the system last ran under the condition. False if it does not exist.
///
/// Before the first run, an existing resource counts as changed.
pub fn resource_changed<T: Resource>() -> ConditionSource {
    let changed = from_fn(|resource: Option<Res<T>>| resource.is_some_and(|r| r.is_changed()));
    changed
        .into_condition()
        .named(format!("resource_changed::<{}>", type_name::<T>()))
}

/// True if a value of the tracked component was added or changed since the system last ran under the condition. Removals and
/// [disabled](crate::Disabled) entities do not count.
///
/// O(values), until it finds one: it compares the ticks of 32 values at a time. A world keeps no tick for a component as a whole:
/// to note each change there would make a loop that writes all values take 4.7 times as many instructions.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::component_changed;
///
/// #[derive(Component)]
/// #[component(track)]
/// struct Wall;
///
/// #[system]
/// fn find_paths(mut searches: ResMut<u32>) { *searches += 1 }
///
/// let mut frame = Schedule::new();
/// frame.add(find_paths.run_if(component_changed::<Wall>()));
/// let mut world = World::new();
/// world.insert_resource(0_u32);
/// world.spawn(Wall);
/// frame.run(&mut world)?;
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<u32>(), 1);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
pub fn component_changed<T: TrackedComponent>() -> ConditionSource {
    let changed = from_fn(|changed: Query<(), Changed<T>>| !changed.is_empty());
    changed
        .into_condition()
        .named(format!("component_changed::<{}>", type_name::<T>()))
}

/// True if events of the type were sent since the system last ran under the condition.
///
/// It has its own reader, so readers in systems see the events too.
///
/// # Panics
/// If it is evaluated in a world that has no such [events](crate::World::add_event).
pub fn on_event<E: Send + Sync + 'static>() -> ConditionSource {
    let sent = from_fn(|mut events: EventReader<E>| {
        let sent = !events.is_empty();
        events.clear();
        sent
    });
    sent.into_condition()
        .named(format!("on_event::<{}>", type_name::<E>()))
}

/// True while the state is `state`; false if there is no state of the type.
///
/// While it is false, the systems sleep: events and removals that they miss are
/// [discarded](crate::schedule::Unread::Discard).
pub fn in_state<S: StateValue>(state: S) -> ConditionSource {
    let name = format!("in_state({state:?})");
    let is = move |current: Option<Res<State<S>>>| current.is_some_and(|s| *s.get() == state);
    // It captures only the state to compare with.
    let is = from_fn(is).into_condition().without_captured();
    about_states(is.named(name))
}

/// True if the state changed, began or ended since the system last ran under the condition, even if it was left and entered
/// again.
///
/// Before the first run, an existing state counts as changed. While it is false, the systems sleep as with [`in_state`].
pub fn state_changed<S: StateValue>() -> ConditionSource {
    let changed = from_fn(
        |current: Option<Res<State<S>>>, existed: TurnLocal<Existed>| {
            existed.0.now = current.is_some();
            let ended = existed.0.before && !existed.0.now;
            ended || current.is_some_and(|current| current.is_changed())
        },
    );
    let name = format!("state_changed::<{}>", type_name::<S>());
    about_states(changed.into_condition().named(name))
}

/// The existence of a state.
#[derive(Default)]
struct Existed {
    /// True if the state existed when the system last ran.
    before: bool,
    now: bool,
}

impl TurnMemory for Existed {
    #[inline]
    fn settle(&mut self, turn: Turn) {
        if turn.ran() {
            self.before = self.now;
        }
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.before));
    }
}

/// Makes systems sleep while the condition is false.
fn about_states(mut condition: ConditionSource) -> ConditionSource {
    condition.meta.is_about_states = true;
    condition
}

/// True until the system has run once.
#[inline]
pub fn run_once() -> ConditionSource {
    let once = from_fn(|once: TurnLocal<RunOnce>| !once.0.has_run);
    once.into_condition().named("run_once")
}

#[derive(Default)]
struct RunOnce {
    has_run: bool,
}

impl TurnMemory for RunOnce {
    #[inline]
    fn settle(&mut self, turn: Turn) {
        self.has_run |= turn.ran();
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.has_run));
    }
}

/// True at every `n`th turn: the `n`th, the `2n`th, ... If another condition is false then, this one stays true until the
/// system has run.
///
/// Turns while the system sleeps because of a [state](in_state) do not count.
///
/// # Panics
/// If `n` is 0.
#[track_caller]
#[inline]
pub fn every(n: u32) -> ConditionSource {
    assert!(n > 0, "`every(0)` would never be true; help: use 1 or more");
    let nth = from_fn(move |turns: TurnLocal<Turns>| {
        let turns = turns.0;
        turns.is_nth = turns.seen + 1 == n;
        turns.is_due || turns.is_nth
    });
    // It captures only the number.
    let nth = nth.into_condition().without_captured();
    nth.named(format!("every({n})"))
}

/// The turns since the last `n`th one.
#[derive(Default)]
struct Turns {
    seen: u32,
    /// True if an `n`th turn has passed without a run.
    is_due: bool,
    /// True if this turn is an `n`th one.
    is_nth: bool,
}

impl TurnMemory for Turns {
    #[inline]
    fn settle(&mut self, turn: Turn) {
        if turn.is_awake() {
            self.seen = if self.is_nth { 0 } else { self.seen + 1 };
            self.is_due = !turn.ran() && (self.is_due || self.is_nth);
        }
    }

    #[inline]
    fn remembered(&mut self, remember: &mut Remember<'_>) {
        remember(Remembered::value(&mut self.seen));
        remember(Remembered::value(&mut self.is_due));
    }
}
