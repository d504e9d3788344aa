//! `ShardError`: the reasons why shards stop.

use std::fmt;
use std::io;
use std::path::PathBuf;

use ecs_data::{HashError, ReadRowsError, WriteRowsError};
use ecs_engine::command::DelayedFunction;
use ecs_engine::rows::{PutRowsReason, TakeRowsError};
use ecs_engine::schedule::{PlanError, ScheduleError};

use crate::gid::Gid;
use crate::net::NetError;

/// The reason why shards cannot start, or have stopped. After an error the shards of a run cannot go on: resume them from a
/// [checkpoint](crate::Shards::checkpoint).
#[derive(Debug)]
#[non_exhaustive]
pub enum ShardError {
    /// A shard is lost or late, or never came.
    Net(NetError),
    /// Systems could have other results on several shards than in one world.
    Refused {
        /// The systems, each with its reason.
        reasons: Vec<RefusedSystem>,
    },
    /// The declaration contradicts itself.
    Declaration {
        /// The contradiction.
        problem: String,
    },
    /// Entities have components that cannot travel, because they are not data.
    NotData {
        /// Their names.
        components: Vec<&'static str>,
    },
    /// A new entity has neither a [`Gid`] nor a [`Birth`](crate::Birth).
    NoBirth {
        /// The names of its components.
        components: Vec<&'static str>,
        /// The number of such entities on this shard.
        count: usize,
    },
    /// Two entities of one tick have the same [`Birth`](crate::Birth).
    SameBirth {
        /// The parent.
        parent: Gid,
        /// The number that is there twice.
        nth: u32,
    },
    /// An entity is further from the root of its tree than [declared](crate::PlaceOptions::keep_together).
    FarFromRoot {
        /// The entity.
        gid: Gid,
        /// The distance.
        distance: f32,
        /// The declared slack.
        slack: f32,
    },
    /// The root of a tree lives on another shard than one of its nodes, which is new in it, and a system sees the sources of the
    /// tree's relation.
    RootElsewhere {
        /// The node.
        gid: Gid,
        /// The root.
        root: Gid,
    },
    /// A system has despawned an entity of another shard.
    Foreign {
        /// The entity.
        gid: Gid,
    },
    /// An entity is far from the columns of its shard, because its tree hangs on an entity of another shard.
    Astray {
        /// The entity.
        gid: Gid,
    },
    /// Something was delayed: by a system, or by a setup.
    Delayed {
        /// The functions that wait.
        functions: Vec<DelayedFunction>,
        /// The types of events that wait.
        events: Vec<&'static str>,
    },
    /// A message or a mirrored value has an `Entity`, which means nothing on another shard.
    EntityInValue {
        /// The type.
        name: &'static str,
    },
    /// A message or a mirrored value cannot be written or read.
    Value {
        /// The type.
        name: &'static str,
        /// The message of its `Serialize` or `Deserialize`.
        problem: String,
    },
    /// A shard has sent malformed bytes.
    Packet {
        /// The shard.
        from: usize,
        /// The fault.
        problem: &'static str,
    },
    /// Entities cannot leave.
    Take(TakeRowsError),
    /// Entities cannot be written.
    Write(WriteRowsError),
    /// Entities cannot be read.
    Read {
        /// The shard that they came from.
        from: usize,
        /// The reason.
        error: ReadRowsError,
    },
    /// Entities cannot enter.
    Put {
        /// The shard that they came from.
        from: usize,
        /// The reason.
        reason: PutRowsReason,
    },
    /// The systems of a tick cannot be planned.
    Plan(PlanError),
    /// A system has failed.
    Schedule(ScheduleError),
    /// The world cannot be hashed.
    Hash(HashError),
    /// A resource that should be the same everywhere is not.
    Resources {
        /// A shard with other resources than shard 0.
        shard: usize,
    },
    /// A checkpoint cannot be written or read.
    Checkpoint {
        /// The file or folder.
        path: PathBuf,
        /// The fault.
        problem: String,
    },
}

/// A system that could have other results on several shards than in one world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedSystem {
    /// The name of the system or observer.
    pub system: String,
    /// The reason, and the fix.
    pub reason: String,
}

impl fmt::Display for RefusedSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.system, self.reason)
    }
}

impl ShardError {
    pub(crate) fn message(name: &'static str, error: &dyn fmt::Display) -> Self {
        Self::Value {
            name,
            problem: error.to_string(),
        }
    }

    pub(crate) fn file(path: impl Into<PathBuf>, problem: impl fmt::Display) -> Self {
        Self::Checkpoint {
            path: path.into(),
            problem: problem.to_string(),
        }
    }

    /// Returns true if another shard is the cause: it was lost, or late.
    #[must_use]
    pub fn is_of_peer(&self) -> bool {
        matches!(self, Self::Net(_))
    }
}

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Net(error) => error.fmt(f),
            Self::Refused { reasons } => {
                let count = reasons.len();
                let s = if count == 1 { "" } else { "s" };
                write!(
                    f,
                    "{count} system{s} could have other results on several shards than in one world:"
                )?;
                reasons
                    .iter()
                    .try_for_each(|reason| write!(f, "\n  {reason}"))
            }
            Self::Declaration { problem } => f.write_str(problem),
            Self::NotData { components } => write!(
                f,
                "entities have components that are not data and cannot move: {}; help: {}",
                NameList(components),
                to_data(components.first().unwrap_or(&""), COMPONENT_TO_DATA)
            ),
            Self::NoBirth { components, count } => write!(
                f,
                "{count} new entities have no `Birth`, the first one with the components {}; help: spawn them with `Birth::of(parent, nth)`, which decides on their `Gid`",
                NameList(components)
            ),
            Self::SameBirth { parent, nth } => write!(
                f,
                "two entities were born in one tick as `Birth::of({parent}, {nth})`; help: count `nth` up for each child of a parent"
            ),
            Self::FarFromRoot {
                gid,
                distance,
                slack,
            } => write!(
                f,
                "the entity {gid} is {distance} away from the root of its tree, and `keep_together` allows {slack}; help: declare more"
            ),
            Self::RootElsewhere { gid, root } => write!(
                f,
                "the entity {gid} was related to the tree of {root}, which lives on another shard, and a system counts or visits the sources there; help: send the new parent a message, and let it spawn a child"
            ),
            Self::Foreign { gid } => write!(
                f,
                "a system has despawned the entity {gid}, which lives on another shard; help: send it a message, and let it despawn itself"
            ),
            Self::Astray { gid } => write!(
                f,
                "the entity {gid} is far from its shard's columns, because it is related to an entity of another shard; help: relate it when both are near"
            ),
            Self::Delayed { functions, events } => {
                f.write_str("something was delayed, and would neither move with an entity nor be in a checkpoint")?;
                let mut functions = functions.iter();
                functions.try_for_each(|function| write!(f, "\n  the command {function}"))?;
                let mut events = events.iter();
                events.try_for_each(|event| write!(f, "\n  an event `{event}`"))?;
                f.write_str("\nhelp: write the tick when it is due into a component, and compare it with `TickNumber`")
            }
            Self::EntityInValue { name } => write!(
                f,
                "a `{name}` has an `Entity`, which means nothing on another shard; help: use its `Gid`"
            ),
            Self::Value { name, problem } => write!(f, "`{name}`: {problem}"),
            Self::Packet { from, problem } => {
                write!(f, "the packet of shard {from} is malformed: {problem}")
            }
            Self::Take(error) => write!(f, "entities cannot leave this shard: {error}"),
            Self::Write(error) => write!(f, "entities cannot leave this shard: {error}"),
            Self::Read {
                error: ReadRowsError::UnknownTypes { names },
                ..
            } => {
                f.write_str("this shard does not know the components of an entity that comes: ")?;
                for (number, name) in names.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}`{name}`")?;
                }
                f.write_str("; help: `register` them in the setup, or name them in the `Commands<(..)>` that insert them")
            }
            Self::Read { from, error } => {
                write!(f, "entities from shard {from} cannot be read: {error}")
            }
            Self::Put { from, reason } => {
                write!(f, "entities from shard {from} cannot enter: {reason}")
            }
            Self::Plan(error) => error.fmt(f),
            Self::Schedule(error) => error.fmt(f),
            Self::Hash(error) => error.fmt(f),
            Self::Resources { shard } => write!(
                f,
                "shard {shard} has other resources than shard 0; help: compute what all shards share from `Reduce`, and nothing else of one shard"
            ),
            Self::Checkpoint { path, problem } => {
                write!(f, "checkpoint `{}`: {problem}", path.display())
            }
        }
    }
}

/// The help for a component that is not data.
pub(crate) const COMPONENT_TO_DATA: &str = "make it data, such as by `#[component(data = \"game.place\")]`, or let it stay behind by `Shards::stays_here`";

/// Returns the help for a type that is not data: for a state, a relation, observers or any other.
pub(crate) fn to_data(name: &str, usual: &'static str) -> &'static str {
    // Types of the engine have no path.
    let of_state = ["State<", "NextState<", "DespawnOnExit<"];
    let of_relation = ["Target<", "Sources<"];
    let is_of = |list: &[&str]| list.iter().any(|of| name.starts_with(of));
    if is_of(&of_state) {
        "name the state, such as by `shards.register_data_state::<Screen>(\"game.screen\")`"
    } else if name == "EntityObservers" {
        "register no observer by `observe_on`, which is in the world of its entity and cannot move with it; let the entity get a message, and react in a system"
    } else if is_of(&of_relation) {
        "make the relation data, such as by `#[relation(data = \"game.likes\")]`"
    } else {
        usual
    }
}

struct NameList<'a>(&'a [&'static str]);

impl fmt::Display for NameList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, name) in self.0.iter().enumerate() {
            let comma = if number == 0 { "" } else { ", " };
            write!(f, "{comma}`{name}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for ShardError {}

macro_rules! from {
    ($($variant:ident: $error:ty,)+) => {$(
        impl From<$error> for ShardError {
            fn from(error: $error) -> Self {
                Self::$variant(error)
            }
        }
    )+};
}

from! {
    Net: NetError,
    Take: TakeRowsError,
    Plan: PlanError,
    Schedule: ScheduleError,
}

impl From<WriteRowsError> for ShardError {
    fn from(error: WriteRowsError) -> Self {
        match error {
            WriteRowsError::NotData { names: components } => Self::NotData { components },
            error => Self::Write(error),
        }
    }
}

impl From<HashError> for ShardError {
    fn from(error: HashError) -> Self {
        match error {
            HashError::NotData { name } => Self::NotData {
                components: vec![name],
            },
            error => Self::Hash(error),
        }
    }
}

impl From<io::Error> for ShardError {
    fn from(error: io::Error) -> Self {
        Self::file("", error)
    }
}
