use ecs_core::prelude::*;
use ecs_core::relation::related;
use ecs_core::schedule;
use ecs_core::tree::children;

use crate::data::{Body, Pack, PartOf, Position, Unit, Weight};
use crate::systems::{each, is_late, others, readers, views};

/// Sets of systems.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// The first.
    Early,
    /// The second.
    Late,
}

schedule! {
    /// The systems of a frame.
    pub static FRAME = [
        views.after(readers),
        (others, each).chain().in_set(Set::Late).run_if(is_late),
        readers.in_set(Set::Early),
        configure(Set::Late, |set| set.after(Set::Early)),
    ];
    static SHORT = [readers]
}

/// Makes a schedule.
#[must_use]
#[inline]
pub fn dynamic() -> Schedule {
    let mut schedule = Schedule::new();
    let _: &mut Schedule = schedule.add((views, each.after(views), readers.run_if(is_late)));
    schedule
}

/// Spawns a tree.
///
/// # Panics
/// If the short list is not short.
#[inline]
pub fn spawn(world: &mut World) -> Entity {
    let unit = Unit {
        position: Position(1),
        rest: (Body, Weight(2)),
    };
    assert!(SHORT.plan().stages() == 1, "one system");
    let parts = related![PartOf; Position(4), Body];
    world.spawn((
        unit,
        children![Position(2), (Pack(Position(3), Body), parts)],
    ))
}
