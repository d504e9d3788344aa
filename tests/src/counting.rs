//! An allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATED: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static CALLS: Cell<usize> = const { Cell::new(0) };
}

/// Counts the bytes that each thread has allocated and not freed, and its allocations. For `#[global_allocator]`.
#[derive(Debug)]
pub struct Counting;

/// Returns the bytes that the current thread has allocated and not freed.
#[must_use]
pub fn allocated() -> isize {
    ALLOCATED.get()
}

/// Returns how often the current thread has allocated memory or changed its size.
#[must_use]
pub fn allocations() -> usize {
    CALLS.get()
}

/// Calls a function, and returns the greatest increase of the current thread's memory during the call, in bytes.
pub fn peak_of<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = allocated();
    PEAK.set(before);
    let result = f();
    (result, (PEAK.get() - before) as usize)
}

fn count(bytes: isize) {
    // Fails only while a thread ends.
    let _ = ALLOCATED.try_with(|allocated| {
        allocated.set(allocated.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(allocated.get())));
    });
}

fn count_call() {
    let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
}

// SAFETY: passes all calls on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        count_call();
        // SAFETY: the caller keeps the contract of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller keeps the contract of the system's allocator, which has allocated the memory.
        unsafe { System.dealloc(memory, layout) };
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        count_call();
        // SAFETY: the caller keeps the contract of the system's allocator, which has allocated the memory.
        unsafe { System.realloc(memory, layout, size) }
    }
}
