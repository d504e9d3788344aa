//! The reasons why a snapshot cannot be written or read.

use std::fmt;

use ecs_engine::command::DelayedFunction;
use ecs_engine::snapshot::bytes::{CalledMemory, Unwritten};

use crate::file::FileError;
use crate::types::SameName;

/// A snapshot cannot be written as bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WriteSnapshotError {
    /// It is not complete, or has only the data that schedules can write, or only some entities.
    Partial,
    /// Two components of the world have the same name, so the bytes could not be read.
    SameName(SameName),
    /// It has values of types that are not data.
    NoData {
        /// The names of components, in order of registration.
        components: Vec<&'static str>,
        /// The names of resources.
        resources: Vec<&'static str>,
        /// Remembered values of systems: the name of the system, and the type of the value.
        remembered: Vec<(String, &'static str)>,
        /// The names of systems that were called as functions and remember something.
        called: Vec<&'static str>,
        /// The functions of [delayed](ecs_engine::Commands::delay) commands.
        delayed: Vec<DelayedFunction>,
    },
    /// The `Serialize` of a value fails.
    Value {
        /// The name of the type.
        name: &'static str,
        /// The reason.
        message: String,
    },
}

impl WriteSnapshotError {
    pub(super) fn of(unwritten: Unwritten) -> Self {
        if unwritten.is_partial {
            return Self::Partial;
        }
        if let Some((name, types)) = unwritten.same_name {
            return Self::SameName(SameName { name, types });
        }
        Self::NoData {
            components: unwritten.components,
            resources: unwritten.resources,
            remembered: unwritten.remembered,
            called: unwritten.called,
            delayed: unwritten.delayed,
        }
    }
}

impl fmt::Display for WriteSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partial => f.write_str(
                "the snapshot is not one of a whole world; help: take it without `only_written_by` and `entities`",
            ),
            Self::SameName(error) => error.fmt(f),
            Self::NoData {
                components,
                resources,
                remembered,
                called,
                delayed,
            } => {
                let mut line = "";
                for name in components {
                    write!(f, "{line}the component `{name}` is not data")?;
                    line = "\n";
                }
                for name in resources {
                    write!(f, "{line}the resource `{name}` is not data")?;
                    line = "\n";
                }
                for (system, name) in remembered {
                    write!(f, "{line}the system `{system}` remembers a `{name}`, which is not data")?;
                    line = "\n";
                }
                for name in called {
                    write!(f, "{line}{}", CalledMemory(name))?;
                    line = "\n";
                }
                for function in delayed {
                    write!(f, "{line}the delayed command {function}, is a function")?;
                    line = "\n";
                }
                if !components.is_empty() {
                    f.write_str("\nhelp: give the component a name, `#[component(data = \"game.position\")]`, or leave it out by `Snapshotter::without`")?;
                }
                let is_of_state = |name: &&&str| {
                    ["State<", "NextState<", "DespawnOnExit<"].iter().any(|of| name.starts_with(of))
                };
                let mut named = components.iter().chain(resources);
                if named.any(|name| is_of_state(&name)) {
                    f.write_str("\nhelp: make the state data by `register_data_state`")?;
                }
                let is_of_events = |name: &&'static str| name.starts_with("Events<");
                if resources.iter().any(is_of_events) {
                    f.write_str("\nhelp: give the event a name, `#[event(data = \"game.hit\")]`, or leave it out by `Snapshotter::without_resource`")?;
                }
                if !resources.iter().all(is_of_events) {
                    f.write_str("\nhelp: give the resource a name, `#[resource(data = \"game.score\")]`, or leave it out by `Snapshotter::without_resource`")?;
                }
                if !remembered.is_empty() {
                    f.write_str("\nhelp: name the type of a `Local` in `local_data`")?;
                }
                if !called.is_empty() {
                    f.write_str(CalledMemory::HELP)?;
                }
                if !delayed.is_empty() {
                    f.write_str("\nhelp: write `delay_event` in place of `delay`, and make the change in a system that reads the event; or take the snapshot by `Snapshotter::for_bytes` and `without_others`")?;
                }
                Ok(())
            }
            Self::Value { name, message } => write!(f, "`{name}`: {message}"),
        }
    }
}

impl std::error::Error for WriteSnapshotError {}

/// Bytes cannot become a snapshot of a world. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadSnapshotError {
    /// They are not a snapshot that this library has written, or they are damaged.
    File(FileError),
    /// An older version of this library has written them.
    Older {
        /// The version of the form.
        form: u32,
    },
    /// The process has not used components of these names so far.
    UnknownComponents {
        /// The names.
        names: Vec<String>,
    },
    /// Several components of the process have a name, and the world knows none of them, or several.
    SameName(SameName),
    /// The world does not know a resource, or events, of this name.
    UnknownResource {
        /// The name.
        name: String,
    },
    /// A system remembers a value of a type that the snapshotter does not know.
    UnknownMemory {
        /// The name of the system.
        system: String,
        /// The type of the value.
        name: String,
    },
    /// There is no observer or registered system of this name, and the bytes have its memory.
    UnknownSystem {
        /// The name of the system.
        system: String,
    },
    /// The schedules have other systems, or systems that remember other things.
    OtherSystems {
        /// The first system that differs, in the schedules.
        here: String,
        /// The system in its place, in the bytes.
        written: String,
    },
    /// There are values of a component or resource that cannot be copied or read in this program.
    Uncopied {
        /// The name of the type.
        name: &'static str,
    },
    /// A type has another name or version, or other fields, than when it was written.
    OtherType {
        /// The name of the type.
        name: &'static str,
        /// The name of the type that was written.
        written: String,
    },
    /// A value cannot be read.
    Value {
        /// The name of its type.
        name: &'static str,
        /// The reason.
        message: String,
        /// The position in bytes, if it is known.
        byte: Option<usize>,
    },
}

impl fmt::Display for ReadSnapshotError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Older { form } => write!(
                f,
                "it has form {form}, and this program reads forms {} to {}: exact snapshots are for the same program; help: use a save, which later programs read",
                super::OLDEST,
                super::FORM
            ),
            Self::OtherSystems { here, written } => write!(
                f,
                "another program has written it: the first system that differs is {here} here, and {written} there; help: use a save, which other programs read"
            ),
            Self::SameName(error) => write!(
                f,
                "{error}, or call `World::register` for the one that the world is to have"
            ),
            Self::UnknownComponents { names } => {
                let mut line = "";
                for name in names {
                    write!(f, "{line}no component `{name}` is known")?;
                    line = "\n";
                }
                f.write_str("\nhelp: call `World::register` for each of them, or prepare the schedules that use them, before")
            }
            Self::UnknownResource { name } => write!(
                f,
                "the world knows no resource `{name}`; help: call `register_data_resource` or `register_data_event` before, or prepare the schedules that use it"
            ),
            Self::UnknownMemory { system, name } => write!(
                f,
                "the system `{system}` remembered a `{name}`; help: name the type in `Snapshotter::local_data`"
            ),
            Self::UnknownSystem { system } => write!(
                f,
                "no observer or registered system is `{system}`, whose memory was written; help: call `observe` or `register_system` with it before, as often as when the snapshot was taken"
            ),
            Self::Uncopied { name } => write!(
                f,
                "`{name}` cannot be copied and read; help: make it data that is `Clone`, as it was when the snapshot was written"
            ),
            Self::OtherType { name, written } => write!(
                f,
                "`{name}` has changed since `{written}` was written; help: exact snapshots are for the same program, and a save is for changed ones"
            ),
            Self::Value {
                name,
                message,
                byte: Some(byte),
            } => write!(f, "`{name}`: {message}, at byte {byte}"),
            Self::Value { name, message, .. } => write!(f, "`{name}`: {message}"),
        }
    }
}

impl std::error::Error for ReadSnapshotError {}

impl From<FileError> for ReadSnapshotError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}
