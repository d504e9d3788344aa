//! `World` gives out views.

use super::{Comp, CompMut, Entities};
use crate::borrow::{ExclusiveBorrow, SharedBorrow};
use crate::component::{Component, ComponentId, Tracking as _};
use crate::storage::ComponentStore;
use crate::tick::{Tick, Window};
use crate::world::{BorrowError, World};

/// The store of a component that the world has seen, and a borrow of it.
type Borrowed<'w, B> = (Option<&'w ComponentStore>, Option<B>);

impl World {
    /// All `T`s, to read.
    ///
    /// # Panics
    /// If `T` is being written through another view, query or reference; [`try_view`](Self::try_view) returns an error
    /// instead.
    #[track_caller]
    #[must_use]
    pub fn view<T: Component>(&self) -> Comp<'_, T> {
        self.try_view().unwrap_or_else(|error| panic!("{error}"))
    }

    /// All `T`s, to write. Views of different components can be had at once.
    ///
    /// # Panics
    /// If `T` is being read or written through another view, query or reference; [`try_view_mut`](Self::try_view_mut)
    /// returns an error instead.
    #[track_caller]
    #[must_use]
    pub fn view_mut<T: Component>(&self) -> CompMut<'_, T> {
        self.try_view_mut()
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// All `T`s, to read.
    ///
    /// # Errors
    /// If `T` is being written through another view, query or reference.
    pub fn try_view<T: Component>(&self) -> Result<Comp<'_, T>, BorrowError> {
        self.view_since(None)
    }

    /// All `T`s, to read; `last` is the tick of the borrower's last lock, if it remembers, and becomes that of this one.
    #[inline]
    pub(crate) fn view_since<T: Component>(
        &self,
        last: Option<&mut Tick>,
    ) -> Result<Comp<'_, T>, BorrowError> {
        let (store, borrow) = self.to_read(ComponentId::of::<T>())?;
        let window = self.window::<T>(last);
        // SAFETY: the store is found by the id of `T`, and the borrow is one of its flag.
        Ok(unsafe { Comp::new(&self.storage, store, borrow, window) })
    }

    /// As [`view_since`](Self::view_since), without a run-time borrow.
    ///
    /// # Safety
    /// Nobody writes a `T` while the view lives.
    #[inline]
    pub(crate) unsafe fn view_unlocked<T: Component>(
        &self,
        last: Option<&mut Tick>,
    ) -> Comp<'_, T> {
        let store = self.storage.component(ComponentId::of::<T>());
        let window = self.window::<T>(last);
        // SAFETY: the store is found by the id of `T`; the caller's promise stands for the borrow.
        unsafe { Comp::new(&self.storage, store, None, window) }
    }

    /// All `T`s, to write.
    ///
    /// # Errors
    /// If `T` is being read or written through another view, query or reference.
    pub fn try_view_mut<T: Component>(&self) -> Result<CompMut<'_, T>, BorrowError> {
        self.view_mut_since(None)
    }

    /// As [`view_since`](Self::view_since), to write.
    #[inline]
    pub(crate) fn view_mut_since<T: Component>(
        &self,
        last: Option<&mut Tick>,
    ) -> Result<CompMut<'_, T>, BorrowError> {
        let (store, borrow) = self.to_write(ComponentId::of::<T>())?;
        let window = self.window::<T>(last);
        // SAFETY: the store is found by the id of `T`, and the borrow is one of its flag.
        Ok(unsafe { CompMut::new(&self.storage, store, borrow, window) })
    }

    /// As [`view_unlocked`](Self::view_unlocked), to write.
    ///
    /// # Safety
    /// Nobody else uses a `T` while the view lives.
    #[inline]
    pub(crate) unsafe fn view_mut_unlocked<T: Component>(
        &self,
        last: Option<&mut Tick>,
    ) -> CompMut<'_, T> {
        let store = self.storage.component(ComponentId::of::<T>());
        let window = self.window::<T>(last);
        // SAFETY: the store is found by the id of `T`; the caller's promise stands for the borrow.
        unsafe { CompMut::new(&self.storage, store, None, window) }
    }

    /// The store of a component, borrowed for reading; what views have in common, compiled once.
    #[inline]
    fn to_read(
        &self,
        component: ComponentId,
    ) -> Result<Borrowed<'_, SharedBorrow<'_>>, BorrowError> {
        // Nothing can be borrowed where there is nothing.
        let Some(store) = self.storage.component(component) else {
            return Ok((None, None));
        };
        match store.flag.try_shared() {
            Some(borrow) => Ok((Some(store), Some(borrow))),
            None => Err(BorrowError {
                component: store.info.name,
                write: false,
            }),
        }
    }

    /// As [`to_read`](Self::to_read), for writing.
    #[inline]
    fn to_write(
        &self,
        component: ComponentId,
    ) -> Result<Borrowed<'_, ExclusiveBorrow<'_>>, BorrowError> {
        let Some(store) = self.storage.component(component) else {
            return Ok((None, None));
        };
        match store.flag.try_exclusive() {
            Some(borrow) => Ok((Some(store), Some(borrow))),
            None => Err(BorrowError {
                component: store.info.name,
                write: true,
            }),
        }
    }

    /// The window of a view that was just locked.
    #[inline]
    fn window<T: Component>(&self, last: Option<&mut Tick>) -> Window {
        if T::Tracking::TRACKED {
            self.storage.clock.window(last)
        } else {
            Window::NONE
        }
    }

    /// The ids of all entities.
    #[must_use]
    pub fn entities(&self) -> Entities<'_> {
        Entities::new(&self.storage)
    }
}
