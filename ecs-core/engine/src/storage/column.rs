//! A column: type-erased, contiguous values of one component type.

use alloc::alloc::{alloc, dealloc, handle_alloc_error, realloc};
use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};

use crate::component::{ComponentInfo, DropFn};
use crate::tick::CompactTick;

/// Memory for values of one type. The owner keeps the length and the capacity.
///
/// Values are moved by copying their bytes, as in every Rust move.
pub(crate) struct Column {
    /// Invariant 1: aligned for the type; allocated by `alloc` with the layout of `capacity` values unless that layout
    /// is empty.
    data: NonNull<u8>,
    layout: Layout,
    drop: Option<DropFn>,
}

// SAFETY: a column owns values of a component type, which is `Send + Sync`, and grants no access to them without
// `unsafe`.
unsafe impl Send for Column {}
// SAFETY: a shared column only returns addresses; reading or writing there needs `unsafe`. The values are `Send + Sync`.
unsafe impl Sync for Column {}

impl Column {
    /// Creates a column of values, without memory.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        Self::with_layout(info.layout, info.drop)
    }

    /// Creates a column of ticks, without memory.
    pub(crate) fn of_ticks() -> Self {
        Self::with_layout(Layout::new::<CompactTick>(), None)
    }

    pub(super) fn with_layout(layout: Layout, drop: Option<DropFn>) -> Self {
        Self {
            data: dangling(layout),
            layout,
            drop,
        }
    }

    /// The size of a value in bytes, which is also the stride.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// The function that drops values, if they need to be dropped.
    #[inline]
    pub(crate) fn drop_fn(&self) -> Option<DropFn> {
        self.drop
    }

    /// The address of the first value.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// Returns the address of value `row`.
    ///
    /// # Safety
    /// `row` is below the capacity.
    #[inline]
    pub(crate) unsafe fn row(&self, row: usize) -> *mut u8 {
        // SAFETY: `row` is below the capacity by the caller's contract, so the offset stays inside the allocation (or
        // is 0 for a zero-sized type).
        unsafe { self.data.as_ptr().add(row * self.layout.size()) }
    }

    /// Returns the first `len` values of a column of ticks.
    ///
    /// # Safety
    /// The column was created by [`of_ticks`](Self::of_ticks), and these values are initialised and not accessed
    /// otherwise.
    pub(crate) unsafe fn ticks_mut(&mut self, len: usize) -> &mut [CompactTick] {
        let ticks = ptr::slice_from_raw_parts_mut(self.data.as_ptr().cast(), len);
        // SAFETY: the column holds ticks, and the first `len` are initialised and not accessed otherwise, by the caller's
        // contract.
        unsafe { &mut *ticks }
    }

    /// # Panics
    /// If `capacity` values do not fit into the address space.
    pub(crate) fn check_capacity(&self, capacity: usize) {
        let _ = array_layout(self.layout, capacity);
    }

    /// Grows the memory from `old` to `new` values.
    ///
    /// # Safety
    /// `old` is the capacity; `old < new`.
    ///
    /// # Panics
    /// If `new` values do not fit into the address space; in that case nothing has changed.
    pub(crate) unsafe fn grow(&mut self, old: usize, new: usize) {
        if self.layout.size() == 0 {
            return;
        }
        let layout = array_layout(self.layout, new);
        let data = if old == 0 {
            // SAFETY: the layout is not empty: neither the type's size nor `new` is 0.
            unsafe { alloc(layout) }
        } else {
            let before = array_layout(self.layout, old);
            // SAFETY: the memory was allocated for the capacity (invariant 1), which is `old` by the caller's contract; the
            // new size was checked by `array_layout`, and is not 0 because it is larger.
            unsafe { realloc(self.data.as_ptr(), before, layout.size()) }
        };
        self.data = NonNull::new(data).unwrap_or_else(|| handle_alloc_error(layout));
    }

    /// Gives back the memory after the first `new` values.
    ///
    /// # Safety
    /// `old` is the capacity; `new <= old`. From now on `new` is the capacity.
    pub(crate) unsafe fn shrink(&mut self, old: usize, new: usize) {
        if new == 0 {
            // SAFETY: `old` is the capacity by the caller's contract, and 0 is the new one.
            unsafe { self.release(old) };
        } else if new < old && self.layout.size() > 0 {
            let (before, after) = (
                array_layout(self.layout, old),
                array_layout(self.layout, new),
            );
            // SAFETY: the memory was allocated for the capacity (invariant 1), which is `old` by the caller's contract;
            // the new size is neither 0 nor larger.
            let data = unsafe { realloc(self.data.as_ptr(), before, after.size()) };
            self.data = NonNull::new(data).unwrap_or_else(|| handle_alloc_error(after));
        }
    }

    /// Frees the memory. Values in it are not dropped.
    ///
    /// # Safety
    /// `capacity` is the capacity; from now on it is 0.
    pub(crate) unsafe fn release(&mut self, capacity: usize) {
        if self.layout.size() == 0 || capacity == 0 {
            return;
        }
        let layout = array_layout(self.layout, capacity);
        // SAFETY: the memory was allocated for the capacity (invariant 1), which is `capacity` by the caller's
        // contract.
        unsafe { dealloc(self.data.as_ptr(), layout) };
        self.data = dangling(self.layout);
    }

    /// Moves the value in `last` to `row`, whose value was moved out.
    ///
    /// # Safety
    /// Both rows are below the capacity. The value in `last` is initialised, and counts as moved out afterwards unless
    /// `row == last`.
    #[inline]
    pub(crate) unsafe fn fill(&mut self, row: usize, last: usize) {
        // SAFETY: the caller's contract covers the rows.
        unsafe { self.fill_sized(self.size(), row, last) };
    }

    /// Like [`fill`](Self::fill), for values whose size may be known at compile time.
    ///
    /// # Safety
    /// As for [`fill`](Self::fill), and values have `size` bytes.
    #[inline(always)]
    pub(super) unsafe fn fill_sized(&mut self, size: usize, row: usize, last: usize) {
        debug_assert_eq!(size, self.size());
        if row != last {
            // SAFETY: the rows differ, and the rest is the contract of this function.
            unsafe { self.fill_other(size, row, last) };
        }
    }

    /// Like [`fill_sized`](Self::fill_sized), for two different rows.
    ///
    /// # Safety
    /// As for [`fill_sized`](Self::fill_sized); `row != last`.
    #[inline(always)]
    pub(super) unsafe fn fill_other(&mut self, size: usize, row: usize, last: usize) {
        // SAFETY: `row` is below the capacity, and values have `size` bytes, by the caller's contract.
        let target = unsafe { self.data.as_ptr().add(row * size) };
        // SAFETY: `last` is below the capacity, and values have `size` bytes, by the caller's contract.
        let source = unsafe { self.data.as_ptr().add(last * size) };
        // SAFETY: both rows are in this column's memory, and two different rows do not overlap.
        unsafe { copy_value(source, target, size) };
    }

    /// Fills each of `rows` with the last value, which shortens the column by one each time.
    ///
    /// # Safety
    /// There are `len` values, at least as many as `rows`, and each row is below the length at the time it is filled.
    /// The values in `rows` count as moved out.
    pub(super) unsafe fn fill_gaps(&mut self, rows: &[u32], len: usize) {
        /// Fills gaps in values of `SIZE` bytes, a size that is known at compile time.
        ///
        /// # Safety
        /// `values` points to the `len` values of the column, and each of `rows` is below the length at the time it is
        /// filled.
        unsafe fn sized<const SIZE: usize>(
            values: *mut MaybeUninit<[u8; SIZE]>,
            rows: &[u32],
            len: usize,
        ) {
            for (i, &row) in rows.iter().enumerate() {
                // SAFETY: `row` is below `len` by the caller's contract.
                let place = unsafe { values.add(row as usize) };
                // SAFETY: there are at least as many values as `rows` by the caller's contract, so `i` is below `len`.
                let last = unsafe { values.add(len - 1 - i) };
                // SAFETY: both are values of this column; `copy_from` allows them to be the same.
                unsafe { place.copy_from(last, 1) };
            }
        }
        let values = self.data.as_ptr();
        match self.layout.size() {
            0 => {}
            // SAFETY: values have 4 bytes; this function's contract covers the rows.
            4 => unsafe { sized::<4>(values.cast(), rows, len) },
            // SAFETY: values have 8 bytes; this function's contract covers the rows.
            8 => unsafe { sized::<8>(values.cast(), rows, len) },
            // SAFETY: values have 12 bytes; this function's contract covers the rows.
            12 => unsafe { sized::<12>(values.cast(), rows, len) },
            // SAFETY: values have 16 bytes; this function's contract covers the rows.
            16 => unsafe { sized::<16>(values.cast(), rows, len) },
            // SAFETY: values have 64 bytes; this function's contract covers the rows.
            64 => unsafe { sized::<64>(values.cast(), rows, len) },
            _ => {
                for (i, &row) in rows.iter().enumerate() {
                    // SAFETY: both are rows below `len`, which is at most the capacity, by the caller's contract.
                    unsafe { self.fill(row as usize, len - 1 - i) };
                }
            }
        }
    }

    /// Moves the values of `rows` to the rows of `target` from `first` on, and [fills](Self::fill_gaps) the gaps.
    ///
    /// # Safety
    /// There are `len` values, at least as many as `rows`, and each row is below the length at the time it is filled.
    /// The target is another column of values of the same type, with memory for as many values from `first` on.
    pub(super) unsafe fn move_rows(
        &mut self,
        rows: &[u32],
        len: usize,
        target: &Self,
        first: usize,
    ) {
        /// Moves values of `SIZE` bytes, a size that is known at compile time.
        ///
        /// # Safety
        /// `values` points to the `len` values of the column, and each of `rows` is below the length at the time it is
        /// filled. `into` points to memory of another column for as many values as `rows`.
        unsafe fn sized<const SIZE: usize>(
            values: *mut MaybeUninit<[u8; SIZE]>,
            rows: &[u32],
            len: usize,
            into: *mut MaybeUninit<[u8; SIZE]>,
        ) {
            for (i, &row) in rows.iter().enumerate() {
                // SAFETY: `row` is below `len` by the caller's contract.
                let place = unsafe { values.add(row as usize) };
                // SAFETY: there are at least as many values as `rows` by the caller's contract, so `i` is below `len`.
                let last = unsafe { values.add(len - 1 - i) };
                // SAFETY: there is memory for as many values as `rows` by the caller's contract.
                let target = unsafe { into.add(i) };
                // SAFETY: both are valid for one value, and are in different columns.
                unsafe { target.copy_from_nonoverlapping(place, 1) };
                // SAFETY: both are values of this column; `copy_from` allows them to be the same.
                unsafe { place.copy_from(last, 1) };
            }
        }
        // SAFETY: the target has memory from `first` on by the caller's contract.
        let into = unsafe { target.row(first) };
        let values = self.data.as_ptr();
        match self.layout.size() {
            0 => {}
            // SAFETY: values have 4 bytes; this function's contract covers the rows and the memory.
            4 => unsafe { sized::<4>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 8 bytes; this function's contract covers the rows and the memory.
            8 => unsafe { sized::<8>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 12 bytes; this function's contract covers the rows and the memory.
            12 => unsafe { sized::<12>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 16 bytes; this function's contract covers the rows and the memory.
            16 => unsafe { sized::<16>(values.cast(), rows, len, into.cast()) },
            size => {
                for (i, &row) in rows.iter().enumerate() {
                    // SAFETY: `row` is below `len` by the caller's contract.
                    let place = unsafe { self.row(row as usize) };
                    // SAFETY: the target has memory for as many values as `rows`, from `first` on, by the caller's
                    // contract.
                    let target = unsafe { target.row(first + i) };
                    // SAFETY: both are valid for `size` bytes, and are in different columns.
                    unsafe { copy_value(place, target, size) };
                    // SAFETY: the value in `row` was just moved out, and `len - 1 - i` is the last row by the caller's
                    // contract.
                    unsafe { self.fill(row as usize, len - 1 - i) };
                }
            }
        }
    }

    /// Moves the values of `rows` to as many rows from `first` on, through a buffer.
    ///
    /// # Safety
    /// The rows from `first` on, `rows.len()` of them, occur once each in `rows`, and have values. The buffer has room for
    /// these values.
    pub(super) unsafe fn reorder(
        &mut self,
        first: usize,
        rows: &[u32],
        buffer: &mut [MaybeUninit<u8>],
    ) {
        /// Copies values of `SIZE` bytes, a size that is known at compile time.
        ///
        /// # Safety
        /// `values` is readable for a value in each of `rows`, and `into` is writable for as many values as `rows`,
        /// elsewhere.
        unsafe fn gather<const SIZE: usize>(
            values: *const MaybeUninit<[u8; SIZE]>,
            rows: &[u32],
            into: *mut MaybeUninit<[u8; SIZE]>,
        ) {
            for (i, &row) in rows.iter().enumerate() {
                // SAFETY: there is a value in `row` by the caller's contract.
                let value = unsafe { values.add(row as usize) };
                // SAFETY: there is memory for as many values as `rows` by the caller's contract.
                let place = unsafe { into.add(i) };
                // SAFETY: both are valid for one value, and do not overlap, by the caller's contract.
                unsafe { place.copy_from_nonoverlapping(value, 1) };
            }
        }
        let size = self.layout.size();
        debug_assert!(buffer.len() >= rows.len() * size);
        let (values, into) = (self.data.as_ptr(), buffer.as_mut_ptr());
        match size {
            0 => return,
            // SAFETY: values have 4 bytes, each of `rows` has one, and the buffer has memory for them, by the caller's
            // contract.
            4 => unsafe { gather::<4>(values.cast(), rows, into.cast()) },
            // SAFETY: values have 8 bytes; the rest is as above.
            8 => unsafe { gather::<8>(values.cast(), rows, into.cast()) },
            // SAFETY: values have 12 bytes; the rest is as above.
            12 => unsafe { gather::<12>(values.cast(), rows, into.cast()) },
            // SAFETY: values have 16 bytes; the rest is as above.
            16 => unsafe { gather::<16>(values.cast(), rows, into.cast()) },
            // SAFETY: values have 64 bytes; the rest is as above.
            64 => unsafe { gather::<64>(values.cast(), rows, into.cast()) },
            size => {
                for (i, &row) in rows.iter().enumerate() {
                    // SAFETY: `row` has a value by the caller's contract, so it is below the capacity.
                    let value = unsafe { self.row(row as usize) };
                    // SAFETY: the buffer has memory for as many values as `rows` by the caller's contract.
                    let place = unsafe { into.add(i * size) };
                    // SAFETY: both are valid for `size` bytes, one in the column and one in the buffer.
                    unsafe { copy_value(value, place.cast(), size) };
                }
            }
        }
        // SAFETY: the rows from `first` on have values by the caller's contract, so they are below the capacity.
        let target = unsafe { self.row(first) };
        // SAFETY: the buffer holds as many values as `rows`. Each was in one of these rows, and each row occurs once by the
        // caller's contract: the rows are overwritten after they were copied, and no value is lost or doubled.
        unsafe { target.copy_from_nonoverlapping(into.cast(), rows.len() * size) };
    }

    /// Swaps two values.
    ///
    /// # Safety
    /// Both rows are below the capacity.
    pub(crate) unsafe fn swap(&mut self, a: usize, b: usize) {
        if a != b {
            // SAFETY: `a` is below the capacity by the caller's contract.
            let first = unsafe { self.row(a) };
            // SAFETY: `b` is below the capacity by the caller's contract.
            let second = unsafe { self.row(b) };
            // SAFETY: both rows are in this column's memory, and two different rows do not overlap.
            unsafe { ptr::swap_nonoverlapping(first, second, self.layout.size()) };
        }
    }
}

/// Copies a value of `size` bytes.
///
/// Most components are small, and a call of `memcpy` costs more than copying them: values of 4 to 16 bytes are copied
/// by two loads and two stores that may overlap (as `MaybeUninit`, since a value may have padding).
///
/// # Safety
/// `source` is readable and `target` writable for `size` bytes, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_value(source: *const u8, target: *mut u8, size: usize) {
    /// # Safety
    /// `source` is readable and `target` writable for `size` bytes, which are at least the bytes of a `Word`.
    #[inline]
    unsafe fn ends<Word: Copy>(source: *const u8, target: *mut u8, size: usize) {
        let rest = size - size_of::<Word>();
        // SAFETY: `source` is readable for `size` bytes by the caller's contract, and `rest` is at most `size`.
        let source_rest = unsafe { source.add(rest) };
        // SAFETY: `target` is writable for `size` bytes by the caller's contract, and `rest` is at most `size`.
        let target_rest = unsafe { target.add(rest) };
        // SAFETY: `source` is readable for at least the bytes of a `Word` by the caller's contract.
        let first = unsafe { source.cast::<Word>().read_unaligned() };
        // SAFETY: `rest` plus the bytes of a `Word` is `size`, for which `source` is readable by the caller's contract.
        let second = unsafe { source_rest.cast::<Word>().read_unaligned() };
        // SAFETY: `target` is writable for at least the bytes of a `Word` by the caller's contract.
        unsafe { target.cast::<Word>().write_unaligned(first) };
        // SAFETY: `rest` plus the bytes of a `Word` is `size`, for which `target` is writable by the caller's contract.
        unsafe { target_rest.cast::<Word>().write_unaligned(second) };
    }
    match size {
        // SAFETY: both pointers are valid for `size` bytes by the caller's contract, which are at least 8.
        8..=16 => unsafe { ends::<MaybeUninit<u64>>(source, target, size) },
        // SAFETY: both pointers are valid for `size` bytes by the caller's contract, which are at least 4.
        4..=7 => unsafe { ends::<MaybeUninit<u32>>(source, target, size) },
        // SAFETY: both pointers are valid for `size` bytes and do not overlap, by the caller's contract.
        _ => unsafe { ptr::copy_nonoverlapping(source, target, size) },
    }
}

fn dangling(layout: Layout) -> NonNull<u8> {
    NonNull::without_provenance(layout.align().try_into().expect("an alignment is not zero"))
}

fn array_layout(item: Layout, len: usize) -> Layout {
    let size = item.size().checked_mul(len);
    size.and_then(|size| Layout::from_size_align(size, item.align()).ok())
        .expect("capacity overflow: the values do not fit into the address space")
}
