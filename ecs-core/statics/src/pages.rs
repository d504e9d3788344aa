//! The values of one component of a closed world.
//!
//! # How a closed world works
//! `world!` (`ecs-macros/src/world`) makes a struct with a field `Pages<T>` per component and an impl of `ComponentOf<World>`
//! for each type that leads to the field: that impl is the look-up, and two for one type do not compile. `pages.rs` keeps 64
//! values and a word of bits per page. `system!` looks up its parameters one by one, so that each error has its span
//! (`lookup.rs`), and makes an `Item` type of them. `iterate.rs` *ands* the words of the items and passes full blocks of rows
//! to the compiler like the engine's joins. `World` only shares the allocator of ids (`entity/ids.rs`); on a `World` the same
//! macro runs a query (`open.rs`).
//!
//! Pages by index instead of tables have three advantages. There is no look-up by type, so a spawn costs its writes; memory
//! grows without being copied; a component is inserted and removed by one bit. Instructions per entity, release, callgrind:
//! spawn of four components (100 bytes) 205 (five growing `Vec`s 211, `World` 381), insert and remove 64 (742 in tables),
//! despawn and spawn 407 (599; a `World` has become a fifth faster since), get 25 (24), `position += velocity` 4.5 (3.8).

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::mem::{self, MaybeUninit};
use core::ptr;

/// The number of rows of a page: one per bit of a word.
pub(crate) const ROWS: usize = u64::BITS as usize;

/// The values of one component, by the index of their entity.
#[doc(hidden)]
pub struct Pages<T> {
    pages: Vec<Page<T>>,
}

/// The values of up to 64 neighbouring indices.
struct Page<T> {
    /// Invariant 1: null, or from a `Box<MaybeUninit<[T; ROWS]>>` that the page owns.
    values: *mut T,
    /// Invariant 2: bit `row` is set if and only if value `row` is initialised; 0 while `values` is null.
    present: u64,
}

// SAFETY: by invariant 1 a page owns its values as a `Box` does.
unsafe impl<T: Send> Send for Page<T> {}
// SAFETY: a shared page only returns shared references, and pointers (`Pages::start`) that need unsafe code to use.
unsafe impl<T: Sync> Sync for Page<T> {}

impl<T> Page<T> {
    const EMPTY: Self = Self {
        values: ptr::null_mut(),
        present: 0,
    };

    #[inline]
    fn has(&self, row: usize) -> bool {
        self.present & (1 << row) != 0
    }

    /// Returns the address of the value, if it is initialised.
    #[inline]
    fn value(&self, row: usize) -> Option<*mut T> {
        // SAFETY: the row is set, so by invariant 2 the page has memory, of `ROWS` values, and `row < ROWS`.
        self.has(row).then(|| unsafe { self.values.add(row) })
    }
}

impl<T> Drop for Page<T> {
    fn drop(&mut self) {
        /// Frees the memory when it is dropped, even during unwinding.
        struct PageMemory<T>(*mut T);

        impl<T> Drop for PageMemory<T> {
            fn drop(&mut self) {
                if !self.0.is_null() {
                    // SAFETY: by invariant 1 the memory is from such a `Box`; the page is dropped, so it is freed once.
                    drop(unsafe { Box::from_raw(self.0.cast::<MaybeUninit<[T; ROWS]>>()) });
                }
            }
        }

        /// Drops the values, including those after one whose `Drop` panics.
        struct PageRest<'a, T>(&'a mut Page<T>);

        impl<T> PageRest<'_, T> {
            fn run(&mut self) {
                while self.0.present != 0 {
                    let row = self.0.present.trailing_zeros() as usize;
                    drop(self.0.vacate(row));
                }
            }
        }

        impl<T> Drop for PageRest<'_, T> {
            fn drop(&mut self) {
                self.run();
            }
        }

        let _memory = PageMemory(self.values);
        if mem::needs_drop::<T>() {
            PageRest(self).run();
        }
    }
}

/// A value that its page no longer contains, and that is dropped in place.
#[doc(hidden)]
pub struct VacatedValue<'a, T> {
    page: PhantomData<&'a mut Page<T>>,
    /// Invariant 1: initialised, and not accessible otherwise while the page is borrowed.
    value: *mut T,
}

impl<T> Page<T> {
    /// Removes the value; it is dropped with the result.
    #[inline]
    fn vacate(&mut self, row: usize) -> Option<VacatedValue<'_, T>> {
        let value = self.value(row)?;
        self.present &= !(1 << row);
        Some(VacatedValue {
            page: PhantomData,
            value,
        })
    }
}

impl<T> VacatedValue<'_, T> {
    /// Moves the value out instead.
    #[inline]
    pub(crate) fn into_inner(self) -> T {
        let value = mem::ManuallyDrop::new(self).value;
        // SAFETY: by invariant 1 the value is initialised; `self` is forgotten, so it is not dropped here.
        unsafe { value.read() }
    }
}

impl<T> Drop for VacatedValue<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: by invariant 1 the value is initialised and unreachable; it is dropped once, with its guard.
        unsafe { self.value.drop_in_place() };
    }
}

/// Returns the page of an index, and the row in it.
#[inline]
pub(crate) const fn split(index: u32) -> (usize, usize) {
    (index as usize / ROWS, index as usize % ROWS)
}

/// Returns the index of a row of a page.
#[inline]
pub(crate) const fn index(page: usize, row: usize) -> u32 {
    (page * ROWS + row) as u32
}

impl<T> Pages<T> {
    /// Returns pages without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { pages: Vec::new() }
    }

    #[inline]
    fn value(&self, index: u32) -> Option<*mut T> {
        let (page, row) = split(index);
        self.pages.get(page)?.value(row)
    }

    #[inline]
    pub(crate) fn get(&self, index: u32) -> Option<&T> {
        // SAFETY: `Page::value` returns initialised values, and the reference borrows the pages.
        self.value(index).map(|value| unsafe { &*value })
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        // SAFETY: `Page::value` returns initialised values, and the reference borrows the pages exclusively.
        self.value(index).map(|value| unsafe { &mut *value })
    }

    #[inline]
    pub(crate) fn contains(&self, index: u32) -> bool {
        let (page, row) = split(index);
        self.pages.get(page).is_some_and(|page| page.has(row))
    }

    /// Returns the number of values. O(pages).
    pub(crate) fn len(&self) -> usize {
        let counts = self
            .pages
            .iter()
            .map(|page| page.present.count_ones() as usize);
        counts.sum()
    }

    /// Inserts a value into an empty row.
    #[inline]
    pub(crate) fn fill(&mut self, index: u32, value: T) {
        debug_assert!(!self.contains(index), "a new index has no values");
        let (page, row) = split(index);
        let page = match self.pages.get_mut(page) {
            Some(page) if !page.values.is_null() => page,
            _ => self.make(page),
        };
        // SAFETY: the page has memory (`make` if it had none), of `ROWS` values by invariant 1, and `row < ROWS`.
        let place = unsafe { page.values.add(row) };
        // SAFETY: `place` is inside the memory of the page, which the page owns by invariant 1.
        unsafe { place.write(value) };
        page.present |= 1 << row;
    }

    /// Inserts a value and returns the previous one.
    #[inline]
    pub(crate) fn replace(&mut self, index: u32, value: T) -> Option<T> {
        match self.get_mut(index) {
            Some(old) => Some(mem::replace(old, value)),
            None => {
                self.fill(index, value);
                None
            }
        }
    }

    /// Allocates the memory of a page, and returns the page.
    #[cold]
    #[inline(never)]
    fn make(&mut self, number: usize) -> &mut Page<T> {
        if number >= self.pages.len() {
            self.pages.resize_with(number + 1, || Page::EMPTY);
        }
        let page = &mut self.pages[number];
        if page.values.is_null() {
            page.values = Box::into_raw(Box::<[T; ROWS]>::new_uninit()).cast();
        }
        page
    }

    /// Removes a value; it is dropped with the result.
    #[inline]
    pub fn vacate(&mut self, index: u32) -> Option<VacatedValue<'_, T>> {
        let (page, row) = split(index);
        self.pages.get_mut(page)?.vacate(row)
    }

    /// Returns the number of pages.
    #[inline]
    pub(crate) fn end(&self) -> usize {
        self.pages.len()
    }

    /// Returns a bit for each row of the page that has a value.
    #[inline]
    pub(crate) fn word(&self, page: usize) -> u64 {
        self.pages.get(page).map_or(0, |page| page.present)
    }

    /// Returns the address of value 0 of the page; null if it has no memory.
    ///
    /// Writing through it requires exclusive access to the owner of the pages, although the pages are shared here.
    #[inline]
    pub(crate) fn start(&self, page: usize) -> *mut T {
        self.pages
            .get(page)
            .map_or(ptr::null_mut(), |page| page.values)
    }
}

impl<T> Default for Pages<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} values", self.len())
    }
}
