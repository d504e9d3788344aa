use ecs_core::prelude::*;
use ecs_core::schedule;
use ecs_core::tree::children;

use crate::data::{Body, Pack, Position, Unit, Weight};
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
pub fn dynamic() -> Schedule {
    let mut schedule = Schedule::new();
    schedule.add((views, each.after(views), readers.run_if(is_late)));
    schedule
}

/// Spawns a tree.
pub fn spawn(world: &mut World) -> Entity {
    let unit = Unit {
        position: Position(1),
        rest: (Body, Weight(2)),
    };
    let _: usize = SHORT.plan().stages();
    world.spawn((unit, children![Position(2), Pack(Position(3), Body)]))
}
