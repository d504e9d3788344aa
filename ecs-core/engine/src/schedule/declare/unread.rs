//! The choice between keeping and discarding the events that a skipped system does not read.

/// The fate of the events and removals that a system has not read when its turn is skipped; see
/// [`IntoConfigs::unread`](crate::IntoConfigs::unread).
///
/// A step has one *turn* whenever its schedule reaches it: it runs, or is skipped because a condition is false.
///
/// The default depends on the conditions. If a false condition is about states (`in_state`, `state_changed`, and `not`,
/// `and` and `or` of such conditions), the system sleeps, and the default is [`Discard`](Self::Discard). If none of the
/// false conditions is about states, such as `every(2)` or a closure, the default is [`Keep`](Self::Keep). The order of the
/// conditions makes no difference.
///
/// The systems for entering and leaving a state sleep too: a run of [`Transitions`](super::super::Transitions) that does not
/// run them skips their turn, and [`Discard`](Self::Discard)s. If a [fixed](super::super::fixed) step has no time to
/// simulate in a frame, the systems inside have no turn: they see each event exactly once. Conditions that read, such as
/// `on_event`, sleep with their system.
///
/// ```
/// use ecs_core::prelude::*;
/// use ecs_core::schedule::conditions::in_state;
/// use ecs_core::schedule::{NextState, Transitions, Unread};
///
/// #[derive(Clone, Debug, PartialEq, Eq, Hash)]
/// enum Screen { Menu, Game }
///
/// struct Key(char);
///
/// #[system]
/// fn play(mut keys: EventReader<Key>, mut log: ResMut<String>) {
///     log.extend(keys.read().map(|key| key.0));
/// }
///
/// #[system]
/// fn count(mut keys: EventReader<Key>, mut total: ResMut<usize>) {
///     *total += keys.read().count();
/// }
///
/// let mut screens = Transitions::new();
/// screens.add_state(Screen::Menu);
/// let mut frame = Schedule::new();
/// frame.add(screens);
/// frame.add((play, count.unread(Unread::Keep)).run_if(in_state(Screen::Game)));
///
/// let mut world = World::new();
/// world.add_event::<Key>();
/// world.insert_resource(String::new());
/// world.insert_resource(0_usize);
/// world.send_event(Key('m')); // for the menu
/// frame.run(&mut world)?;
/// world.resource_mut::<NextState<Screen>>().set(Screen::Game);
/// world.send_event(Key('g'));
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<String>(), "g");
/// assert_eq!(*world.resource::<usize>(), 2);
/// # Ok::<(), ecs_core::schedule::ScheduleError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unread {
    /// The system reads them later: when it runs, it sees everything sent since it last read.
    ///
    /// The [bound](crate::event::Events#the-bound) limits their number.
    Keep,
    /// The skipped turn counts as read: when the system runs, it sees everything sent since its last turn.
    ///
    /// So only events sent between two turns are kept.
    Discard,
}
