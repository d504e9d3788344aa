//! What can happen to a component of an entity, and who wants to be told.

/// What can happen to a component of an entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lifecycle {
    /// The entity did not have the component, and has it now.
    Add,
    /// A value was put in: the first one, or one in place of another.
    Insert,
    /// Another value is about to take the place of this one.
    Replace,
    /// The component is about to leave the entity, or the entity the world.
    Remove,
    /// The entity is about to leave the world.
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

    /// What the hook is called in `#[component(..)]`.
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

/// The functions that every world calls when something happens to a component: `#[component(on_add = ..)]` and the like.
///
/// What they may do, and when exactly they run, stands in [`world::hooks`](crate::world::hooks).
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// By [`Lifecycle`].
    /// Invariant 1: each is of the type `world::hooks::Hook`, which this room does not know; put in and taken out there.
    functions: [Option<Erased>; Lifecycle::COUNT],
}

/// A function pointer without its type.
pub(crate) type Erased = unsafe fn();

impl Hooks {
    /// No functions.
    pub const NONE: Self = Self {
        functions: [None; Lifecycle::COUNT],
    };

    /// With a function for one kind.
    ///
    /// # Safety
    /// It is of the type that invariant 1 names.
    #[must_use]
    pub(crate) const unsafe fn with(mut self, kind: Lifecycle, function: Erased) -> Self {
        self.functions[kind as usize] = Some(function);
        self
    }

    #[inline]
    pub(crate) const fn get(&self, kind: Lifecycle) -> Option<Erased> {
        self.functions[kind as usize]
    }

    /// What there are functions for.
    pub(crate) const fn watch(&self) -> LifecycleSet {
        let mut watch = LifecycleSet::NOTHING;
        let mut index = 0;
        while index < Lifecycle::COUNT {
            if self.functions[index].is_some() {
                watch.0 |= 1 << index;
            }
            index += 1;
        }
        watch
    }
}

/// A set of [`Lifecycle`]s that somebody wants to be told of, and what else keeps a verb from the short way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LifecycleSet(u8);

impl LifecycleSet {
    pub(crate) const NOTHING: Self = Self(0);
    /// An end of a relation: something is to be done, but nobody to be told.
    pub(crate) const LINK: Self = Self(1 << Lifecycle::COUNT);

    /// A component that is not registered with the world.
    pub(crate) const UNREGISTERED: Self = Self(1 << (Lifecycle::COUNT + 1));

    /// What happens before values leave.
    pub(crate) const LEAVING: Self = Self::of(Lifecycle::Remove).and(Self::of(Lifecycle::Despawn));

    /// What is before a removal.
    pub(crate) const REMOVAL: Self = Self::of(Lifecycle::Remove).and(Self::LINK);

    /// What happens after values came.
    pub(crate) const COMING: Self = Self::of(Lifecycle::Add).and(Self::of(Lifecycle::Insert));

    /// What an insertion can bring about.
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

    /// Whether it is about an end of a relation.
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
