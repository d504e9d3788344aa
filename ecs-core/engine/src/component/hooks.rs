//! Lifecycle events of components, hooks for them, and sets of them.

use core::any::TypeId;

use super::ErasedFn;

/// An event in the life of a component of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lifecycle {
    /// The entity did not have the component, and has it now.
    Add,
    /// A value was inserted: the first one, or one that replaced another.
    Insert,
    /// The value is about to be replaced by another one.
    Replace,
    /// The component is about to be removed from the entity, or the entity is about to be despawned.
    Remove,
    /// The entity is about to be despawned.
    Despawn,
}

impl Lifecycle {
    pub(crate) const ALL: [Self; 5] = [
        Self::Add,
        Self::Insert,
        Self::Replace,
        Self::Remove,
        Self::Despawn,
    ];
    pub(crate) const COUNT: usize = Self::ALL.len();

    /// The name of the hook in `#[component(..)]`.
    pub(crate) const fn hook_name(self) -> &'static str {
        match self {
            Self::Add => "on_add",
            Self::Insert => "on_insert",
            Self::Replace => "on_replace",
            Self::Remove => "on_remove",
            Self::Despawn => "on_despawn",
        }
    }
}

/// The functions that every world calls on lifecycle events of a component: `#[component(on_add = ..)]` and the like.
///
/// [`world::hooks`](crate::world::hooks) explains their rules, and when exactly they run.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// By [`Lifecycle`].
    /// Invariant 1: each is of the type `world::hooks::Hook`, which this module does not know; stored and called there.
    functions: [Option<ErasedFn>; Lifecycle::COUNT],
    check: Option<HookCheck>,
    /// True if the function for removals only removes the toggle.
    only_removes_toggle: bool,
}

/// A check of the values that entities are about to get.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HookCheck {
    of: fn() -> TypeId,
    /// Invariant 1: an `ErasedCheck` of `world::check`, which this module does not know, of values of the type `of`.
    function: ErasedFn,
}

impl HookCheck {
    /// # Safety
    /// The function is one that invariant 1 names.
    pub(crate) const unsafe fn new(of: fn() -> TypeId, function: ErasedFn) -> Self {
        Self { of, function }
    }

    /// Returns the type whose values are checked.
    pub(crate) fn type_id(self) -> TypeId {
        (self.of)()
    }

    pub(crate) const fn function(self) -> ErasedFn {
        self.function
    }
}

impl Hooks {
    /// No functions.
    pub const NONE: Self = Self {
        functions: [None; Lifecycle::COUNT],
        check: None,
        only_removes_toggle: false,
    };

    /// States that the function for removals only removes the toggle.
    #[must_use]
    pub(crate) const fn with_toggle(mut self) -> Self {
        self.only_removes_toggle = true;
        self
    }

    /// Returns true if there is a function of the type's own, beside the one that removes its toggle.
    pub(crate) fn has_own(&self) -> bool {
        let is_own = |kind| !(self.only_removes_toggle && kind == Lifecycle::Remove);
        let mut own = Lifecycle::ALL.into_iter().filter(|&kind| is_own(kind));
        own.any(|kind| self.get(kind).is_some())
    }

    #[must_use]
    pub(crate) const fn with_check(mut self, check: HookCheck) -> Self {
        self.check = Some(check);
        self
    }

    #[inline]
    pub(crate) const fn check(&self) -> Option<HookCheck> {
        self.check
    }

    /// Adds a function for one event.
    ///
    /// # Safety
    /// It has the type that invariant 1 names.
    #[must_use]
    pub(crate) const unsafe fn with(mut self, kind: Lifecycle, function: ErasedFn) -> Self {
        self.functions[kind as usize] = Some(function);
        self
    }

    #[inline]
    pub(crate) const fn get(&self, kind: Lifecycle) -> Option<ErasedFn> {
        self.functions[kind as usize]
    }

    /// The events that have a function.
    pub(crate) const fn observed(&self) -> LifecycleSet {
        let mut observed = LifecycleSet::NOTHING;
        let mut index = 0;
        while index < Lifecycle::COUNT {
            if self.functions[index].is_some() {
                observed.0 |= 1 << index;
            }
            index += 1;
        }
        match self.check {
            Some(_) => observed.and(LifecycleSet::CHECKED),
            None => observed,
        }
    }
}

/// A set of [`Lifecycle`] events that are observed, and of other conditions that rule out the fast path of a structural
/// change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LifecycleSet(u8);

impl LifecycleSet {
    pub(crate) const NOTHING: Self = Self(0);
    /// The component is an end of a relation: a change must update the other end, but notifies no observer.
    pub(crate) const LINK: Self = Self(1 << Lifecycle::COUNT);

    /// New values of the component are checked.
    pub(crate) const CHECKED: Self = Self(1 << (Lifecycle::COUNT + 2));

    /// The component is not registered with the world.
    pub(crate) const UNREGISTERED: Self = Self(1 << (Lifecycle::COUNT + 1));

    /// The events before values leave.
    pub(crate) const LEAVING: Self = Self::of(Lifecycle::Remove).and(Self::of(Lifecycle::Despawn));

    /// The events and conditions of a removal.
    pub(crate) const REMOVAL: Self = Self::of(Lifecycle::Remove).and(Self::LINK);

    /// The events after values came.
    pub(crate) const COMING: Self = Self::of(Lifecycle::Add).and(Self::of(Lifecycle::Insert));

    /// The events that an insertion can cause.
    pub(crate) const INSERTION: Self = Self::COMING.and(Self::of(Lifecycle::Replace));

    pub(crate) const fn of(kind: Lifecycle) -> Self {
        Self(1 << kind as u8)
    }

    #[must_use]
    pub(crate) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[inline]
    pub(crate) const fn is_nothing(self) -> bool {
        self.0 == 0
    }

    /// Returns true if it contains [`LINK`](Self::LINK), for an end of a relation.
    #[inline]
    pub(crate) const fn is_linked(self) -> bool {
        self.has_any(Self::LINK)
    }

    #[inline]
    pub(crate) const fn has(self, kind: Lifecycle) -> bool {
        self.has_any(Self::of(kind))
    }

    #[inline]
    pub(crate) const fn has_any(self, kinds: Self) -> bool {
        self.0 & kinds.0 != 0
    }
}
