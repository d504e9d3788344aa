//! The natural loop of each library, over one, two, four and eight components of three floats, and over an optional one.

use crate::components::{Vec3, components};
use crate::digest::Digest;

components! {
    /// Written by all loops.
    pub struct N1(Vec3);
    /// Added to `N1`.
    pub struct N2(Vec3);
    /// Written by loops over four.
    pub struct N3(Vec3);
    /// Added to `N3`.
    pub struct N4(Vec3);
    /// Written by loops over eight.
    pub struct N5(Vec3);
    /// Added to `N5`.
    pub struct N6(Vec3);
    /// Written by loops over eight.
    pub struct N7(Vec3);
    /// Added to `N7`.
    pub struct N8(Vec3);
}

/// The summand of the loop over one component, and of entities without the optional one.
pub(crate) const STEP: Vec3 = Vec3::new(0.5, 1.0, 0.25);

fn vector(number: u32, component: u32) -> Vec3 {
    let x = number as f32;
    Vec3::new(x, component as f32, x + 0.5)
}

/// Makes one component of the `number`th entity.
pub(crate) fn one(number: u32) -> N1 {
    N1(vector(number, 1))
}

/// Makes two components of the `number`th entity.
pub(crate) fn two(number: u32) -> (N1, N2) {
    (one(number), N2(vector(number, 2)))
}

/// Makes four components of the `number`th entity.
pub(crate) fn four(number: u32) -> (N1, N2, N3, N4) {
    let (a, b) = two(number);
    (a, b, N3(vector(number, 3)), N4(vector(number, 4)))
}

/// Makes eight components of the `number`th entity.
pub(crate) fn eight(number: u32) -> (N1, N2, N3, N4, N5, N6, N7, N8) {
    let (a, b, c, d) = four(number);
    let v = |component| vector(number, component);
    (a, b, c, d, N5(v(5)), N6(v(6)), N7(v(7)), N8(v(8)))
}

/// Returns the digest of the written components of all entities.
pub(crate) fn digest<const N: usize>(rows: impl IntoIterator<Item = [Vec3; N]>) -> u64 {
    Digest::of(
        rows.into_iter()
            .map(|row| row.into_iter().flat_map(Vec3::to_array)),
    )
}
