//! The reach of a system, as executors need it.

use super::{Kind, ParamAccess, SystemMeta};

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

    /// Returns true if no other system that accesses the world can run at the same time, because a parameter is `&mut
    /// World` or `&World`.
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
            ParamAccess::Nothing => false,
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
