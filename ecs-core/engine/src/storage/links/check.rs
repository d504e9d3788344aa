//! Who cannot be related to whom.

use core::fmt;

use super::super::Storage;
use super::{List, TargetLink};
use crate::component::{ComponentId, End, Link, RawLink};
use crate::entity::Entity;

/// Why an entity cannot be related to another one.
#[derive(Clone, Copy)]
pub(crate) struct WrongEnd {
    source: Entity,
    target: Entity,
    /// The component of the source.
    component: &'static str,
}

impl fmt::Display for WrongEnd {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            source,
            target,
            component,
        } = self;
        if source == target {
            write!(f, "`{component}` relates entity {source} to itself")?;
        } else {
            write!(
                f,
                "`{component}` of entity {source} cannot be {target}: that is a descendant of {source}, and the relation is a tree"
            )?;
        }
        f.write_str("; `World::relate` returns an error instead of panicking")
    }
}

impl Storage {
    /// Whether the entity can have the value.
    ///
    /// # Safety
    /// The value is initialised.
    #[inline]
    pub(crate) unsafe fn check_end<T>(
        &self,
        link: &Link<T>,
        source: Entity,
        value: *const T,
    ) -> Result<(), WrongEnd> {
        // SAFETY: the value is initialised, and the link is of its type.
        unsafe { self.check_raw(link.raw(), source, value.cast()) }
    }

    /// # Safety
    /// The value is an initialised one of the component of which the link is.
    #[inline]
    unsafe fn check_raw(
        &self,
        link: &RawLink,
        source: Entity,
        value: *const u8,
    ) -> Result<(), WrongEnd> {
        let target = match link.end {
            End::Target { acyclic, .. } => {
                // SAFETY: by invariant 1 of `RawLink` the value, of which the caller vouches, begins with one.
                let TargetLink { target, .. } = unsafe { *value.cast::<TargetLink>() };
                let sources = (link.other)();
                let is_wrong =
                    target == source || acyclic && self.is_ancestor(sources, source, target);
                is_wrong.then_some(target)
            }
            End::Targets { .. } => {
                // SAFETY: by invariant 1 of `RawLink` the value begins with one, which lives as long as the value.
                let list = unsafe { &*value.cast::<List>() };
                list.find(source).map(|_| source)
            }
            End::Sources { .. } => None,
        };
        match target {
            None => Ok(()),
            Some(target) => {
                let component = self.other((link.other)()).name();
                Err(WrongEnd {
                    source,
                    target,
                    component,
                })
            }
        }
    }

    /// Whether `ancestor` is one of the entity's ancestors in a tree, of which `sources` is the component of its inner nodes.
    ///
    /// O(depth of the entity), and O(1) if the other is no inner node.
    pub(crate) fn is_ancestor(&self, sources: ComponentId, ancestor: Entity, of: Entity) -> bool {
        let Some(store) = self.component(sources) else {
            return false;
        };
        if !store.settled().set().contains(ancestor) {
            return false;
        }
        let targets = self.other(sources);
        let mut at = of;
        while let Some(toward) = self.toward(targets, at) {
            at = toward.target;
            if at == ancestor {
                return true;
            }
        }
        false
    }
}
