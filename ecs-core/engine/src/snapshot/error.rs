//! The reasons why a world cannot be copied, or cannot return.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::command::DelayedFunction;
use crate::component::ComponentId;
use crate::entity::{Entity, PartError};
use crate::type_name::data_name;
use crate::world::ReturnError;

/// A world has something that a snapshot cannot copy. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SnapshotError {
    /// The names of the components of entities that cannot be copied, in order of registration.
    pub components: Box<[&'static str]>,
    /// An entity that has each of these components.
    pub entities: Box<[Entity]>,
    /// The functions of [delayed](crate::Commands::delay) commands, if the snapshot has to become bytes.
    pub delayed: Box<[DelayedFunction]>,
    /// The names of the resources that cannot be copied, in order of insertion.
    pub resources: Box<[&'static str]>,
    /// The names of the components that are left out and are members of a group, although the order of a group depends on all
    /// its members.
    pub grouped: Box<[&'static str]>,
    /// The remembered values of systems that cannot be copied: the name of the system, and the type of the value. The type is empty
    /// for a system that was called as a function, if the snapshot has to become bytes: they have no place for its memory.
    pub remembered: Box<[(String, &'static str)]>,
    /// If the snapshot is [of some entities](super::Snapshotter::entities), an edge of each relation from them to others:
    /// the name of the component of sources, the source and the target.
    pub edges: Box<[(&'static str, Entity, Entity)]>,
    /// The number of schedules that are not prepared for the world.
    pub unprepared: usize,
}

impl fmt::Display for SnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = "";
        for (name, entity) in self.components.iter().zip(&self.entities) {
            write!(
                f,
                "{line}the component `{name}` cannot be copied: entity {entity} has it"
            )?;
            line = "\n";
        }
        for function in &self.delayed {
            write!(
                f,
                "{line}the delayed command {function}, is a function, which cannot become bytes"
            )?;
            line = "\n";
        }
        for name in &self.resources {
            write!(f, "{line}the resource `{name}` cannot be copied")?;
            line = "\n";
        }
        for name in &self.grouped {
            write!(
                f,
                "{line}the component `{name}` cannot be left out, because it is in a group"
            )?;
            line = "\n";
        }
        for (system, name) in &self.remembered {
            match *name {
                "" => write!(f, "{line}{}", CalledMemory(system))?,
                name => write!(
                    f,
                    "{line}the system `{system}` remembers a value that cannot be copied: {name}"
                )?,
            }
            line = "\n";
        }
        for (relation, source, target) in &*self.edges {
            write!(
                f,
                "{line}entity {source} is related by `{relation}` to {target}, which is not part of the snapshot\nhelp: make {target} part of it, or reverse the relation: entities outside of the snapshot may be related to its own"
            )?;
            line = "\n";
        }
        if self.unprepared > 0 {
            write!(
                f,
                "{line}a schedule is not prepared for the world, or is in the middle of a run\nhelp: call `Schedule::prepare` or `Schedule::finish_run` before, or finish the frame of an app with `App::step`"
            )?;
        }
        for help in self.components.iter().filter_map(|name| own_help(name)) {
            write!(
                f,
                "\nhelp: {help}, or leave it out by `Snapshotter::without`"
            )?;
        }
        let mut others = self.components.iter();
        if let Some(component) = others.find(|name| own_help(name).is_none()) {
            write!(
                f,
                "\nhelp: make the component data (`#[component(data = \"{}\")]`), or name it in `Snapshotter::component` or `Snapshotter::without`",
                data_name(component)
            )?;
        }
        if !self.delayed.is_empty() {
            f.write_str("\nhelp: write `delay_event` in place of `delay`, and make the change in a system that reads the event; or leave out such functions by `Snapshotter::without_others`")?;
        }
        if !self.resources.is_empty() {
            f.write_str("\nhelp: name the resource in `Snapshotter::resource`, events in `Snapshotter::events`, or either in `Snapshotter::without_resource`, or leave out all such with `without_other_resources`")?;
        }
        let is_called = |(_, name): &(_, &str)| name.is_empty();
        if !self.remembered.iter().all(is_called) {
            f.write_str("\nhelp: name the type of a `Local` in `Snapshotter::local`; use a `Local` or a resource in place of a captured value that changes, and `Snapshotter::without_captured` if none does")?;
        }
        if self.remembered.iter().any(is_called) {
            f.write_str(CalledMemory::HELP)?;
        }
        Ok(())
    }
}

impl core::error::Error for SnapshotError {}

/// The words for a system that was called as a function, and remembers something that bytes cannot have.
#[doc(hidden)]
pub struct CalledMemory<'a>(pub &'a str);

impl CalledMemory<'_> {
    /// A line of its own.
    pub const HELP: &'static str = "\nhelp: add the function to a schedule or call `World::register_system` with it: bytes then have its memory; or leave it out by `Snapshotter::without_others`";
}

impl fmt::Display for CalledMemory<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the system `{}` was called as a function, and its memory cannot become bytes",
            self.0
        )
    }
}

/// Returns the help of a component that can neither be data nor be cloned.
fn own_help(name: &str) -> Option<&'static str> {
    let mut named = ComponentId::named(name).into_iter();
    named.find_map(|id| id.info().more.copy_help)
}

/// Everything that a snapshot could not copy and has left out; see
/// [`Snapshotter::without_others`](super::Snapshotter::without_others).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LeftOut {
    /// The names of components, in order of registration. Entities of the snapshot lose those in tables, and keep their values
    /// of others.
    pub components: Vec<&'static str>,
    /// The names of resources, in order of insertion.
    pub resources: Vec<&'static str>,
    /// The remembered values of systems: the name of the system, and the type of the value.
    pub remembered: Vec<(String, &'static str)>,
    /// The functions of [delayed](crate::Commands::delay) commands, if the snapshot has to become bytes, and in the list of a save.
    pub delayed: Vec<DelayedFunction>,
    /// The number of [tasks](crate::task) that were running.
    pub tasks: usize,
    /// The names of observers and [registered](crate::World::register_system) systems that are closures with captured values, which
    /// may change and do not return: a snapshot with the memory of schedules lists them in any case, unless
    /// [`without_captured`](super::Snapshotter::without_captured) promises that none changes. If the snapshot has to become bytes,
    /// also the names of systems that were called as functions and remember something.
    pub outside: Vec<&'static str>,
}

impl LeftOut {
    /// Returns true if nothing was left out.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = "";
        for name in &self.components {
            write!(f, "{line}the component `{name}`")?;
            line = "\n";
        }
        for name in &self.resources {
            write!(f, "{line}the resource `{name}`")?;
            line = "\n";
        }
        for (system, name) in &self.remembered {
            write!(f, "{line}the system `{system}` remembers: {name}")?;
            line = "\n";
        }
        for function in &self.delayed {
            write!(f, "{line}the delayed command {function}")?;
            line = "\n";
        }
        for name in &self.outside {
            write!(f, "{line}the memory of `{name}` outside of schedules")?;
            line = "\n";
        }
        match self.tasks {
            0 => Ok(()),
            1 => write!(f, "{line}1 running task"),
            tasks => write!(f, "{line}{tasks} running tasks"),
        }
    }
}

/// A world cannot return to a snapshot. Nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The snapshot belongs to another world: ids, rows and ticks mean nothing here.
    OtherWorld,
    /// The snapshot is not complete because a `Clone` panicked when it was taken.
    Incomplete,
    /// The snapshot has other schedules than those that were given, or the systems of one have changed, or an observer or a
    /// registered system remembers other things.
    OtherSchedules,
    /// The snapshot has only the components that schedules can write, and other entities have these now.
    OtherRows,
    /// The snapshot is of [some entities](super::Snapshotter::entities). One of them was despawned, and an entity that is
    /// none of them has got its index.
    IdTaken {
        /// The entity of the snapshot.
        entity: Entity,
        /// The entity that has its index.
        by: Entity,
    },
    /// The snapshot is of some entities. An entity is one of them now, but existed and was none when the snapshot was taken.
    Joined {
        /// The entity.
        entity: Entity,
    },
    /// The snapshot is of some entities. The world has [local ids](crate::World::reserve_local_ids), and an entity that is
    /// none of them was made with an id of the simulation: frames that run again would make it again.
    NotLocal {
        /// The entity.
        entity: Entity,
    },
    /// The ring has no snapshot of the frame.
    NoSuchFrame {
        /// The frame.
        frame: u64,
    },
}

impl RestoreError {
    pub(super) fn of(error: ReturnError) -> Self {
        match error {
            ReturnError::OtherRows => Self::OtherRows,
            ReturnError::Part(PartError::Taken { entity, by }) => Self::IdTaken { entity, by },
            ReturnError::Part(PartError::Joined { entity }) => Self::Joined { entity },
            ReturnError::Part(PartError::NotLocal { entity }) => Self::NotLocal { entity },
        }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OtherWorld => f.write_str(
                "the snapshot is of another world; help: save and load, or clone, to carry values from world to world",
            ),
            Self::Incomplete => {
                f.write_str("the snapshot is not complete: a `Clone` panicked when it was taken")
            }
            Self::OtherSchedules => f.write_str(
                "the snapshot is not of these schedules; help: give the schedules with which it was taken, in the same order, with the same systems",
            ),
            Self::OtherRows => f.write_str(
                "the snapshot has the values that schedules can write, and other entities have them now; help: spawn, despawn, insert and remove outside of the rolled back schedules, or take snapshots without `only_written_by`",
            ),
            Self::IdTaken { entity, by } => write!(
                f,
                "entity {entity} of the snapshot cannot return: {by}, which is not part of the snapshot, has its index; help: give entities that are not simulated ids of their own by `World::reserve_local_ids`"
            ),
            Self::Joined { entity } => write!(
                f,
                "entity {entity} is part of the snapshot, but was not when the snapshot was taken; help: spawn entities with the component that makes them part of snapshots, and despawn them to take them out"
            ),
            Self::NotLocal { entity } => write!(
                f,
                "entity {entity} is not part of the snapshot, but has been made with an id of the simulation; help: spawn it outside of the simulation, or in `World::with_local_ids`"
            ),
            Self::NoSuchFrame { frame } => write!(
                f,
                "the ring has no snapshot of frame {frame}; help: make the ring longer, or take a snapshot before each frame"
            ),
        }
    }
}

impl core::error::Error for RestoreError {}
