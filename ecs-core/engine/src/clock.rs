//! A clock for short times, which is cheap to read.

/// The number of ticks per microsecond, roughly: processors differ by a factor of two.
pub(crate) const TICKS_PER_MICROSECOND: u64 = 3_000;

/// False where the standard library has no clock, and reading it would panic.
pub(crate) const IS_AVAILABLE: bool = cfg!(not(all(target_family = "wasm", target_os = "unknown")));

/// Returns the current time in ticks, for estimates only: the time may stand still, jump, and go backwards (from one
/// processor to another, or when a virtual machine moves).
#[cfg(all(target_arch = "x86_64", not(miri), not(target_env = "sgx")))]
#[inline]
pub(crate) fn ticks() -> u64 {
    // SAFETY: every x86-64 processor has the counter, and reading it changes nothing.
    unsafe { core::arch::x86_64::_rdtsc() }
}

/// Returns the current time in ticks, for estimates only.
#[cfg(not(all(target_arch = "x86_64", not(miri), not(target_env = "sgx"))))]
pub(crate) fn ticks() -> u64 {
    use std::sync::OnceLock;
    use std::time::Instant;

    static START: OnceLock<Instant> = OnceLock::new();
    let time = START.get_or_init(Instant::now).elapsed().as_nanos();
    time as u64 * (TICKS_PER_MICROSECOND / 1_000)
}
