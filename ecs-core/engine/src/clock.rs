//! Clocks: one that is cheap to read, for short times, and the system's.

// On this target the standard library has no clock, and panics. Tests have the module on all.
#[cfg(all(
    feature = "std",
    any(test, all(target_family = "wasm", target_os = "unknown"))
))]
#[cfg_attr(
    test,
    allow(
        dead_code,
        unreachable_pub,
        reason = "only used on targets that need it, and tests have it on all"
    )
)]
pub(crate) mod host;

#[cfg(all(feature = "std", target_family = "wasm", target_os = "unknown"))]
pub use host::Instant;
#[cfg(all(
    feature = "std",
    not(all(target_family = "wasm", target_os = "unknown"))
))]
pub use std::time::Instant;

/// Returns true if [`Instant::now`] has a clock to read; without one it stands still.
#[cfg(feature = "std")]
#[must_use]
pub fn has_clock() -> bool {
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    return host::has_clock();
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return true;
}

/// The number of ticks per microsecond, roughly: processors differ by a factor of two.
#[cfg(feature = "parallel")]
pub(crate) const TICKS_PER_MICROSECOND: u64 = 3_000;

/// Returns the current time in ticks, for estimates only: the time may stand still, jump, and go backwards (from one
/// processor to another, or when a virtual machine moves).
#[cfg(all(
    feature = "parallel",
    target_arch = "x86_64",
    not(miri),
    not(target_env = "sgx")
))]
#[inline]
pub(crate) fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the counter, and reading it changes nothing.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Returns the current time in ticks, for estimates only.
#[cfg(all(
    feature = "parallel",
    not(all(target_arch = "x86_64", not(miri), not(target_env = "sgx")))
))]
pub(crate) fn ticks() -> u64 {
    use crate::sync::OnceLock;

    static START: OnceLock<Instant> = OnceLock::new();
    let time = START.get_or_init(Instant::now).elapsed().as_nanos();
    time as u64 * (TICKS_PER_MICROSECOND / 1_000)
}

/// Returns 0: only code that chooses threads looks at the time.
#[cfg(not(feature = "parallel"))]
pub(crate) fn ticks() -> u64 {
    0
}
