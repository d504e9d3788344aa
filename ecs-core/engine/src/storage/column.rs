//! A column: the values of one component type, one behind the other, without the type.

use core::alloc::Layout;
use core::mem::MaybeUninit;
use core::ptr::{self, NonNull};
use std::alloc::{alloc, dealloc, handle_alloc_error, realloc};

use crate::component::{ComponentInfo, DropFn};
use crate::tick::CompactTick;

/// Memory for values of one type. Its owner knows how many there are and how many fit.
///
/// Values are moved as bytes, which for Rust values is what a move is.
pub(crate) struct Column {
    /// Invariant 1: aligned for the type; from `alloc` with the layout of `capacity` values where that is not empty.
    data: NonNull<u8>,
    layout: Layout,
    drop: Option<DropFn>,
}

// SAFETY: a column owns values of a component type, which is `Send + Sync`, and gives no access without `unsafe`.
unsafe impl Send for Column {}
// SAFETY: a shared column gives out addresses alone; who reads or writes there needs `unsafe`. The values are `Send + Sync`.
unsafe impl Sync for Column {}

impl Column {
    /// A column of values, without memory.
    pub(crate) fn new(info: &ComponentInfo) -> Self {
        Self::with_layout(info.layout, info.drop)
    }

    /// A column of ticks, without memory.
    pub(crate) fn of_stamps() -> Self {
        Self::with_layout(Layout::new::<CompactTick>(), None)
    }

    fn with_layout(layout: Layout, drop: Option<DropFn>) -> Self {
        Self {
            data: dangling(layout),
            layout,
            drop,
        }
    }

    /// The size of a value in bytes, which is also the distance between two.
    #[inline]
    pub(crate) fn size(&self) -> usize {
        self.layout.size()
    }

    /// How a value is dropped, if it needs to be.
    #[inline]
    pub(crate) fn drop_fn(&self) -> Option<DropFn> {
        self.drop
    }

    /// The first value's place.
    #[inline]
    pub(crate) fn data(&self) -> NonNull<u8> {
        self.data
    }

    /// The place of value `row`.
    ///
    /// # Safety
    /// `row` is below the capacity.
    #[inline]
    pub(crate) unsafe fn row(&self, row: usize) -> *mut u8 {
        // SAFETY: the caller promises that the row fits, so the offset stays inside the allocation (or is 0 for a
        // zero-sized type).
        unsafe { self.data.as_ptr().add(row * self.layout.size()) }
    }

    /// The first `len` values of a column of ticks.
    ///
    /// # Safety
    /// It was made by [`of_stamps`](Self::of_stamps), and these values are initialised and not used otherwise.
    pub(crate) unsafe fn stamps_mut(&mut self, len: usize) -> &mut [CompactTick] {
        let stamps = ptr::slice_from_raw_parts_mut(self.data.as_ptr().cast(), len);
        // SAFETY: the caller promises a column of ticks, so many of them initialised and not used otherwise.
        unsafe { &mut *stamps }
    }

    /// # Panics
    /// If `capacity` values do not fit into the address space.
    pub(crate) fn check_capacity(&self, capacity: usize) {
        let _ = array_layout(self.layout, capacity);
    }

    /// Makes room for `new` values instead of `old`.
    ///
    /// # Safety
    /// `old` is the capacity; `old < new`.
    ///
    /// # Panics
    /// If `new` values do not fit into the address space; nothing has changed then.
    pub(crate) unsafe fn grow(&mut self, old: usize, new: usize) {
        if self.layout.size() == 0 {
            return;
        }
        let layout = array_layout(self.layout, new);
        let data = if old == 0 {
            // SAFETY: the layout is not empty, as neither the type nor `new` is.
            unsafe { alloc(layout) }
        } else {
            let before = array_layout(self.layout, old);
            // SAFETY: by invariant 1 the memory was allocated for the capacity, which the caller promises to be `old`; the new
            // size is not zero, as it is larger, and `array_layout` has checked it.
            unsafe { realloc(self.data.as_ptr(), before, layout.size()) }
        };
        self.data = NonNull::new(data).unwrap_or_else(|| handle_alloc_error(layout));
    }

    /// Gives the memory back. Values in it are not dropped.
    ///
    /// # Safety
    /// `capacity` is the capacity, which is 0 from now on.
    pub(crate) unsafe fn release(&mut self, capacity: usize) {
        if self.layout.size() == 0 || capacity == 0 {
            return;
        }
        let layout = array_layout(self.layout, capacity);
        // SAFETY: by invariant 1 the memory was allocated for the capacity, which the caller promises to be this one.
        unsafe { dealloc(self.data.as_ptr(), layout) };
        self.data = dangling(self.layout);
    }

    /// Moves the value of `last` to `row`, where there was one that was moved out.
    ///
    /// # Safety
    /// Both are below the capacity, `last` is initialised and counts as moved out afterwards unless `row == last`.
    #[inline]
    pub(crate) unsafe fn fill(&mut self, row: usize, last: usize) {
        if row != last {
            // SAFETY: the caller promises that `row` fits.
            let target = unsafe { self.row(row) };
            // SAFETY: the caller promises that `last` fits.
            let source = unsafe { self.row(last) };
            // SAFETY: two different rows of one column do not overlap.
            unsafe { copy_value(source, target, self.layout.size()) };
        }
    }

    /// Fills each of `rows` with the last value, of which there is one less after each.
    ///
    /// # Safety
    /// There are `len` values, at least as many as `rows`, and each row is below the length when its turn comes. The
    /// values in `rows` count as moved out.
    pub(super) unsafe fn close(&mut self, rows: &[u32], len: usize) {
        for (i, &row) in rows.iter().enumerate() {
            // SAFETY: the caller promises that both are rows.
            unsafe { self.fill(row as usize, len - 1 - i) };
        }
    }

    /// Moves the values of `rows` to the rows of `target` from `first` on, and [closes](Self::close) the gaps.
    ///
    /// # Safety
    /// As for `close`. The target holds values of the same type, has memory for as many from `first` on, and is another
    /// column.
    pub(super) unsafe fn hand_over(
        &mut self,
        rows: &[u32],
        len: usize,
        target: &Self,
        first: usize,
    ) {
        /// Values of `SIZE` bytes, for which the compiler knows how to copy them.
        ///
        /// # Safety
        /// As for the method; the pointers lead to the values of the columns.
        unsafe fn sized<const SIZE: usize>(
            values: *mut MaybeUninit<[u8; SIZE]>,
            rows: &[u32],
            len: usize,
            into: *mut MaybeUninit<[u8; SIZE]>,
        ) {
            for (i, &row) in rows.iter().enumerate() {
                // SAFETY: the caller promises that this is a row.
                let place = unsafe { values.add(row as usize) };
                // SAFETY: the caller promises that there are as many values as rows.
                let last = unsafe { values.add(len - 1 - i) };
                // SAFETY: the caller promises room.
                let target = unsafe { into.add(i) };
                // SAFETY: a value of one column, and memory of another one.
                unsafe { target.copy_from_nonoverlapping(place, 1) };
                // SAFETY: two values of a column, perhaps the same.
                unsafe { place.copy_from(last, 1) };
            }
        }
        // SAFETY: the caller promises memory from this row on.
        let into = unsafe { target.row(first) };
        let values = self.data.as_ptr();
        match self.layout.size() {
            0 => {}
            // SAFETY: values have 4 bytes. Of rows and room the caller promises what `sized` asks for.
            4 => unsafe { sized::<4>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 8 bytes. Of rows and room the caller promises what `sized` asks for.
            8 => unsafe { sized::<8>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 12 bytes. Of rows and room the caller promises what `sized` asks for.
            12 => unsafe { sized::<12>(values.cast(), rows, len, into.cast()) },
            // SAFETY: values have 16 bytes. Of rows and room the caller promises what `sized` asks for.
            16 => unsafe { sized::<16>(values.cast(), rows, len, into.cast()) },
            size => {
                for (i, &row) in rows.iter().enumerate() {
                    // SAFETY: the caller promises that this is a row.
                    let place = unsafe { self.row(row as usize) };
                    // SAFETY: the caller promises room.
                    let target = unsafe { target.row(first + i) };
                    // SAFETY: a value of one column, and memory of another one.
                    unsafe { copy_value(place, target, size) };
                    // SAFETY: the value was just moved out, and the caller promises that the other one is a row.
                    unsafe { self.fill(row as usize, len - 1 - i) };
                }
            }
        }
    }

    /// Exchanges two values.
    ///
    /// # Safety
    /// Both rows are below the capacity.
    pub(crate) unsafe fn swap(&mut self, a: usize, b: usize) {
        if a != b {
            // SAFETY: the caller promises that `a` fits.
            let first = unsafe { self.row(a) };
            // SAFETY: the caller promises that `b` fits.
            let second = unsafe { self.row(b) };
            // SAFETY: two different rows of one column do not overlap.
            unsafe { ptr::swap_nonoverlapping(first, second, self.layout.size()) };
        }
    }
}

/// Copies a value of `size` bytes.
///
/// Most components are small, and a call to `memcpy` costs more than they do: sizes up to 16 bytes are copied in at
/// most two loads and two stores that may overlap each other (as `MaybeUninit`, since a value may have padding).
///
/// # Safety
/// `source` is readable and `target` writable for `size` bytes, and they do not overlap.
#[inline]
pub(crate) unsafe fn copy_value(source: *const u8, target: *mut u8, size: usize) {
    /// # Safety
    /// `source` is readable and `target` writable for `size` bytes, which are at least those of a `ColumnKind`.
    #[inline]
    unsafe fn ends<ColumnKind: Copy>(source: *const u8, target: *mut u8, size: usize) {
        let rest = size - size_of::<ColumnKind>();
        // SAFETY: the caller promises `size` bytes to read, of which `rest` is no more.
        let source_rest = unsafe { source.add(rest) };
        // SAFETY: the caller promises `size` bytes to write, of which `rest` is no more.
        let target_rest = unsafe { target.add(rest) };
        // SAFETY: the caller promises at least the bytes of a `ColumnKind` to read.
        let first = unsafe { source.cast::<ColumnKind>().read_unaligned() };
        // SAFETY: `rest` plus the bytes of a `ColumnKind` is `size`.
        let second = unsafe { source_rest.cast::<ColumnKind>().read_unaligned() };
        // SAFETY: the caller promises at least the bytes of a `ColumnKind` to write.
        unsafe { target.cast::<ColumnKind>().write_unaligned(first) };
        // SAFETY: `rest` plus the bytes of a `ColumnKind` is `size`.
        unsafe { target_rest.cast::<ColumnKind>().write_unaligned(second) };
    }
    match size {
        // SAFETY: the caller promises so many bytes at both pointers, which are at least 8.
        8..=16 => unsafe { ends::<MaybeUninit<u64>>(source, target, size) },
        // SAFETY: the caller promises so many bytes at both pointers, which are at least 4.
        4..=7 => unsafe { ends::<MaybeUninit<u32>>(source, target, size) },
        // SAFETY: the caller promises so many bytes at both pointers, which do not overlap.
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
