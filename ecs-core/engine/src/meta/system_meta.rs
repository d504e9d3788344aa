//! The description of a system.

use alloc::vec::Vec;

use super::{Access, ConstTypeId, Domain, Kind, ParamAccess, QueryAccess};

/// The constant description of a system.
#[derive(Clone, Copy, Debug)]
pub struct SystemMeta {
    /// The path of the function, for example `game::physics::movement`; in a [`Schedule`](crate::Schedule) with the generic
    /// arguments of the instance, `game::physics::tick<game::Position>`.
    pub name: &'static str,
    /// The parameters that are borrowed from the world, in the order written; ordinary arguments are not listed.
    pub params: &'static [ParamInfo],
}

/// The constant description of one parameter of a system.
#[derive(Clone, Copy, Debug)]
pub struct ParamInfo {
    /// The parameter's name as written; `_` for a pattern.
    pub name: &'static str,
    /// The parameter's type as written.
    pub ty: &'static str,
    /// The constant description of its type.
    pub of: ParamType,
}

/// The constant description of a type of parameters.
#[derive(Clone, Copy, Debug)]
pub struct ParamType {
    /// The access of the parameter.
    pub access: &'static ParamAccess,
    /// True if its state carries information from run to run.
    pub remembers: bool,
    /// True if it has a reader of events or removals.
    pub has_readers: bool,
}

impl SystemMeta {
    /// Describes a system.
    #[must_use]
    #[inline]
    pub const fn new(name: &'static str, params: &'static [ParamInfo]) -> Self {
        Self { name, params }
    }

    /// Returns every access to component and resource data, parameter by parameter.
    ///
    /// Optional and required data of a query count alike; `With` and `Without` access no data and are left out, and so is a
    /// parameter that is the whole world (see [`world`](Self::world)).
    #[must_use]
    pub fn access(&self) -> AccessIter {
        let mut stack = Vec::with_capacity(self.params.len());
        for param in self.params.iter().rev() {
            stack.push(MetaNode::ParamAccess(param.of.access));
        }
        AccessIter { stack }
    }

    /// Returns the components that the commands of the system insert and remove, if its parameters name them
    /// (`Commands<(Spark, Name)>`); empty if they do not.
    ///
    /// ```
    /// use ecs_core::prelude::*;
    /// use ecs_core::tree::Name;
    ///
    /// #[derive(Component)]
    /// struct Spark;
    ///
    /// #[system]
    /// fn strike(mut commands: Commands<(Spark, Name)>) {
    ///     commands.spawn((Spark, Name::new("spark")));
    /// }
    ///
    /// let meta = ecs_core::system::meta(&strike);
    /// let names: Vec<_> = meta.commands().iter().map(|ident| ident.type_name()).collect();
    /// assert!(names[0].ends_with("Spark"), "{names:?}");
    /// assert!(names[1].ends_with("Name"));
    /// ```
    #[must_use]
    pub fn commands(&self) -> Vec<ConstTypeId> {
        let mut found = Vec::new();
        let mut stack: Vec<_> = self
            .params
            .iter()
            .rev()
            .map(|param| param.of.access)
            .collect();
        while let Some(access) = stack.pop() {
            match access {
                ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                    stack.extend(parts.iter().rev());
                }
                ParamAccess::Commands(components) => components.for_each(&mut |ident| {
                    if !found.contains(ident) {
                        found.push(*ident);
                    }
                }),
                _ => {}
            }
        }
        found
    }

    /// Returns true if any parameter's state carries information from run to run.
    #[must_use]
    #[inline]
    pub const fn remembers(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if self.params[i].of.remembers {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if any parameter has a reader of events or removals.
    #[must_use]
    #[inline]
    pub const fn has_readers(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if self.params[i].of.has_readers {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if a parameter is the world, or all of its resources, so that its accesses are known only at run
    /// time.
    #[inline]
    pub(crate) const fn locks_at_run_time(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if locks_at_run_time(self.params[i].of.access) {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Returns true if all parameters are resources and none carries information from run to run, so that a
    /// [`ResourceMap`](crate::ResourceMap) is enough to run the system.
    #[must_use]
    #[inline]
    pub const fn needs_only_resources(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if !is_resources(self.params[i].of.access) {
                return false;
            }
            i += 1;
        }
        !self.remembers()
    }

    /// Returns the access to the whole world, if a parameter borrows it.
    #[must_use]
    #[inline]
    pub const fn world(&self) -> Option<Kind> {
        let mut found = None;
        let mut i = 0;
        while i < self.params.len() {
            if let Some(kind) = world_kind(self.params[i].of.access) {
                found = Some(kind);
                if matches!(kind, Kind::Write) {
                    return found;
                }
            }
            i += 1;
        }
        found
    }

    /// Returns true if only the thread that runs the schedule can run the system, because it needs the world
    /// exclusively or takes values that stay on their thread.
    #[must_use]
    #[inline]
    pub const fn on_calling_thread(&self) -> bool {
        let mut i = 0;
        while i < self.params.len() {
            if is_thread_bound(self.params[i].of.access) {
                return true;
            }
            i += 1;
        }
        false
    }
}

#[inline]
const fn is_thread_bound(param: &ParamAccess) -> bool {
    match param {
        ParamAccess::World(kind) => kind.writes(),
        ParamAccess::NonSend(_) => true,
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if is_thread_bound(parts[i]) {
                    return true;
                }
                i += 1;
            }
            false
        }
        _ => false,
    }
}

#[inline]
const fn locks_at_run_time(param: &ParamAccess) -> bool {
    match param {
        ParamAccess::World(_) | ParamAccess::WorldRef | ParamAccess::ResourcesRef => true,
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if locks_at_run_time(parts[i]) {
                    return true;
                }
                i += 1;
            }
            false
        }
        ParamAccess::Nothing
        | ParamAccess::Shape
        | ParamAccess::Deferred
        | ParamAccess::Commands(_)
        | ParamAccess::Leaf(_)
        | ParamAccess::NonSend(_)
        | ParamAccess::Query { .. } => false,
    }
}

#[inline]
const fn is_resources(param: &ParamAccess) -> bool {
    match param {
        ParamAccess::Nothing | ParamAccess::Commands(_) | ParamAccess::ResourcesRef => true,
        ParamAccess::Leaf(access) => matches!(access.domain, Domain::Resource),
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            let mut i = 0;
            while i < parts.len() {
                if !is_resources(parts[i]) {
                    return false;
                }
                i += 1;
            }
            true
        }
        _ => false,
    }
}

#[inline]
const fn world_kind(param: &ParamAccess) -> Option<Kind> {
    match param {
        ParamAccess::World(kind) => Some(*kind),
        ParamAccess::WorldRef => Some(Kind::Write),
        ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
            let mut found = None;
            let mut i = 0;
            while i < parts.len() {
                if let Some(kind) = world_kind(parts[i]) {
                    found = Some(kind);
                    if matches!(kind, Kind::Write) {
                        return found;
                    }
                }
                i += 1;
            }
            found
        }
        _ => None,
    }
}

impl ParamInfo {
    /// Describes a parameter whose state carries no information from run to run.
    #[must_use]
    #[inline]
    pub const fn new(name: &'static str, ty: &'static str, access: &'static ParamAccess) -> Self {
        let of = ParamType {
            access,
            remembers: false,
            has_readers: false,
        };
        Self { name, ty, of }
    }
}

enum MetaNode {
    ParamAccess(&'static ParamAccess),
    QueryAccess(&'static QueryAccess),
}

/// Iterator over the accesses of a system; see [`SystemMeta::access`].
pub struct AccessIter {
    /// The nodes still to be visited, the next one last.
    stack: Vec<MetaNode>,
}

impl Iterator for AccessIter {
    type Item = Access;

    fn next(&mut self) -> Option<Access> {
        let component = |kind, ident| {
            Some(Access {
                domain: Domain::Component,
                kind,
                ident,
            })
        };
        while let Some(node) = self.stack.pop() {
            let found = match node {
                MetaNode::ParamAccess(ParamAccess::Leaf(access) | ParamAccess::NonSend(access)) => {
                    Some(*access)
                }
                MetaNode::ParamAccess(ParamAccess::Query { data, filter }) => {
                    self.stack.push(MetaNode::QueryAccess(filter));
                    self.stack.push(MetaNode::QueryAccess(data));
                    None
                }
                MetaNode::ParamAccess(ParamAccess::All(parts) | ParamAccess::OneOf(parts)) => {
                    for part in parts.iter().rev() {
                        self.stack.push(MetaNode::ParamAccess(part));
                    }
                    None
                }
                MetaNode::ParamAccess(
                    ParamAccess::Nothing
                    | ParamAccess::Shape
                    | ParamAccess::Deferred
                    | ParamAccess::Commands(_)
                    | ParamAccess::World(_)
                    | ParamAccess::WorldRef
                    | ParamAccess::ResourcesRef,
                ) => None,
                MetaNode::QueryAccess(
                    &(QueryAccess::Read(ident)
                    | QueryAccess::Added(ident)
                    | QueryAccess::Changed(ident)),
                ) => component(Kind::Read, ident),
                MetaNode::QueryAccess(&QueryAccess::Write(ident)) => component(Kind::Write, ident),
                MetaNode::QueryAccess(
                    QueryAccess::Optional(parts)
                    | QueryAccess::All(parts)
                    | QueryAccess::Or(parts)
                    | QueryAccess::OfAny(parts),
                ) => {
                    for part in parts.iter().rev() {
                        self.stack.push(MetaNode::QueryAccess(part));
                    }
                    None
                }
                MetaNode::QueryAccess(
                    QueryAccess::Nothing | QueryAccess::With(_) | QueryAccess::Without(_),
                ) => None,
            };
            if found.is_some() {
                return found;
            }
        }
        None
    }
}
