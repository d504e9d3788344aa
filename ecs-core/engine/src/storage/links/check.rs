//! Checks which entities cannot be related.

use core::fmt;

use super::super::Storage;
use super::{EdgeList, TargetLink};
use crate::component::{ComponentId, End, Link, RawLink};
use crate::entity::Entity;

/// The reason why an entity cannot be related to another one.
#[derive(Clone, Copy)]
pub(crate) struct WrongEnd {
    pub(crate) source: Entity,
    pub(crate) target: Entity,
    /// The component of the source.
    pub(crate) component: &'static str,
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
                "`{component}` of entity {source} cannot be {target}: the relation is a tree, and {target} is a descendant of {source}"
            )?;
        }
        f.write_str("; help: call `World::relate`, which returns an error instead of panicking")
    }
}

impl Storage {
    /// Checks that the value can be inserted into the entity `source`.
    ///
    /// # Safety
    /// `value` points to an initialised value.
    #[inline]
    pub(crate) unsafe fn check_end<T>(
        &self,
        link: &Link<T>,
        source: Entity,
        value: *const T,
    ) -> Result<(), WrongEnd> {
        // SAFETY: `value` points to an initialised value by the caller's contract, and the link is of its type `T`.
        unsafe { self.check_raw(link.raw(), source, value.cast()) }
    }

    /// Like [`check_end`](Self::check_end), for a value whose type is not known.
    ///
    /// # Safety
    /// `value` points to an initialised value of the component that the link belongs to.
    #[inline]
    pub(crate) unsafe fn check_raw(
        &self,
        link: &RawLink,
        source: Entity,
        value: *const u8,
    ) -> Result<(), WrongEnd> {
        let target = match link.end {
            End::Target { acyclic, .. } => {
                // SAFETY: the value is initialised by the caller's contract, and begins with a `TargetLink` by
                // invariant 1 of `RawLink`.
                let TargetLink { target, .. } = unsafe { *value.cast::<TargetLink>() };
                let sources = (link.other)();
                let is_wrong =
                    target == source || acyclic && self.is_ancestor(sources, source, target);
                is_wrong.then_some(target)
            }
            End::Targets { .. } => {
                // SAFETY: the value is initialised by the caller's contract, and begins with an `EdgeList` by invariant 1 of
                // `RawLink`, which lives as long as the value.
                let list = unsafe { &*value.cast::<EdgeList>() };
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

    /// Returns true if `ancestor` is an ancestor of the entity `of` in a tree; `sources` is the component of the tree's
    /// inner nodes.
    ///
    /// O(depth of the entity), and O(1) if `ancestor` is no inner node.
    pub(crate) fn is_ancestor(&self, sources: ComponentId, ancestor: Entity, of: Entity) -> bool {
        let Some(store) = self.component(sources) else {
            return false;
        };
        if !store.frozen_shared().set().contains(ancestor) {
            return false;
        }
        let targets = self.other(sources);
        let mut current = of;
        while let Some(target_link) = self.target_link(targets, current) {
            current = target_link.target;
            if current == ancestor {
                return true;
            }
        }
        false
    }
}
