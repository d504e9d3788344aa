//! The reach of a system, for executors and saves.

use super::{ConstTypeId, Kind, ParamAccess, QueryAccess, SystemMeta};

impl SystemMeta {
    /// Returns true if the system accesses any part of the world, so that deferred changes of others matter to it.
    ///
    /// False for a system whose parameters are all its own, such as `Local`.
    #[must_use]
    #[inline]
    pub const fn touches_world(&self) -> bool {
        self.any(Question::Touches)
    }

    /// Returns true if the system can allocate ids of new entities or defer changes of the world: it takes `Commands`,
    /// `Entities` or the whole world.
    #[must_use]
    #[inline]
    pub const fn defers(&self) -> bool {
        self.any(Question::Defers)
    }

    /// Returns true if no other system that accesses the world can run at the same time, because a parameter is
    /// `&mut World` or `&World`.
    #[must_use]
    #[inline]
    pub const fn runs_alone(&self) -> bool {
        self.any(Question::Alone)
    }

    #[inline]
    const fn any(&self, question: Question) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if question.of(self.params[i].of.access) {
                return true;
            }
            i += 1;
        }
        false
    }
}

#[derive(Clone, Copy)]
enum Question {
    Touches,
    Defers,
    Alone,
}

impl Question {
    #[inline]
    const fn of(self, param: &ParamAccess) -> bool {
        match param {
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                let mut i = 0;
                while i < parts.len() {
                    if self.of(parts[i]) {
                        return true;
                    }
                    i += 1;
                }
                false
            }
            ParamAccess::Nothing | ParamAccess::Commands(_) => false,
            ParamAccess::World(Kind::Write) | ParamAccess::WorldRef => true,
            ParamAccess::World(Kind::Read) | ParamAccess::Deferred => {
                matches!(self, Self::Touches | Self::Defers)
            }
            ParamAccess::Shape
            | ParamAccess::Leaf(_)
            | ParamAccess::NonSend(_)
            | ParamAccess::Query { .. }
            | ParamAccess::ResourcesRef => matches!(self, Self::Touches),
        }
    }
}

#[cfg(feature = "serde")]
impl ParamAccess {
    /// Calls a function with each type that the access names.
    pub(crate) fn for_each_type(&self, f: &mut dyn FnMut(&ConstTypeId)) {
        match self {
            Self::All(parts) | Self::OneOf(parts) => {
                parts.iter().for_each(|part| part.for_each_type(f));
            }
            Self::Leaf(access) => f(&access.ident),
            Self::Commands(components) => components.for_each(f),
            Self::Query { data, filter } => {
                data.for_each_type(f);
                filter.for_each_type(f);
            }
            Self::Nothing
            | Self::Shape
            | Self::Deferred
            | Self::NonSend(_)
            | Self::World(_)
            | Self::WorldRef
            | Self::ResourcesRef => {}
        }
    }
}

impl QueryAccess {
    /// Calls a function with each type that the access names.
    pub(crate) fn for_each_type(&self, f: &mut dyn FnMut(&ConstTypeId)) {
        match self {
            Self::Nothing => {}
            Self::Read(ident)
            | Self::Write(ident)
            | Self::With(ident)
            | Self::Without(ident)
            | Self::Added(ident)
            | Self::Changed(ident) => f(ident),
            Self::Optional(parts) | Self::All(parts) | Self::Or(parts) | Self::OfAny(parts) => {
                parts.iter().for_each(|part| part.for_each_type(f));
            }
        }
    }
}
