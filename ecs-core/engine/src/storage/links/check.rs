//! Checks which entities cannot be related.

use core::fmt;

use super::super::Storage;
use super::{EdgeList, TargetLink, fmt_cycle};
use crate::component::{End, Link, RawLink};
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
            fmt_cycle(f, "entity", [source, target], component)?;
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
                let sources = link.other();
                let is_wrong =
                    target == source || acyclic && self.closes_cycle(sources, source, target);
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
                let component = self.other(link.other()).name();
                Err(WrongEnd {
                    source,
                    target,
                    component,
                })
            }
        }
    }
}
