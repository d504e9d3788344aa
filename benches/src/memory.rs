//! Keeps the allocator from distorting the workloads that make a fresh world in each run, and asks it what is in use.
//!
//! glibc hands large blocks back to the system and asks for them again, depending on thresholds that it moves while the
//! program runs. Who happens to sit above the threshold pays page faults (up to three times the real cost of a small
//! world), who sits below does not. With both thresholds pinned high everybody works on memory that is already there.

/// Pins the thresholds; says whether that was possible (with glibc it is).
#[must_use]
pub fn pin_thresholds() -> bool {
    imp::pin()
}

/// The bytes in all blocks that the program holds at the moment, or `None` if this allocator does not tell.
///
/// Counts whole blocks, as the allocator hands them out, room for growth included. Asking an allocator that keeps
/// count anyway costs the timed code nothing, unlike an allocator of our own that counts.
#[must_use]
pub fn in_use() -> Option<usize> {
    imp::in_use()
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod imp {
    pub(super) fn pin() -> bool {
        // The largest value that glibc takes on 64-bit systems; it refuses more.
        const LARGEST_HEAP_BLOCK: libc::c_int = 32 << 20;
        // SAFETY: `mallopt` takes two integers and only changes settings of the allocator.
        let mmap = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_HEAP_BLOCK) };
        // SAFETY: as above.
        let trim = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX) };
        mmap == 1 && trim == 1
    }

    #[expect(
        clippy::unnecessary_wraps,
        reason = "other systems have nothing to say"
    )]
    pub(super) fn in_use() -> Option<usize> {
        // SAFETY: `mallinfo2` takes nothing and returns numbers.
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
