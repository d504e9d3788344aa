//! What a view is but for the type of its values, so that most of its code is compiled once.

use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::component::{Component, ComponentId, Tracking as _};
use crate::storage::{ComponentStore, Storage};
use crate::tick::{Tick, Window};
use crate::world::{BorrowError, World, borrow, borrow_mut};

/// A view without the type of its values; `B` is the run-time borrow that it has.
pub(crate) struct RawView<'w, B> {
    pub(super) storage: &'w Storage,
    /// `None` only if the component is not registered.
    pub(super) store: Option<&'w ComponentStore>,
    /// Invariant 1: a borrow of `store`, released on drop; `None` where it is held elsewhere for at least `'w`, or nothing
    /// conflicts with it as long as `'w`.
    _borrow: Option<B>,
    pub(super) window: Window,
}

/// As of `Comp`.
pub(crate) type RawShared<'w> = RawView<'w, SharedBorrow<'w>>;
/// As of `CompMut`.
pub(crate) type RawExclusive<'w> = RawView<'w, ExclusiveBorrow<'w>>;

impl<'w, B> RawView<'w, B> {
    /// A second one that relies on this one's run-time borrow.
    #[inline]
    pub(super) fn unlocked<'b>(&'b self) -> RawView<'b, B> {
        // Invariant 1: this one, which is borrowed as long as `'b`, has it, or relies on who has it for longer.
        RawView {
            storage: self.storage,
            store: self.store,
            _borrow: None,
            window: self.window,
        }
    }
}

/// Which component a view is of.
#[derive(Clone, Copy)]
pub(crate) struct Viewed {
    id: ComponentId,
    tracked: bool,
}

impl Viewed {
    /// `T`.
    #[inline]
    pub(crate) fn of<T: Component>() -> Self {
        Self {
            // Only looked up: where there is no id yet the world has no value.
            id: ComponentId::of_known::<T>(),
            tracked: T::Tracking::TRACKED,
        }
    }

    /// The component.
    #[inline]
    pub(crate) fn id(self) -> ComponentId {
        self.id
    }
}

impl World {
    /// Borrows a component for reading; `last` is the tick of the borrower's last lock, if it remembers, and becomes that of
    /// this one.
    ///
    /// # Errors
    /// If the component is being written.
    #[inline]
    pub(crate) fn view_raw(
        &self,
        viewed: Viewed,
        last: Option<&mut Tick>,
    ) -> Result<RawShared<'_>, BorrowError> {
        // Nothing can be borrowed where there is nothing.
        let store = self.storage.component(viewed.id);
        let borrow = store.map(borrow).transpose()?;
        Ok(RawView {
            storage: &self.storage,
            store,
            _borrow: borrow,
            window: self.window(viewed, last),
        })
    }

    /// As [`view_raw`](Self::view_raw), for writing.
    ///
    /// # Errors
    /// If the component is being read or written.
    #[inline]
    pub(crate) fn view_mut_raw(
        &self,
        viewed: Viewed,
        last: Option<&mut Tick>,
    ) -> Result<RawExclusive<'_>, BorrowError> {
        let store = self.storage.component(viewed.id);
        let borrow = store.map(borrow_mut).transpose()?;
        Ok(RawView {
            storage: &self.storage,
            store,
            _borrow: borrow,
            window: self.window(viewed, last),
        })
    }

    /// As [`view_raw`](Self::view_raw) or [`view_mut_raw`](Self::view_mut_raw), without a run-time borrow.
    ///
    /// # Safety
    /// As long as the view, which borrows `self`, the borrow `B` of the component is held elsewhere, or nothing conflicts with it.
    #[inline]
    pub(crate) unsafe fn view_unlocked<B>(
        &self,
        viewed: Viewed,
        last: Option<&mut Tick>,
    ) -> RawView<'_, B> {
        RawView {
            storage: &self.storage,
            store: self.storage.component(viewed.id),
            _borrow: None,
            window: self.window(viewed, last),
        }
    }

    /// The window of a view that was just locked.
    #[inline]
    fn window(&self, viewed: Viewed, last: Option<&mut Tick>) -> Window {
        if viewed.tracked {
            self.storage.clock.window(last)
        } else {
            Window::NONE
        }
    }
}
