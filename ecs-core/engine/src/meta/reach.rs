//! How far a system reaches, as executors need to know it.

use super::{Kind, ParamAccess, SystemMeta};

impl SystemMeta {
    /// Whether the system sees or touches anything of the world, so that the changes which others put off matter to it.
    ///
    /// False for a system whose parameters are all its own, such as `Local`.
    #[must_use]
    #[inline]
    pub const fn touches_world(&self) -> bool {
        self.any(Question::Touches)
    }

    /// Whether the system can give out ids of new entities or put changes of the world off: it takes `Commands`,
    /// `Entities` or the whole world.
    #[must_use]
    #[inline]
    pub const fn defers(&self) -> bool {
        self.any(Question::Defers)
    }

    /// Whether no other system that touches the world can run at the same time, because a parameter is `&mut World` or
    /// `&World`.
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
    const fn of(self, tree: &ParamAccess) -> bool {
        match tree {
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
