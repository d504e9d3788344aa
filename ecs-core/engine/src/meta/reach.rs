//! The reach of a system, for executors and saves.

use super::walk::ParamFacts;
use super::{ConstTypeId, Kind, QueryAccess, Side, SystemMeta};

impl SystemMeta {
    /// Returns the facts about all parameters.
    #[inline]
    const fn facts(&self) -> ParamFacts {
        let mut facts = ParamFacts::NONE;
        let mut i = 0;
        while i < self.params.len() {
            facts = facts.with(ParamFacts::of(self.params[i].of.access));
            i += 1;
        }
        facts
    }

    /// Returns true if the system accesses any part of the world, so that deferred changes of others matter to it.
    ///
    /// False for a system whose parameters are all its own, such as `Local`.
    #[must_use]
    #[inline]
    pub const fn touches_world(&self) -> bool {
        self.facts().has(ParamFacts::TOUCHES)
    }

    /// Returns true if the system can allocate ids of new entities or defer changes of the world: it takes `Commands`,
    /// `Entities` or the whole world.
    #[must_use]
    #[inline]
    pub const fn defers(&self) -> bool {
        self.facts().has(ParamFacts::DEFERS)
    }

    /// Returns true if no other system that accesses the world can run at the same time, because a parameter is
    /// `&mut World` or `&World`.
    #[must_use]
    #[inline]
    pub const fn runs_alone(&self) -> bool {
        self.facts().has(ParamFacts::ALONE)
    }

    /// Returns true if a parameter is the world, or all of its resources, so that its accesses are known only at run
    /// time.
    #[inline]
    pub(crate) const fn locks_at_run_time(&self) -> bool {
        self.facts().has(ParamFacts::LOCKS_AT_RUN_TIME)
    }

    /// Returns true if a parameter may borrow data that the metadata does not name: `&World` or `&ResourceMap`.
    #[must_use]
    #[inline]
    pub const fn borrows_unnamed(&self) -> bool {
        self.facts().has(ParamFacts::UNNAMED)
    }

    /// Returns true if all parameters are resources and none carries information from run to run, so that a
    /// [`ResourceMap`](crate::ResourceMap) is enough to run the system.
    #[must_use]
    #[inline]
    pub const fn needs_only_resources(&self) -> bool {
        !self.facts().has(ParamFacts::BEYOND_RESOURCES) && !self.remembers()
    }

    /// Returns the access to the whole world, if a parameter borrows it.
    #[must_use]
    #[inline]
    pub const fn world(&self) -> Option<Kind> {
        let facts = self.facts();
        if facts.has(ParamFacts::WRITES_WORLD) {
            Some(Kind::Write)
        } else if facts.has(ParamFacts::READS_WORLD) {
            Some(Kind::Read)
        } else {
            None
        }
    }

    /// Returns true if only the thread that runs the schedule can run the system, because it needs the world
    /// exclusively or takes values that stay on their thread.
    #[must_use]
    #[inline]
    pub const fn on_calling_thread(&self) -> bool {
        self.facts().has(ParamFacts::THREAD_BOUND)
    }
}

#[cfg(feature = "data")]
impl super::ParamAccess {
    /// Calls a function with each type that the access names.
    pub(crate) fn for_each_type(&'static self, f: &mut dyn FnMut(&ConstTypeId)) {
        super::walk::AccessLeaves::of_param(self).for_each(|leaf| leaf.for_each_type(f));
    }
}

impl QueryAccess {
    /// Calls a function with each type that the access names.
    pub(crate) fn for_each_type(&self, f: &mut dyn FnMut(&ConstTypeId)) {
        for part in Side::QueryAccess(self).parts().unwrap_or_default() {
            part.for_each_type(f);
        }
        if let Some(ident) = self.ident() {
            f(ident);
        }
    }
}
