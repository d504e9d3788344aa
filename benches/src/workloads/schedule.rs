//! Systems run by each library's scheduler: the three of `ecs_bench_suite`, and two hundred tiny ones.

use crate::components::components;
use crate::digest::Digest;

/// The number of entities of each of the four kinds AB, ABC, ABCD, ABCE.
pub(crate) const EACH: u32 = 10_000;

/// The number of entities that the tiny systems visit.
pub(crate) const TINY_ENTITIES: u32 = 4;

/// The number of tiny systems.
pub(crate) const TINY_SYSTEMS: usize = 200;

components! {
    /// Swapped with `B`.
    pub struct A(f32);
    /// Swapped with `A`.
    pub struct B(f32);
    /// Swapped with `D` and with `E`.
    pub struct C(f32);
    /// Swapped with `C`.
    pub struct D(f32);
    /// Swapped with `C`.
    pub struct E(f32);
    /// The component that the tiny systems add to.
    pub struct Tiny(f32);
}

/// Makes the components of the `number`th entity of any kind.
pub(crate) fn row(number: u32) -> (A, B, C, D, E) {
    let x = number as f32;
    (A(x), B(x + 0.25), C(x + 0.5), D(x + 0.75), E(x + 1.0))
}

/// Returns the digest of the values of `A` and `C`, which depends on the swaps.
pub(crate) fn digest(a: impl IntoIterator<Item = f32>, c: impl IntoIterator<Item = f32>) -> u64 {
    let single = |value: f32| [value];
    Digest::of(a.into_iter().map(single)) ^ Digest::of(c.into_iter().map(single)).rotate_left(1)
}

/// Returns the digest of the values that the tiny systems add to.
pub(crate) fn tiny_digest(values: impl IntoIterator<Item = f32>) -> u64 {
    Digest::of(values.into_iter().map(|value| [value]))
}
