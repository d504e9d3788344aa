//! Flush points: steps at which is done what systems put off until later.

use super::Schedule;
use super::list::Listed;
use super::plan::Flush;
use super::turn::Turn;
use crate::meta::{Kind, ParamInfo, SystemMeta, Tree};
use crate::system::{BoxError, DynExclusive, Runner, SystemId};
use crate::world::World;

/// The step's system, which does nothing itself.
struct Point;

const META: SystemMeta = SystemMeta::new(
    "flush",
    &[ParamInfo::new(
        "world",
        "&mut World",
        &Tree::World(Kind::Write),
    )],
);

impl DynExclusive<(), Result<(), BoxError>> for Point {
    fn run(&mut self, _: &mut World, (): ()) -> Result<(), BoxError> {
        Ok(())
    }
}

impl Schedule {
    /// Adds a flush point at the end of the list: what systems with [`flush_later`](super::IntoConfigs::flush_later) have
    /// put off by then is done there.
    pub fn add_flush(&mut self) -> &mut Self {
        self.list.systems.push(Listed {
            id: SystemId::of::<Point>(),
            meta: META,
            constraints: Vec::new(),
            sets: Vec::new(),
            conditions: Vec::new(),
            flush: Flush::Point,
        });
        self.runners
            .push(Box::new(|_| Turn::new(Runner::Exclusive(Box::new(Point)))));
        self.plan = None;
        self
    }
}
