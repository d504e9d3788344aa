//! The components of the workloads, taken from `ecs_bench_suite`: plain values that are the same in every library.

use std::ops::AddAssign;

use crate::digest::Digest;

/// Declares component types that all peers share.
///
/// Types with a storage attribute cannot be shared, because two derives would read the same attribute.
macro_rules! components {
    ($($(#[$doc:meta])* $vis:vis struct $name:ident($value:ty);)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, ecs_core::Component)]
        #[cfg_attr(feature = "bevy", derive(bevy_ecs::component::Component))]
        #[cfg_attr(feature = "flecs", derive(flecs_ecs::prelude::Component))]
        #[allow(dead_code, reason = "some are stored and never read")]
        $vis struct $name(
            /// The value.
            $vis $value,
        );

        #[cfg(feature = "shipyard")]
        impl shipyard::Component for $name {
            type Tracking = shipyard::track::Untracked;
        }

        #[cfg(feature = "specs")]
        impl specs::Component for $name {
            type Storage = specs::VecStorage<Self>;
        }
    )* };
}
pub(crate) use components;

/// Three floats: 12 bytes without padding, a size that real components have and that vector instructions do not fit.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Vec3 {
    /// First coordinate.
    pub x: f32,
    /// Second coordinate.
    pub y: f32,
    /// Third coordinate.
    pub z: f32,
}

impl Vec3 {
    /// Makes a vector of three coordinates.
    #[must_use]
    pub const fn new(x: f32, y: f32, z: f32) -> Self {
        Self { x, y, z }
    }

    /// Returns the coordinates.
    #[must_use]
    pub const fn to_array(self) -> [f32; 3] {
        [self.x, self.y, self.z]
    }
}

impl AddAssign for Vec3 {
    #[inline]
    fn add_assign(&mut self, other: Self) {
        self.x += other.x;
        self.y += other.y;
        self.z += other.z;
    }
}

components! {
    /// A 4x4 matrix, 64 bytes.
    pub struct Transform([f32; 16]);
    /// A position.
    pub struct Position(Vec3);
    /// A rotation.
    pub struct Rotation(Vec3);
    /// A velocity.
    pub struct Velocity(Vec3);
}

const IDENTITY: Transform = Transform([
    1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0,
]);

/// Makes the four components of the `number`th entity of the spawning workloads: 100 bytes.
#[inline]
#[must_use]
pub const fn row(number: u32) -> (Transform, Position, Rotation, Velocity) {
    let x = number as f32;
    (
        IDENTITY,
        Position(Vec3::new(x, 1.0, 2.0)),
        Rotation(Vec3::new(0.0, x, 0.5)),
        Velocity(Vec3::new(1.0, 0.25, x)),
    )
}

/// Returns the values of a [`row`], for a digest.
pub fn row_values(
    (transform, position, rotation, velocity): (&Transform, &Position, &Rotation, &Velocity),
) -> impl Iterator<Item = f32> + use<> {
    transform
        .0
        .into_iter()
        .chain(position.0.to_array())
        .chain(rotation.0.to_array())
        .chain(velocity.0.to_array())
}

/// Makes the two components of the `number`th entity of the iterating workloads: 24 bytes.
#[must_use]
pub const fn moving(number: u32) -> (Position, Velocity) {
    let x = number as f32;
    (
        Position(Vec3::new(x, x + 1.0, x + 2.0)),
        Velocity(Vec3::new(0.5, 1.0, x * 0.25)),
    )
}

/// Returns the digest of positions alone.
pub fn digest_positions<'a>(positions: impl IntoIterator<Item = &'a Position>) -> u64 {
    Digest::of(positions.into_iter().map(|position| position.0.to_array()))
}

/// Returns the digest of entities with the components of a [`row`].
pub fn digest_rows<'a>(
    rows: impl IntoIterator<Item = (&'a Transform, &'a Position, &'a Rotation, &'a Velocity)>,
) -> u64 {
    Digest::of(rows.into_iter().map(row_values))
}
