//! Many kinds of entities: 26 with a component of their own each, and 1024 by any choice of ten markers.

use crate::components::components;
use crate::digest::Digest;

/// The number of entities of each of the 26 kinds.
pub(crate) const EACH: u32 = 20;

/// The number of kinds by markers: each of the ten is present or not.
pub(crate) const MARKED_KINDS: u32 = 1024;

/// The number of entities with the rare component.
const RARE: u32 = 8;

/// The number of entities of `tables.rare`.
pub(crate) const RARE_AMONG_TABLES: u32 = 20_480;

/// The number of entities of `rare_join`.
pub(crate) const RARE_AMONG: u32 = 4096;

components! {
    /// A component of all 26 kinds.
    pub struct Data(f32);
    /// A component of 8 of 4096 entities.
    pub struct Rare(f32);
}

/// Declares a component per kind, and `for_each_kind!(spawn)`, which calls the macro `spawn!` with each of them.
macro_rules! kinds {
    ($($kind:ident)*) => {
        components! { $(
            /// A component of only one kind.
            pub struct $kind(f32);
        )* }

        /// The number of kinds.
        pub(crate) const KINDS: u32 = [$(stringify!($kind)),*].len() as u32;

        /// Calls a macro once per kind.
        macro_rules! for_each_kind {
            ($action:ident) => { $( $action!($kind); )* };
        }
        pub(crate) use for_each_kind;
    };
}
kinds! {
    KA KB KC KD KE KF KG KH KI KJ KK KL KM KN KO KP KQ KR KS KT KU KV KW KX KY KZ
}

/// Declares the markers, enough for ten thousand kinds, and `for_each_marker!(mark)`, which calls `mark!(type, number)`
/// with each of them.
macro_rules! markers {
    ($($marker:ident $number:literal)*) => {
        $(
            /// A marker, without data.
            #[derive(Clone, Copy, Debug, Default, ecs_core::Component)]
            #[cfg_attr(feature = "bevy", derive(bevy_ecs::component::Component))]
            #[cfg_attr(feature = "flecs", derive(flecs_ecs::prelude::Component))]
            pub struct $marker;

            #[cfg(feature = "shipyard")]
            impl shipyard::Component for $marker {
                type Tracking = shipyard::track::Untracked;
            }

            #[cfg(feature = "specs")]
            impl specs::Component for $marker {
                type Storage = specs::NullStorage<Self>;
            }
        )*

        /// Calls a macro once per marker.
        macro_rules! for_each_marker {
            ($action:ident) => { $( $action!($marker, $number); )* };
        }
        pub(crate) use for_each_marker;
    };
}
markers! { M0 0 M1 1 M2 2 M3 3 M4 4 M5 5 M6 6 M7 7 M8 8 M9 9 M10 10 M11 11 M12 12 M13 13 }

/// Returns whether the `number`th entity has a marker, in a world of entities of `kinds` kinds.
pub(crate) const fn is_marked(number: u32, kinds: u32, marker: u32) -> bool {
    (number % kinds) >> marker & 1 == 1
}

/// Returns whether the `number`th of `among` entities has the rare component: 8 of them, each of another kind.
pub(crate) const fn is_rare(number: u32, among: u32) -> bool {
    number.is_multiple_of(among / RARE + 1)
}

/// The initial values of the entities of a kind; they grow to infinity, which is as fast to double.
pub(crate) fn start() -> impl Iterator<Item = f32> {
    (0..EACH).map(|number| number as f32 + 1.0)
}

/// Returns the digest of single values.
pub(crate) fn digest(values: impl IntoIterator<Item = f32>) -> u64 {
    Digest::of(values.into_iter().map(|value| [value]))
}
