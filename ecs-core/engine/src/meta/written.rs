//! The data that systems can write, for snapshots.

use alloc::vec::Vec;
use core::any::TypeId;

use super::walk::{AccessLeaf, AccessLeaves};
use super::{ConditionMeta, ConstTypeId, Domain, ParamAccess, SystemMeta};

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
    /// them. Commands can write everything, also those that declare the components that they insert and remove: they may
    /// spawn and despawn, and hooks and observers of these changes are in no metadata.
    pub(crate) fn add(&mut self, system: &SystemMeta) {
        self.everything |= system.defers();
        for param in system.params {
            for leaf in AccessLeaves::of_param(param.of.access) {
                self.add_leaf(leaf, param.of.has_readers);
            }
        }
    }

    /// Adds the data that a condition can write.
    pub(crate) fn add_condition(&mut self, condition: &ConditionMeta) {
        for part in &condition.parts {
            self.add(part);
        }
    }

    fn add_leaf(&mut self, leaf: AccessLeaf, has_readers: bool) {
        match leaf {
            AccessLeaf::Param(ParamAccess::ResourcesRef) => self.all_resources = true,
            AccessLeaf::Param(
                ParamAccess::World(_) | ParamAccess::WorldRef | ParamAccess::Deferred,
            ) => self.everything = true,
            // Removals are part of the rows.
            AccessLeaf::Param(ParamAccess::Shape) => self.everything |= has_readers,
            _ => {}
        }
        let is_param = matches!(leaf, AccessLeaf::Param(_));
        let Some(access) = leaf.access() else { return };
        let is_written = access.kind.writes() || (is_param && has_readers);
        if !is_written {
            return;
        }
        match access.domain {
            Domain::Component => {
                self.add_component(&access.ident);
                if is_param {
                    self.viewed.push(access.ident);
                }
            }
            Domain::Resource => self.add_resource(access.ident.type_id()),
            Domain::NonSend => {}
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
