//! Rules about what systems touch: of their crate (`contract!`), and their own (`#[system(writes(..), reads(..))]`).

use super::module_path::is_in_module;
use super::{Access, ConstTypeId, Domain, Kind};

/// A type of data in a rule: a component, a resource, or both.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct RuledData {
    component: Option<ConstTypeId>,
    resource: Option<ConstTypeId>,
}

impl RuledData {
    /// Names a type by its identities.
    ///
    /// # Panics
    /// If it has none.
    #[must_use]
    #[track_caller]
    #[inline]
    pub const fn new(component: Option<ConstTypeId>, resource: Option<ConstTypeId>) -> Self {
        assert!(
            component.is_some() || resource.is_some(),
            "a rule about a type that is neither a component nor a resource; help: derive `Component` or `Resource`; events are `Events<T>`"
        );
        Self {
            component,
            resource,
        }
    }

    /// Returns its kind and its name, for messages.
    #[inline]
    pub(super) const fn name(&self) -> (Domain, &'static str) {
        match (self.component, self.resource) {
            (Some(component), _) => (Domain::Component, component.name()),
            (None, Some(resource)) => (Domain::Resource, resource.name()),
            (None, None) => (Domain::Component, ""),
        }
    }

    #[inline]
    const fn of(&self, domain: Domain) -> Option<ConstTypeId> {
        match domain {
            Domain::Component => self.component,
            Domain::Resource => self.resource,
            Domain::NonSend => None,
        }
    }

    /// Returns whether it is the data of an access; `None` if only the run time can tell.
    #[inline]
    pub(super) const fn is(&self, access: Access) -> Option<bool> {
        match self.of(access.domain) {
            Some(ident) => ident.const_eq(&access.ident),
            None => Some(false),
        }
    }
}

/// The rules of a crate: its `contract!`.
#[doc(hidden)]
#[derive(Debug)]
pub struct CrateContract {
    /// Rules of its own.
    rules: &'static [WriteRule],
    /// Contracts of other crates that hold in this one too.
    others: &'static [&'static CrateContract],
}

/// A rule of a contract.
#[doc(hidden)]
#[derive(Debug)]
pub enum WriteRule {
    /// Only systems in these modules write the data.
    Only(&'static [&'static str], &'static [RuledData]),
    /// Systems in these modules write no data whose type is in this module; `None` for all data.
    Nothing(&'static [&'static str], Option<&'static str>),
}

impl CrateContract {
    /// The contract of a crate that has none.
    pub const NONE: Self = Self::new(&[], &[]);

    /// Makes a contract.
    #[must_use]
    #[inline]
    pub const fn new(rules: &'static [WriteRule], others: &'static [&'static Self]) -> Self {
        Self { rules, others }
    }

    /// Returns true if it has no rules.
    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.rules.is_empty() && self.others.is_empty()
    }

    /// Returns the first rule that a write breaks, as far as constants know.
    #[inline]
    pub(super) const fn broken(&self, system: &str, write: Access) -> Option<&'static WriteRule> {
        let mut i = 0;
        while i < self.rules.len() {
            if self.rules[i].binds(system) && matches!(self.rules[i].names(write), Some(true)) {
                return Some(&self.rules[i]);
            }
            i += 1;
        }
        let mut i = 0;
        while i < self.others.len() {
            let found = self.others[i].broken(system, write);
            if found.is_some() {
                return found;
            }
            i += 1;
        }
        None
    }

    /// Like [`broken`](Self::broken), at run time, when all types are known.
    pub(super) fn broken_by_type(&self, system: &str, write: Access) -> Option<&'static WriteRule> {
        let mut rules = self.rules.iter();
        let own = rules.find(|rule| rule.binds(system) && rule.names_by_type(write));
        let mut others = self.others.iter();
        own.or_else(|| others.find_map(|other| other.broken_by_type(system, write)))
    }
}

impl WriteRule {
    /// Returns true if it forbids something to a system.
    #[inline]
    const fn binds(&self, system: &str) -> bool {
        match self {
            Self::Only(modules, _) => !is_in_one(system, modules),
            Self::Nothing(modules, _) => is_in_one(system, modules),
        }
    }

    /// Returns whether it is about the data of an access; `None` if only the run time can tell.
    #[inline]
    const fn names(&self, write: Access) -> Option<bool> {
        match self {
            Self::Only(_, data) => {
                let mut result = Some(false);
                let mut i = 0;
                while i < data.len() {
                    match data[i].is(write) {
                        Some(false) => {}
                        found => result = found,
                    }
                    if matches!(result, Some(true)) {
                        return result;
                    }
                    i += 1;
                }
                result
            }
            Self::Nothing(_, None) => Some(true),
            Self::Nothing(_, Some(module)) => match write.ident.const_path() {
                Some(path) => Some(is_in_module(path, module)),
                None => None,
            },
        }
    }

    fn names_by_type(&self, write: Access) -> bool {
        match self {
            Self::Only(_, data) => {
                let mut data = data.iter();
                data.any(|data| data.of(write.domain).is_some_and(|it| it == write.ident))
            }
            Self::Nothing(_, None) => true,
            Self::Nothing(_, Some(module)) => is_in_module(write.ident.path(), module),
        }
    }
}

/// Everything that a system says it touches: `#[system(writes(A), reads(B))]`.
#[doc(hidden)]
#[derive(Debug)]
pub struct DeclaredAccess {
    writes: &'static [RuledData],
    reads: &'static [RuledData],
}

impl DeclaredAccess {
    /// Names the data that a system writes, and the data that it reads besides.
    #[must_use]
    #[inline]
    pub const fn new(writes: &'static [RuledData], reads: &'static [RuledData]) -> Self {
        Self { writes, reads }
    }

    /// Returns the data at a position, and whether it is written.
    #[inline]
    pub(super) const fn at(&self, position: usize) -> Option<(&'static RuledData, bool)> {
        if position < self.writes.len() {
            return Some((&self.writes[position], true));
        }
        let position = position - self.writes.len();
        match position < self.reads.len() {
            true => Some((&self.reads[position], false)),
            false => None,
        }
    }

    /// Returns true if it may name the data of an access.
    #[inline]
    pub(super) const fn may_have(&self, access: Access) -> bool {
        has(self.writes, access) || !access.kind.writes() && has(self.reads, access)
    }

    /// Returns true if it names the data of an access, at run time, when all types are known.
    pub(super) fn has_by_type(&self, access: Access) -> bool {
        let has = |list: &[RuledData]| {
            let mut list = list.iter();
            list.any(|data| data.of(access.domain).is_some_and(|it| it == access.ident))
        };
        has(self.writes) || access.kind == Kind::Read && has(self.reads)
    }
}

#[inline]
const fn has(list: &[RuledData], access: Access) -> bool {
    let mut i = 0;
    while i < list.len() {
        if !matches!(list[i].is(access), Some(false)) {
            return true;
        }
        i += 1;
    }
    false
}

/// The rules that a system keeps.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SystemRules {
    pub(super) contract: &'static CrateContract,
    pub(super) declared: Option<&'static DeclaredAccess>,
}

impl SystemRules {
    /// No rules.
    pub const NONE: Self = Self::new(&CrateContract::NONE);

    /// Makes the rules of a system of a crate.
    #[must_use]
    #[inline]
    pub const fn new(contract: &'static CrateContract) -> Self {
        Self {
            contract,
            declared: None,
        }
    }

    /// Adds the data that the system says it touches.
    #[must_use]
    #[inline]
    pub const fn touching(self, declared: &'static DeclaredAccess) -> Self {
        Self {
            declared: Some(declared),
            ..self
        }
    }

    /// Returns true if there are none.
    #[inline]
    pub(crate) const fn are_none(&self) -> bool {
        self.contract.is_empty() && self.declared.is_none()
    }
}

#[inline]
pub(super) const fn is_in_one(path: &str, modules: &[&str]) -> bool {
    let mut i = 0;
    while i < modules.len() {
        if is_in_module(path, modules[i]) {
            return true;
        }
        i += 1;
    }
    false
}
