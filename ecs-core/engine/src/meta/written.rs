//! The data that systems can write, for snapshots.

use alloc::vec::Vec;
use core::any::TypeId;

use super::{Access, ConditionMeta, ConstTypeId, Domain, ParamAccess, QueryAccess, SystemMeta};

/// The data that some systems can write.
#[derive(Clone, Default)]
pub(crate) struct WriteSet {
    /// True if they can write everything, including the existence of entities and their components.
    pub(crate) everything: bool,
    all_resources: bool,
    components: Vec<ConstTypeId>,
    /// The components that are written by views, which can also insert and remove immediate ones.
    viewed: Vec<ConstTypeId>,
    resources: Vec<TypeId>,
}

impl WriteSet {
    /// Returns true if the systems can write a component.
    pub(crate) fn has_component(&self, ident: &ConstTypeId) -> bool {
        self.everything || self.components.contains(ident)
    }

    /// Returns the components that the systems write by views, which can also insert and remove them if they are immediate.
    pub(crate) fn viewed(&self) -> &[ConstTypeId] {
        &self.viewed
    }

    /// Returns true if the systems can write a resource.
    pub(crate) fn has_resource(&self, id: TypeId) -> bool {
        self.everything || self.all_resources || self.resources.contains(&id)
    }

    /// Adds the data that a system can write. Reading events and removals moves their readers, so that counts as writing
    /// them.
    pub(crate) fn add(&mut self, system: &SystemMeta) {
        self.everything |= system.defers();
        for param in system.params {
            self.add_param(param.of.access, param.of.has_readers);
        }
    }

    /// Adds the data that a condition can write.
    pub(crate) fn add_condition(&mut self, condition: &ConditionMeta) {
        for part in &condition.parts {
            self.add(part);
        }
    }

    fn add_param(&mut self, param: &ParamAccess, has_readers: bool) {
        match param {
            ParamAccess::Leaf(Access {
                domain,
                kind,
                ident,
            }) => {
                let is_written = kind.writes() || has_readers;
                match domain {
                    Domain::Component if is_written => {
                        self.add_component(ident);
                        self.viewed.push(*ident);
                    }
                    Domain::Resource if is_written => self.add_resource(ident.type_id()),
                    _ => {}
                }
            }
            ParamAccess::Query { data, filter } => {
                self.add_query(data);
                self.add_query(filter);
            }
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                for part in *parts {
                    self.add_param(part, has_readers);
                }
            }
            ParamAccess::ResourcesRef => self.all_resources = true,
            ParamAccess::World(_) | ParamAccess::WorldRef | ParamAccess::Deferred => {
                self.everything = true;
            }
            // Removals are part of the rows.
            ParamAccess::Shape => self.everything |= has_readers,
            ParamAccess::Nothing | ParamAccess::Commands(_) | ParamAccess::NonSend(_) => {}
        }
    }

    fn add_query(&mut self, query: &QueryAccess) {
        match query {
            // Filters by ticks may write them.
            QueryAccess::Write(ident) | QueryAccess::Added(ident) | QueryAccess::Changed(ident) => {
                self.add_component(ident);
            }
            QueryAccess::Optional(parts)
            | QueryAccess::All(parts)
            | QueryAccess::Or(parts)
            | QueryAccess::OfAny(parts) => {
                for part in *parts {
                    self.add_query(part);
                }
            }
            QueryAccess::Nothing
            | QueryAccess::Read(_)
            | QueryAccess::With(_)
            | QueryAccess::Without(_) => {}
        }
    }

    fn add_component(&mut self, ident: &ConstTypeId) {
        if !self.components.contains(ident) {
            self.components.push(*ident);
        }
    }

    fn add_resource(&mut self, id: TypeId) {
        if !self.resources.contains(&id) {
            self.resources.push(id);
        }
    }
}
