//! The values of one component of a closed world.

use core::fmt;
use core::mem::{self, MaybeUninit};
use core::ptr;

/// How many entities share a page: as many as a word has bits.
pub(crate) const ROWS: usize = u64::BITS as usize;

/// The values of one component, found by the index of their entity.
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

// SAFETY: a page owns its values as a `Box` would.
unsafe impl<T: Send> Send for Page<T> {}
// SAFETY: a shared page gives out shared references alone; see `Pages::start` for the one pointer.
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

    /// The place of the value, if it is initialised.
    #[inline]
    fn value(&self, row: usize) -> Option<*mut T> {
        // SAFETY: by invariant 2 the page has memory, of `ROWS` values, of which `row` is one.
        self.has(row).then(|| unsafe { self.values.add(row) })
    }
}

impl<T> Drop for Page<T> {
    fn drop(&mut self) {
        /// Gives the memory back when it is dropped, be it by a panic.
        struct Memory<T>(*mut T);

        impl<T> Drop for Memory<T> {
            fn drop(&mut self) {
                if !self.0.is_null() {
                    // SAFETY: by invariant 1 of the page, which is gone.
                    drop(unsafe { Box::from_raw(self.0.cast::<MaybeUninit<[T; ROWS]>>()) });
                }
            }
        }

        /// Drops the values, and goes on with the rest after a panic.
        struct Rest<'a, T>(&'a mut Page<T>);

        impl<T> Rest<'_, T> {
            fn run(&mut self) {
                while self.0.present != 0 {
                    let row = self.0.present.trailing_zeros() as usize;
                    drop(self.0.vacate(row));
                }
            }
        }

        impl<T> Drop for Rest<'_, T> {
            fn drop(&mut self) {
                self.run();
            }
        }

        let _memory = Memory(self.values);
        if mem::needs_drop::<T>() {
            Rest(self).run();
        }
    }
}

/// A value that is out of the books already, and is dropped where it lies.
#[doc(hidden)]
pub struct Vacated<'a, T> {
    page: core::marker::PhantomData<&'a mut Page<T>>,
    /// Invariant 1: initialised, and reachable from nowhere else while the page is borrowed.
    value: *mut T,
}

impl<T> Page<T> {
    /// Takes the value out of the books.
    #[inline]
    fn vacate(&mut self, row: usize) -> Option<Vacated<'_, T>> {
        let value = self.value(row)?;
        self.present &= !(1 << row);
        Some(Vacated {
            page: core::marker::PhantomData,
            value,
        })
    }
}

impl<T> Vacated<'_, T> {
    /// Moves the value out instead.
    #[inline]
    pub(super) fn into_inner(self) -> T {
        let value = mem::ManuallyDrop::new(self).value;
        // SAFETY: by invariant 1; `self` is forgotten, so nobody drops the value.
        unsafe { value.read() }
    }
}

impl<T> Drop for Vacated<'_, T> {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: by invariant 1; once, as the guard is gone.
        unsafe { self.value.drop_in_place() };
    }
}

/// The page of an index, and the row in it.
#[inline]
pub(super) const fn split(index: u32) -> (usize, usize) {
    (index as usize / ROWS, index as usize % ROWS)
}

/// The index of a row of a page.
#[inline]
pub(super) const fn index(page: usize, row: usize) -> u32 {
    (page * ROWS + row) as u32
}

impl<T> Pages<T> {
    /// Without values.
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
    pub(super) fn get(&self, index: u32) -> Option<&T> {
        // SAFETY: the value is initialised, and borrowed as the pages are.
        self.value(index).map(|value| unsafe { &*value })
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: u32) -> Option<&mut T> {
        // SAFETY: the value is initialised, and borrowed as the pages are, which is exclusively.
        self.value(index).map(|value| unsafe { &mut *value })
    }

    #[inline]
    pub(super) fn contains(&self, index: u32) -> bool {
        let (page, row) = split(index);
        self.pages.get(page).is_some_and(|page| page.has(row))
    }

    /// The number of values. O(pages).
    pub(super) fn len(&self) -> usize {
        let counts = self
            .pages
            .iter()
            .map(|page| page.present.count_ones() as usize);
        counts.sum()
    }

    /// Puts a value where there is none.
    #[inline]
    pub(super) fn fill(&mut self, index: u32, value: T) {
        debug_assert!(!self.contains(index), "an index that is new has no values");
        let (page, row) = split(index);
        let page = match self.pages.get_mut(page) {
            Some(page) if !page.values.is_null() => page,
            _ => self.make(page),
        };
        // SAFETY: the page has memory, of `ROWS` values (invariant 1), of which `row` is one.
        let place = unsafe { page.values.add(row) };
        // SAFETY: as above, and the place is free.
        unsafe { place.write(value) };
        page.present |= 1 << row;
    }

    /// Puts a value, and hands back the one that was there.
    #[inline]
    pub(super) fn replace(&mut self, index: u32, value: T) -> Option<T> {
        match self.get_mut(index) {
            Some(old) => Some(mem::replace(old, value)),
            None => {
                self.fill(index, value);
                None
            }
        }
    }

    /// The page, with memory.
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

    /// Takes a value out; it is dropped with what is returned.
    #[inline]
    pub fn vacate(&mut self, index: u32) -> Option<Vacated<'_, T>> {
        let (page, row) = split(index);
        self.pages.get_mut(page)?.vacate(row)
    }

    /// The number of pages; there are no values beyond.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.pages.len()
    }

    /// Which rows of the page have a value.
    #[inline]
    pub(super) fn word(&self, page: usize) -> u64 {
        self.pages.get(page).map_or(0, |page| page.present)
    }

    /// Value 0 of the page; null if it has no memory.
    ///
    /// To write through it needs exclusive access to whatever owns the pages, although the pages themselves are shared.
    #[inline]
    pub(super) fn start(&self, page: usize) -> *mut T {
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
