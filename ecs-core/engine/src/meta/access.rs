//! What one parameter touches, as a tree of constants.

use super::ConstTypeId;

/// Whether data is read or written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Shared access: any number of readers at once.
    Read,
    /// Exclusive access.
    Write,
}

impl Kind {
    /// Whether this is [`Write`](Self::Write).
    #[must_use]
    #[inline]
    pub const fn writes(self) -> bool {
        matches!(self, Self::Write)
    }
}

/// Which map of the world a type lives in.
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
/// A tree of references and not an array, because a generic impl cannot compute an array's length on stable Rust,
/// but can write `&ParamAccess::All(&[A::ACCESS, B::ACCESS])`.
#[derive(Debug)]
pub enum ParamAccess {
    /// Touches nothing of the world (`Local`).
    Nothing,
    /// Sees which entities there are or were, and what they have: what changes only while nobody borrows the world
    /// (`Removed`).
    Shape,
    /// Gives out ids of new entities, or puts changes of the world off (`Commands`, `Entities`).
    ///
    /// Two systems that do so run one after the other, so that ids do not depend on threads.
    Deferred,
    /// All data of one type.
    Leaf(Access),
    /// As [`Leaf`](Self::Leaf), for a value that must stay on its thread.
    NonSend(Access),
    /// Those entities that a query matches.
    Query {
        /// What is fetched.
        data: &'static QueryAccess,
        /// What is only tested.
        filter: &'static QueryAccess,
    },
    /// Several parameters in one.
    All(&'static [&'static ParamAccess]),
    /// Several parameters of which only one is borrowed at a time, so that they do not conflict with each other.
    OneOf(&'static [&'static ParamAccess]),
    /// The whole world, to read or to write: all data of all types, ids and changes that are put off included.
    World(Kind),
    /// A `&World`: whatever is asked of it while the system runs, with a run-time borrow.
    ///
    /// Beside another system that counts as writing all data. Beside another parameter of the same system it counts as
    /// reading: what that parameter reads can still be read, and a run-time borrow for writing is refused in time.
    WorldRef,
    /// A `&ResourceMap`: as [`WorldRef`](Self::WorldRef), for resources only.
    ResourcesRef,
}

/// The terms of a query.
#[derive(Debug)]
pub enum QueryAccess {
    /// Nothing, or only the entity's id.
    Nothing,
    /// Reads a component that matched entities have.
    Read(ConstTypeId),
    /// Writes a component that matched entities have.
    Write(ConstTypeId),
    /// Reads a component where there is one.
    OptRead(ConstTypeId),
    /// Writes a component where there is one.
    OptWrite(ConstTypeId),
    /// Matches only entities with the component.
    With(ConstTypeId),
    /// Matches only entities without the component.
    Without(ConstTypeId),
    /// Matches only entities with the component, depending on when it was added: reads it, together with a data term of
    /// the same query that may write it.
    Added(ConstTypeId),
    /// As [`Added`](Self::Added), depending on when it was changed.
    Changed(ConstTypeId),
    /// All of these.
    All(&'static [&'static QueryAccess]),
    /// At least one of these.
    Or(&'static [&'static QueryAccess]),
}
