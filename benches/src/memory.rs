//! Keeps the allocator from distorting the workloads that make a new world in each run, and reads its memory in use.
//!
//! glibc returns large blocks to the system and requests them again, depending on thresholds that it moves while the
//! program runs. A form above the threshold pays for page faults (up to three times the real cost of a small world); a
//! form below does not. With both thresholds pinned high, all forms work on memory that is already mapped.

/// Pins the thresholds; returns whether that was possible (with glibc it is).
#[must_use]
pub fn pin_thresholds() -> bool {
    imp::pin()
}

/// Returns the bytes in all allocated blocks, or `None` if this allocator does not report them.
///
/// Counts whole blocks as allocated, including spare capacity. The allocator keeps these statistics anyway, so the
/// timed code has no additional cost, unlike with a counting allocator of our own.
#[must_use]
pub fn in_use() -> Option<usize> {
    imp::in_use()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod imp {
    pub(super) fn pin() -> bool {
        // The largest value that glibc accepts on 64-bit systems.
        const LARGEST_HEAP_BLOCK: libc::c_int = 32 << 20;
        // SAFETY: `mallopt` takes two integers and only changes settings of the allocator.
        let mmap = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_HEAP_BLOCK) };
        // SAFETY: `mallopt` takes two integers and only changes settings of the allocator.
        let trim = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX) };
        mmap == 1 && trim == 1
    }

    #[expect(clippy::unnecessary_wraps, reason = "always `None` on other systems")]
    pub(super) fn in_use() -> Option<usize> {
        // SAFETY: `mallinfo2` takes no arguments and only reads counters of the allocator.
        let info = unsafe { libc::mallinfo2() };
        Some(info.uordblks + info.hblkhd)
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod imp {
    pub(super) const fn pin() -> bool {
        false
    }

    pub(super) const fn in_use() -> Option<usize> {
        None
    }
}
