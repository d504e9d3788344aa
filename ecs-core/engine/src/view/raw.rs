//! Views without the type of their values, so that most of their code is compiled once.

use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::component::{Component, ComponentId, Tracking as _};
use crate::storage::{ComponentStore, Storage};
use crate::tick::{Tick, Window};
use crate::world::{BorrowError, World, borrow, borrow_mut};

/// A view without the type of its values; `B` is the type of its run-time borrow.
pub(crate) struct RawView<'w, B> {
    pub(super) storage: &'w Storage,
    /// `None` only if the component is not registered.
    pub(super) store: Option<&'w ComponentStore>,
    /// Invariant 1: a borrow of `store`, released on drop; `None` if another owner holds it for at least `'w`, or no
    /// other code uses the component in a conflicting way as long as `'w`.
    _borrow: Option<B>,
    pub(super) window: Window,
}

/// The untyped view of a `Comp`.
pub(crate) type RawShared<'w> = RawView<'w, SharedBorrow<'w>>;
/// The untyped view of a `CompMut`.
pub(crate) type RawExclusive<'w> = RawView<'w, ExclusiveBorrow<'w>>;

impl<'w, B> RawView<'w, B> {
    /// Notes that the view belongs to a reader that has seen changes until `tick`.
    pub(super) fn note_late(&self, id: ComponentId, tick: Tick) {
        let now = self.storage.clock.tick_of(self.window.now);
        note_late(self.storage, id, tick, now);
    }

    /// Returns a second view that relies on this one's run-time borrow.
    #[inline]
    pub(super) fn unlocked<'b>(&'b self) -> RawView<'b, B> {
        // Invariant 1: this view, which is borrowed for `'b`, holds the borrow, or relies on an owner that holds
        // it longer.
        RawView {
            storage: self.storage,
            store: self.store,
            _borrow: None,
            window: self.window,
        }
    }
}

/// The component of a view.
#[derive(Clone, Copy)]
pub(crate) struct Viewed {
    id: ComponentId,
    tracked: bool,
}

impl Viewed {
    /// Describes `T`.
    #[inline]
    pub(crate) fn of<T: Component>() -> Self {
        Self {
            // Not registered here: without an id the world has no values of the component.
            id: ComponentId::of_known::<T>(),
            tracked: T::Tracking::TRACKED,
        }
    }

    /// Describes a component whose type is not known.
    #[inline]
    pub(crate) fn of_id(id: ComponentId) -> Self {
        Self {
            id,
            tracked: id.info().tracked,
        }
    }

    /// Returns the id of the component.
    #[inline]
    pub(crate) fn id(self) -> ComponentId {
        self.id
    }
}

impl World {
    /// Borrows a component for reading. `last` is the tick of the borrower's last lock, if it stores one, and is set to the
    /// tick of this lock.
    ///
    /// # Errors
    /// If the component is borrowed for writing.
    #[inline]
    pub(crate) fn view_raw(
        &self,
        viewed: Viewed,
        last: Option<&mut Tick>,
    ) -> Result<RawShared<'_>, BorrowError> {
        // A component without a store has no values to borrow.
        let store = self.storage.component(viewed.id);
        let borrow = store.map(borrow).transpose()?;
        Ok(RawView {
            storage: &self.storage,
            store,
            _borrow: borrow,
            window: self.window(viewed, last),
        })
    }

    /// Like [`view_raw`](Self::view_raw), for writing.
    ///
    /// # Errors
    /// If the component is borrowed for reading or writing.
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

    /// Like [`view_raw`](Self::view_raw) or [`view_mut_raw`](Self::view_mut_raw), without a run-time borrow.
    ///
    /// # Safety
    /// As long as the view lives, which borrows `self`, another owner holds the borrow `B` of the component, or no other
    /// code uses the component in a conflicting way.
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

    /// Returns the window of a view that was just locked.
    #[inline]
    fn window(&self, viewed: Viewed, last: Option<&mut Tick>) -> Window {
        if viewed.tracked {
            let Some(last) = last else {
                return self.storage.clock.window(None);
            };
            let before = *last;
            let window = self.storage.clock.window(Some(last));
            if self.storage.any_disabled_since(before) {
                note_late(&self.storage, viewed.id, before, *last);
            }
            window
        } else {
            Window::NONE
        }
    }
}

/// Notes a run of a view that leaves out entities that were disabled since its last run.
#[cold]
#[inline(never)]
fn note_late(storage: &Storage, id: ComponentId, last: Tick, now: Tick) {
    let info = id.info();
    // Loops over a component that disables visit disabled entities.
    if !info.disables {
        storage.note_late_reader(info.more.ident, last, now);
    }
}
