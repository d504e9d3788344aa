//! Joins of components in sparse storage.

use crate::components::{Vec3, components};
use crate::digest::Digest;

components! {
    /// The component that the joins write.
    pub struct First(Vec3);
    /// The component that is added to the first.
    pub struct Second(Vec3);
    /// The component that is added to the first in joins of three.
    pub struct Third(Vec3);
}

/// Makes the first component of the `number`th entity.
pub(crate) fn first(number: u32) -> Vec3 {
    let x = number as f32;
    Vec3::new(x, x + 1.0, x + 2.0)
}

/// Makes the second and the third component of the `number`th entity.
pub(crate) fn other(number: u32) -> Vec3 {
    Vec3::new(0.5, 1.0, number as f32 * 0.25)
}

/// Returns the digest of the first component.
pub(crate) fn digest(values: impl IntoIterator<Item = Vec3>) -> u64 {
    Digest::of(values.into_iter().map(Vec3::to_array))
}
