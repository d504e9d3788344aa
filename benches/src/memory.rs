//! Keeps the allocator from distorting the workloads that make a fresh world in each run.
//!
//! glibc hands large blocks back to the system and asks for them again, depending on thresholds that it moves while the
//! program runs. Who happens to sit above the threshold pays page faults (up to three times the real cost of a small
//! world), who sits below does not. With both thresholds pinned high everybody works on memory that is already there.

/// Pins the thresholds; says whether that was possible (glibc, and the feature `peers`, which brings `libc`).
#[must_use]
pub fn pin_thresholds() -> bool {
    pin()
}

#[cfg(all(feature = "peers", target_os = "linux", target_env = "gnu"))]
fn pin() -> bool {
    // The largest value that glibc takes on 64-bit systems; it refuses more.
    const LARGEST_HEAP_BLOCK: libc::c_int = 32 << 20;
    // SAFETY: `mallopt` takes two integers and only changes settings of the allocator.
    let mmap = unsafe { libc::mallopt(libc::M_MMAP_THRESHOLD, LARGEST_HEAP_BLOCK) };
    // SAFETY: as above.
    let trim = unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, libc::c_int::MAX) };
    mmap == 1 && trim == 1
}

#[cfg(not(all(feature = "peers", target_os = "linux", target_env = "gnu")))]
const fn pin() -> bool {
    false
}
