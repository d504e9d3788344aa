//! The fate of events that a skipped system does not read.

/// The fate of the events and removals that a system has not read when its turn is skipped; see
/// [`IntoConfigs::unread`](crate::IntoConfigs::unread).
///
/// A *turn* of a step is one visit by its schedule, whether it then runs or is skipped, because a condition is false.
/// Where nothing else is said, it is [`Discard`](Self::Discard) if a condition that is about states is false (`in_state`,
/// `state_changed`, and `not`, `and` and `or` of such conditions), as the system then sleeps, and [`Keep`](Self::Keep) if
/// only others are, such as `every(2)` or a closure. The order of the conditions makes no difference.
///
/// The systems for entering and leaving a state sleep too: a run of [`Transitions`](super::super::Transitions) that does
/// not run them is a turn that is skipped, and [`Discard`](Self::Discard)s. A frame in which a
/// [fixed](super::super::fixed) step has no time to simulate is no turn of the systems inside: they see each event
/// exactly once. Conditions that read, such as `on_event`, sleep with their system.
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
    /// They are read later: when the system runs, it sees all that was sent since it last read.
    ///
    /// At most as many are kept as the [bound](crate::event::Events#the-bound) allows.
    Keep,
    /// The skipped turn counts as read: when the system runs, it sees what was sent since its last turn.
    ///
    /// So only what is sent between two turns is kept.
    Discard,
}
