//! The run-time borrows that a system holds for all its parameters.
//!
//! Each component has one borrow flag, which knows no filters: a query over `&mut Position` excludes all other queries
//! over positions. If only `With` and `Without` keep the queries of a system disjoint, the *system* takes the borrows,
//! once for all its queries. It does the same for such queries in a `ParamSet`; a view in the set that writes the same
//! component then relies on the system's borrow too.
//!
//! An executor has exclusive access to the world and starts only systems with compatible metadata together. It holds
//! everything without taking any run-time borrow.
//!
//! # In a schedule
//! In a schedule no flag is touched: the executor has `&mut World`, and starts systems together only if their metadata is
//! compatible. It asserts that by calling `DynSystem::run`, which is `unsafe`; the `HeldBorrows` that parameters get
//! (`SystemParam::lock`) then holds everything. A system that takes `&World` or `&ResourceMap` locks just as in a direct
//! call. Executors rely on metadata, so only `#[system]` and closures of parameters can make a `SystemSource`, and the
//! traits behind them, `VisitSystem` and `SystemParam`, are `unsafe`.

use alloc::vec::Vec;
use core::fmt;
use core::mem::forget;

use super::error::ParamLockError;
use super::name::with_arguments;
use crate::component::ComponentId;
use crate::meta::{
    Access, AccessLeaf, AccessLeaves, Compatibility, Domain, Kind, ParamAccess, QueryAccess, Side,
    SystemMeta,
};
use crate::storage::Storage;
use crate::world::{BorrowError, World, borrow, borrow_mut};

/// The proof that the parameters of a system do not conflict; kept with their states.
///
/// The compiler has checked most systems; they share nothing and keep an empty list.
#[derive(Debug, Default)]
pub(super) struct NoConflict {
    borrows: Vec<QueryBorrow>,
}

/// A component of the system's queries.
#[derive(Debug)]
struct QueryBorrow {
    parameter: usize,
    access: Access,
    /// `None` until the first use of the component.
    id: Option<ComponentId>,
}

/// Checks a system for conflicts that the compiler could not decide; called when the system is built. `hidden` is the
/// name of its hidden type, if it has one.
///
/// # Panics
/// If parameters of the system conflict.
#[inline(never)]
#[track_caller]
pub(super) fn check(system: &SystemMeta, hidden: &'static str) -> NoConflict {
    if let Some(refusal) = with_arguments(system, hidden).refusal() {
        panic!("{refusal}");
    }
    let mut checked = NoConflict::default();
    if system.compatibility() != Compatibility::Disjoint {
        for (index, param) in system.params.iter().enumerate() {
            checked.add(index, param.of.access);
        }
        for param in system.params {
            checked.widen_for_views(param.of.access, false);
        }
    }
    checked
}

impl NoConflict {
    /// The proof for a system that shares nothing.
    pub(super) const NOTHING: Self = Self {
        borrows: Vec::new(),
    };

    /// Adds the borrows of the queries in a parameter. Views take their own.
    fn add(&mut self, parameter: usize, access: &'static ParamAccess) {
        for leaf in AccessLeaves::of_param(access) {
            let AccessLeaf::Query(_) = leaf else { continue };
            let Some(access) = leaf.access() else {
                continue;
            };
            let mut known = self.borrows.iter_mut();
            match known.find(|known| known.access.ident == access.ident) {
                Some(known) if access.kind.writes() => known.access.kind = Kind::Write,
                Some(_) => {}
                None => self.borrows.push(QueryBorrow {
                    parameter,
                    access,
                    id: None,
                }),
            }
        }
    }

    /// Turns the read borrows of queries into write borrows if a view of the same `ParamSet` writes: the view could not
    /// take its own borrow next to them.
    fn widen_for_views(&mut self, access: &ParamAccess, in_turns: bool) {
        match access {
            ParamAccess::All(parts) => parts
                .iter()
                .for_each(|part| self.widen_for_views(part, in_turns)),
            ParamAccess::OneOf(parts) => parts
                .iter()
                .for_each(|part| self.widen_for_views(part, true)),
            ParamAccess::Leaf(view)
                if in_turns && view.domain == Domain::Component && view.kind.writes() =>
            {
                let mut known = self.borrows.iter_mut();
                if let Some(known) = known.find(|known| known.access.ident == view.ident) {
                    known.access.kind = Kind::Write;
                }
            }
            _ => {}
        }
    }

    /// Takes the run-time borrows of the system.
    ///
    /// # Errors
    /// If a component is borrowed elsewhere.
    #[inline]
    pub(super) fn enter<'w>(
        &'w mut self,
        world: &'w World,
    ) -> Result<EnteredBorrows<'w>, ParamLockError> {
        let mut entered = EnteredBorrows {
            storage: &world.storage,
            held: HeldBorrows::NONE,
        };
        if !self.borrows.is_empty() {
            entered.take(&mut self.borrows)?;
        }
        Ok(entered)
    }
}

/// The run-time borrows of a system, released on drop.
pub(super) struct EnteredBorrows<'w> {
    storage: &'w Storage,
    held: HeldBorrows<'w>,
}

/// The borrows that a system holds for all its parameters. Called directly, it holds the run-time borrows of queries
/// that only filters keep disjoint; most systems have none. In a schedule it holds everything that it accesses.
pub struct HeldBorrows<'w> {
    /// Invariant 1: their stores are borrowed for `'w`, in the mode that `access` gives.
    held: &'w [QueryBorrow],
    /// Invariant 2: if set, no other code uses the system's data in a conflicting way for `'w`, and none of its
    /// parameters locks at run time.
    holds_everything: bool,
}

impl<'w> EnteredBorrows<'w> {
    /// Returns the borrows for the parameters.
    #[inline]
    pub(super) fn held(&self) -> &HeldBorrows<'_> {
        &self.held
    }

    #[inline(never)]
    fn take(&mut self, borrows: &'w mut [QueryBorrow]) -> Result<(), ParamLockError> {
        for borrow in &mut *borrows {
            borrow.id = borrow
                .id
                .or_else(|| ComponentId::of_ident(&borrow.access.ident));
        }
        let borrows: &'w [QueryBorrow] = borrows;
        for (taken, borrow) in borrows.iter().enumerate() {
            if let Err(error) = borrow.take(self.storage) {
                return Err(ParamLockError::new(borrow.parameter, error.into()));
            }
            // Released by the guard if the next borrow fails.
            self.held.held = &borrows[..=taken];
        }
        Ok(())
    }
}

impl HeldBorrows<'_> {
    /// No borrows: each parameter takes its own.
    pub const NONE: Self = HeldBorrows {
        held: &[],
        holds_everything: false,
    };

    /// The proof that no parameter needs to take run-time borrows.
    ///
    /// # Safety
    /// It is passed to a system whose parameters were checked, and no parameter locks at run time. No other code uses
    /// the system's data in a conflicting way while it runs.
    #[inline]
    pub(super) unsafe fn all() -> &'static Self {
        &HeldBorrows {
            held: &[],
            holds_everything: true,
        }
    }

    /// Returns true if it holds everything that the parameters of the system access.
    #[inline]
    pub(crate) fn holds_all(&self) -> bool {
        self.holds_everything
    }

    /// Returns true if it holds everything that the query accesses.
    #[inline]
    pub(crate) fn holds(&self, query: &QueryAccess) -> bool {
        self.holds_everything
            || (!self.held.is_empty() && self.holds_side(Side::QueryAccess(query)))
    }

    /// Returns true if it holds a component for a view.
    #[inline]
    pub(crate) fn holds_view(&self, id: ComponentId, kind: Kind) -> bool {
        self.holds_everything || (!self.held.is_empty() && self.holds_component(id, kind))
    }

    fn holds_component(&self, id: ComponentId, kind: Kind) -> bool {
        let enough = |held: &QueryBorrow| held.access.kind.writes() || !kind.writes();
        let mut held = self.held.iter();
        held.any(|held| held.id == Some(id) && enough(held))
    }

    fn holds_side(&self, side: Side<'_>) -> bool {
        if let Some(parts) = side.parts() {
            return parts
                .iter()
                .all(|part| self.holds_side(Side::QueryAccess(part)));
        }
        side.access().is_none_or(|access| {
            let enough = |held: &QueryBorrow| held.access.kind.writes() || !access.kind.writes();
            let mut held = self.held.iter();
            held.any(|held| held.access.ident == access.ident && enough(held))
        })
    }
}

impl QueryBorrow {
    fn take(&self, storage: &Storage) -> Result<(), BorrowError> {
        let Some(store) = self.id.and_then(|id| storage.component(id)) else {
            // The world has no values of the component, so there is nothing to borrow.
            return Ok(());
        };
        if self.access.kind.writes() {
            borrow_mut(store).map(forget)
        } else {
            borrow(store).map(forget)
        }
    }
}

impl Drop for EnteredBorrows<'_> {
    // Inlined, so that the compiler can remove this for an instance that holds nothing.
    #[inline]
    fn drop(&mut self) {
        if !self.held.held.is_empty() {
            // SAFETY: by invariant 1 the stores are borrowed in the modes given by `held`; guards that rely on it
            // borrow `self`, which ends here.
            unsafe { release(self.held.held, self.storage) };
        }
    }
}

/// Releases the borrows of `held`.
///
/// # Safety
/// The stores are borrowed in the modes given by `held`, and no other code relies on these borrows any more.
#[inline(never)]
unsafe fn release(held: &[QueryBorrow], storage: &Storage) {
    for held in held {
        let Some(store) = held.id.and_then(|id| storage.component(id)) else {
            continue;
        };
        if held.access.kind.writes() {
            // SAFETY: by the caller's contract the store is borrowed for writing, and no other code relies on it.
            unsafe { store.flag.end_exclusive() };
        } else {
            // SAFETY: by the caller's contract the store is borrowed for reading, and no other code relies on it.
            unsafe { store.flag.end_shared() };
        }
    }
}

impl fmt::Debug for HeldBorrows<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.holds_everything {
            return f.write_str("all");
        }
        let held = self.held.iter().map(|held| held.access);
        f.debug_list().entries(held).finish()
    }
}
