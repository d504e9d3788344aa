//! Components and bundles, selected by numbers.

use ecs_core::prelude::*;

use crate::kinds::*;

/// A bundle whose values are all made from one number.
pub(crate) trait Make: Bundle {
    fn make(number: u64) -> Self;
}

impl<K: Kind> Make for K {
    fn make(number: u64) -> Self {
        K::new(number)
    }
}

macro_rules! tuple {
    ($($kind:ident)+) => {
        impl<$($kind: Kind),+> Make for ($($kind,)+) {
            fn make(number: u64) -> Self {
                ($($kind::new(number),)+)
            }
        }
    };
}

tuple!(A B);
tuple!(A B C);
tuple!(A B C D);

pub(crate) const KINDS: usize = 18;

/// Runs code with the component type of a number.
macro_rules! with_kind {
    ($index:expr, $kind:ident => $code:expr) => {
        with_kind!(@ $index, $kind => $code,
            0 Bare, 1 Hooked, 2 Tracked, 3 Mark, 4 LooseHooked, 5 Loose, 6 LooseTracked, 7 Left, 8 Middle, 9 Right, 10 Flash,
            11 Spark, 12 Needy, 13 Help, 14 Aid, 15 Last, 16 Generic<u8>, 17 Generic<u16>)
    };
    (@ $index:expr, $kind:ident => $code:expr, $($number:literal $ty:ty),*) => {
        match $index % $crate::bundles::KINDS {
            $($number => { type $kind = $ty; $code })*
            _ => unreachable!(),
        }
    };
}

pub(crate) const BUNDLES: usize = 20;

/// Runs code with the bundle type of a number.
macro_rules! with_bundle {
    ($index:expr, $bundle:ident => $code:expr) => {
        with_bundle!(@ $index, $bundle => $code,
            0 Bare, 1 Hooked, 2 Loose, 3 (LooseHooked, Hooked), 4 (Tracked, LooseTracked, Bare), 5 (Middle, Left),
            6 (Right, Middle, Left), 7 Needy, 8 (Mark, Generic<u16>), 9 (Generic<u8>, Generic<u16>),
            10 (Aid, Tracked, Hooked, Bare), 11 Flash, 12 (Loose, Spark, Needy), 13 Left, 14 (Generic<u16>, LooseTracked, Last),
            15 Help, 16 (Mark, Hooked), 17 LooseTracked, 18 (LooseHooked, Loose, Right), 19 Mark)
    };
    (@ $index:expr, $bundle:ident => $code:expr, $($number:literal $ty:ty),*) => {
        match $index % $crate::bundles::BUNDLES {
            $($number => { type $bundle = $ty; $code })*
            _ => unreachable!(),
        }
    };
}

pub(crate) use {with_bundle, with_kind};

pub(crate) fn insert_by_command(
    commands: &mut Commands<'_>,
    entity: Entity,
    bundle: usize,
    number: u64,
) {
    with_bundle!(bundle, B => commands.insert(entity, B::make(number)));
}
