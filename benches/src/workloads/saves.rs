//! Worlds that are written and read, entities that are cloned, and prefabs.

use serde::{Deserialize, Serialize};

use crate::columns::Values;
use crate::digest::Digest;

/// Declares components that all peers share. Another derive would also read the attributes of the first one, so the peers
/// have hand-written implementations.
macro_rules! components {
    ($($(#[$doc:meta])* struct $name:ident = $data:literal;)*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, ecs_core::Component)]
        #[component(data = $data)]
        pub(crate) struct $name(pub(crate) [f32; 3]);

        #[cfg(feature = "bevy")]
        impl bevy_ecs::component::Component for $name {
            const STORAGE_TYPE: bevy_ecs::component::StorageType =
                bevy_ecs::component::StorageType::Table;
            type Mutability = bevy_ecs::component::Mutable;

            fn clone_behavior() -> bevy_ecs::component::ComponentCloneBehavior {
                bevy_ecs::component::ComponentCloneBehavior::clone::<Self>()
            }
        }
    )* };
}

components! {
    /// A position.
    struct Place = "bench.place";
    /// A rotation.
    struct Turn = "bench.turn";
    /// A velocity.
    struct Speed = "bench.speed";
}

/// The components of one entity: 36 bytes.
pub(crate) type Row = (Place, Turn, Speed);

/// The number of entities of a rollback.
pub(crate) const ROLLED_BACK: u32 = 10_000;
/// The number of its frames.
pub(crate) const FRAMES: u64 = 8;

/// The distance between the entities that change in a frame and are sent.
pub(crate) const EVERY: usize = 100;

/// Makes the components of the `number`th entity.
#[inline]
pub(crate) const fn row(number: u32) -> Row {
    let x = number as f32;
    (
        Place([x, 1.0, 2.0]),
        Turn([0.0, x, 0.5]),
        Speed([1.0, 0.25, x]),
    )
}

impl Values for Row {
    fn values(&self) -> impl Iterator<Item = f32> {
        let (place, turn, speed) = self;
        [place.0, turn.0, speed.0].into_iter().flatten()
    }
}

/// Returns the digest of all entities.
pub(crate) fn digest<'a>(rows: impl IntoIterator<Item = (&'a Place, &'a Turn, &'a Speed)>) -> u64 {
    let rows = rows.into_iter().map(|(p, t, s)| (*p, *t, *s));
    Digest::of(rows.map(|row| row.values().collect::<Vec<_>>()))
}
