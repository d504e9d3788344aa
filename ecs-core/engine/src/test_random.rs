//! Random numbers for tests, the same ones in each run.

/// Returns a function that returns a number below its argument.
pub(crate) fn random_from(mut seed: u64) -> impl FnMut(usize) -> usize {
    move |below| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) as usize % below
    }
}
