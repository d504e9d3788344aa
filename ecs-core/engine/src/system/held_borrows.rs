//! What a system holds for all its parameters.
//!
//! Each component has one run-time borrow, which knows nothing of filters: a query over `&mut Position` refuses every
//! other one over positions. Where the parameters of a system were found to be kept apart by `With` and `Without`, the
//! *system* takes the borrows, once for all its queries. So it does where such a query is one of a `ParamSet`, and then a
//! view in the set that writes the same component relies on the system's borrow too.
//!
//! An executor, which has the world alone and starts only systems whose metadata go together, holds everything by its
//! word: then no run-time borrow is taken at all.

use core::any::type_name;
use core::fmt;
use core::mem::forget;

use super::function::{Known as _, ParamLockError, System};
use super::name::with_arguments;
use crate::component::ComponentId;
use crate::meta::{
    Access, Compatibility, Domain, Kind, ParamAccess, QueryAccess, Side, SystemMeta,
};
use crate::storage::Storage;
use crate::world::{BorrowError, World, borrow, borrow_mut};

/// The proof that the parameters of a system do not conflict; kept with their states.
///
/// Most systems were checked by the compiler, have nothing to share, and keep an empty list.
#[derive(Debug, Default)]
pub(super) struct Checked {
    shared: Vec<Shared>,
}

/// A component of the system's queries.
#[derive(Debug)]
struct Shared {
    parameter: usize,
    access: Access,
    /// `None` until the component was used for the first time.
    id: Option<ComponentId>,
}

/// Checks what the compiler could not decide; done when a system is built.
///
/// # Panics
/// If parameters of the system conflict.
#[inline]
#[track_caller]
pub(super) fn checked<S: System>() -> Checked {
    if S::IS_FREE {
        return Checked::NOTHING;
    }
    check(&S::META, type_name::<S>())
}

/// As [`checked`], for a system with a hidden type of that name, or none.
///
/// # Panics
/// If parameters of the system conflict.
#[inline(never)]
#[track_caller]
pub(super) fn check(system: &SystemMeta, hidden: &'static str) -> Checked {
    if let Some(refusal) = with_arguments(system, hidden).refusal() {
        panic!("{refusal}");
    }
    let mut checked = Checked::default();
    if system.verdict() != Compatibility::Disjoint {
        for (index, param) in system.params.iter().enumerate() {
            checked.add(index, param.of.access);
        }
        for param in system.params {
            checked.widen(param.of.access, false);
        }
    }
    checked
}

impl Checked {
    /// Of a system that has nothing to share.
    pub(super) const NOTHING: Self = Self { shared: Vec::new() };

    fn add(&mut self, parameter: usize, tree: &ParamAccess) {
        match tree {
            ParamAccess::All(parts) | ParamAccess::OneOf(parts) => {
                parts.iter().for_each(|part| self.add(parameter, part));
            }
            ParamAccess::Query { data, filter } => {
                self.add_side(parameter, Side::QueryAccess(data));
                // Filters that ask for ticks read them.
                self.add_side(parameter, Side::QueryAccess(filter));
            }
            // Views hold their own borrows.
            _ => {}
        }
    }

    /// Has the borrows of queries suffice for views that are had in turns with them: those could not write beside.
    fn widen(&mut self, tree: &ParamAccess, in_turns: bool) {
        match tree {
            ParamAccess::All(parts) => parts.iter().for_each(|part| self.widen(part, in_turns)),
            ParamAccess::OneOf(parts) => parts.iter().for_each(|part| self.widen(part, true)),
            ParamAccess::Leaf(view)
                if in_turns && view.domain == Domain::Component && view.kind.writes() =>
            {
                let mut known = self.shared.iter_mut();
                if let Some(known) = known.find(|known| known.access.ident == view.ident) {
                    known.access.kind = Kind::Write;
                }
            }
            _ => {}
        }
    }

    fn add_side(&mut self, parameter: usize, side: Side<'_>) {
        if let Some(parts) = side.parts() {
            for part in parts {
                self.add_side(parameter, Side::QueryAccess(part));
            }
        }
        let Some(access) = side.access() else { return };
        let mut known = self.shared.iter_mut();
        match known.find(|known| known.access.ident == access.ident) {
            Some(known) if access.kind.writes() => known.access.kind = Kind::Write,
            Some(_) => {}
            None => self.shared.push(Shared {
                parameter,
                access,
                id: None,
            }),
        }
    }

    /// Takes the run-time borrows that the system takes at once.
    ///
    /// # Errors
    /// If a component is borrowed elsewhere.
    #[inline]
    pub(super) fn enter<'w>(&'w mut self, world: &'w World) -> Result<Entered<'w>, ParamLockError> {
        let mut entered = Entered {
            storage: &world.storage,
            held: HeldBorrows::NONE,
        };
        if !self.shared.is_empty() {
            entered.take(&mut self.shared)?;
        }
        Ok(entered)
    }
}

/// The run-time borrows that a system took at once, given back on drop.
pub(super) struct Entered<'w> {
    storage: &'w Storage,
    held: HeldBorrows<'w>,
}

/// What a system holds for all its parameters at once: the run-time borrows of queries that filters keep apart, or, in a
/// schedule, everything that it touches; nothing for most systems that are called directly.
pub struct HeldBorrows<'w> {
    /// Invariant 1: the stores of these are borrowed, as `access` says, as long as `'w`.
    held: &'w [Shared],
    /// Invariant 2: if set, what the system touches is not used by others, in a way that conflicts, as long as `'w`, and
    /// no parameter of it asks for run-time borrows.
    alone: bool,
}

impl<'w> Entered<'w> {
    /// What the parameters are told.
    #[inline]
    pub(super) fn held(&self) -> &HeldBorrows<'_> {
        &self.held
    }

    #[inline(never)]
    fn take(&mut self, shared: &'w mut [Shared]) -> Result<(), ParamLockError> {
        for one in &mut *shared {
            one.id = one
                .id
                .or_else(|| ComponentId::find(one.access.ident.type_id()));
        }
        let shared: &'w [Shared] = shared;
        for (taken, one) in shared.iter().enumerate() {
            if let Err(error) = one.take(self.storage) {
                return Err(ParamLockError::new(one.parameter, error.into()));
            }
            // What was taken so far is given back when the next one is refused.
            self.held.held = &shared[..=taken];
        }
        Ok(())
    }
}

impl HeldBorrows<'_> {
    /// No borrows: each parameter takes its own.
    pub const NONE: Self = HeldBorrows {
        held: &[],
        alone: false,
    };

    /// No parameter takes any.
    ///
    /// # Safety
    /// It is handed to a system whose parameters were checked, and none of which asks for run-time borrows. Nobody else uses
    /// what the system touches, in a way that conflicts, while it runs.
    #[inline]
    pub(super) unsafe fn everything() -> &'static Self {
        &HeldBorrows {
            held: &[],
            alone: true,
        }
    }

    /// Whether it holds everything that the parameters of the system touch.
    #[inline]
    pub(crate) fn holds_all(&self) -> bool {
        self.alone
    }

    /// Whether it holds all that the terms fetch.
    #[inline]
    pub(crate) fn holds(&self, terms: &QueryAccess) -> bool {
        self.alone || (!self.held.is_empty() && self.holds_side(Side::QueryAccess(terms)))
    }

    /// Whether it holds a component for a view.
    #[inline]
    pub(crate) fn holds_view(&self, id: ComponentId, kind: Kind) -> bool {
        self.alone || (!self.held.is_empty() && self.holds_component(id, kind))
    }

    fn holds_component(&self, id: ComponentId, kind: Kind) -> bool {
        let enough = |held: &Shared| held.access.kind.writes() || !kind.writes();
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
            let enough = |held: &Shared| held.access.kind.writes() || !access.kind.writes();
            let mut held = self.held.iter();
            held.any(|held| held.access.ident == access.ident && enough(held))
        })
    }
}

impl Shared {
    fn take(&self, storage: &Storage) -> Result<(), BorrowError> {
        let Some(store) = self.id.and_then(|id| storage.component(id)) else {
            // The world has never seen one: nothing can be borrowed.
            return Ok(());
        };
        if self.access.kind.writes() {
            borrow_mut(store).map(forget)
        } else {
            borrow(store).map(forget)
        }
    }
}

impl Drop for Entered<'_> {
    // What is inlined tells the compiler that what holds nothing need not be anywhere.
    #[inline]
    fn drop(&mut self) {
        if !self.held.held.is_empty() {
            // SAFETY: taken by invariant 1; the queries that rely on it borrow this, which is gone.
            unsafe { give_back(self.held.held, self.storage) };
        }
    }
}

/// # Safety
/// The stores are borrowed as `held` says, and nobody relies on it any more.
#[inline(never)]
unsafe fn give_back(held: &[Shared], storage: &Storage) {
    for held in held {
        let Some(store) = held.id.and_then(|id| storage.component(id)) else {
            continue;
        };
        if held.access.kind.writes() {
            // SAFETY: the caller's promise.
            unsafe { store.flag.end_exclusive() };
        } else {
            // SAFETY: the caller's promise.
            unsafe { store.flag.end_shared() };
        }
    }
}

impl fmt::Debug for HeldBorrows<'_> {
    #[inline]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.alone {
            return f.write_str("all");
        }
        let held = self.held.iter().map(|held| held.access);
        f.debug_list().entries(held).finish()
    }
}
