//! The access of one parameter: a tree of constants.

use super::{Components, ConstTypeId};

/// Read or write access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Shared access: any number of readers at once.
    Read,
    /// Exclusive access.
    Write,
}

impl Kind {
    /// Returns true for [`Write`](Self::Write).
    #[must_use]
    #[inline]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// The kind of data that a type is stored as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A component, stored per entity.
    Component,
    /// A resource, one value per world.
    Resource,
    /// A value that stays on its thread, one per world.
    NonSend,
}

/// One access to all data of one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// Component, resource, or a value that stays on its thread.
    pub domain: Domain,
    /// Read or write.
    pub kind: Kind,
    /// The type.
    pub ident: ConstTypeId,
}

/// The access of one system parameter.
///
/// A tree of references and not an array, because a generic impl cannot compute an array's length on stable Rust, but
/// can write `&ParamAccess::All(&[A::ACCESS, B::ACCESS])`.
#[derive(Debug)]
pub enum ParamAccess {
    /// Accesses nothing of the world (`Local`).
    Nothing,
    /// Reads which entities exist or existed, and their components. These change only while the world is not borrowed
    /// (`Removed`).
    Shape,
    /// Allocates ids for new entities, or defers changes of the world (`Commands`, `Entities`).
    ///
    /// Two systems with such access run one after the other, so that ids do not depend on threads.
    Deferred,
    /// The components that the commands of a parameter insert and remove (`Commands<(Spark, Name)>`), if it names them.
    /// Accesses nothing by itself.
    Commands(&'static Components),
    /// The type of the events that a parameter can send (`EventWriter<Hit>`). Accesses nothing by itself: the access to
    /// `Events<Hit>` is beside it.
    Sends(ConstTypeId),
    /// All data of one type.
    Leaf(Access),
    /// Like [`Leaf`](Self::Leaf), for a value that must stay on its thread.
    NonSend(Access),
    /// The entities that a query matches.
    Query {
        /// The data that is fetched.
        data: &'static QueryAccess,
        /// The data that is only tested.
        filter: &'static QueryAccess,
    },
    /// Several parameters in one.
    All(&'static [&'static ParamAccess]),
    /// Several parameters. Only one is borrowed at a time, so they do not conflict with each other.
    OneOf(&'static [&'static ParamAccess]),
    /// The whole world, for reading or writing: all data of all types, including ids and deferred changes.
    World(Kind),
    /// A `&World`: any data, with run-time borrows while the system runs.
    ///
    /// Between systems this counts as writing all data. Between parameters of one system it counts as reading: data
    /// that the other parameter reads can still be read, and a run-time borrow for writing fails without harm.
    WorldRef,
    /// A `&ResourceMap`: like [`WorldRef`](Self::WorldRef), for resources only.
    ResourcesRef,
}

/// The access of a query.
#[derive(Debug)]
pub enum QueryAccess {
    /// Nothing, or only the entity's id.
    Nothing,
    /// Reads a component that matched entities have.
    Read(ConstTypeId),
    /// Writes a component that matched entities have.
    Write(ConstTypeId),
    /// Matches only entities with the component.
    With(ConstTypeId),
    /// Matches only entities without the component.
    Without(ConstTypeId),
    /// Matches only entities with the component, depending on when it was added. Reads the component, unless the data of the
    /// same query fetches it: that may also write it.
    Added(ConstTypeId),
    /// Like [`Added`](Self::Added), depending on when it was changed, or on its value.
    Changed(ConstTypeId),
    /// All of these, of entities that have them; matches all entities.
    Optional(&'static [&'static QueryAccess]),
    /// All of these.
    All(&'static [&'static QueryAccess]),
    /// At least one of these.
    Or(&'static [&'static QueryAccess]),
    /// All of these, of any entities: matched entities may be related to them. Filters do not keep them apart from the
    /// writes of other queries.
    OfAny(&'static [&'static QueryAccess]),
}
