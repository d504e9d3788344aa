//! Bundle types and filters, selected by values.

use ecs_core::prelude::*;

use crate::hooks_model::parts::{A, B, C, D, E, F, G, H, IMMEDIATE, Part, Row};

/// The bundle types.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    A,
    B,
    C,
    D,
    F,
    Ca,
    Bae,
    Cd,
    Ef,
    G,
    H,
    Ag,
    Gh,
    All,
}

impl Kind {
    pub(crate) fn parts(self) -> &'static [usize] {
        match self {
            Self::A => &[0],
            Self::B => &[1],
            Self::C => &[2],
            Self::D => &[3],
            Self::F => &[5],
            Self::Ca => &[2, 0],
            Self::Bae => &[1, 0, 4],
            Self::Cd => &[2, 3],
            Self::Ef => &[4, 5],
            Self::G => &[6],
            Self::H => &[7],
            Self::Ag => &[0, 6],
            Self::Gh => &[6, 7],
            Self::All => &[7, 6, 5, 4, 3, 2, 1, 0],
        }
    }
}

/// A bundle whose components are built from one number, each with a different value.
pub(crate) trait Build: Bundle {
    fn build(value: u32) -> Self;
}

macro_rules! build {
    ($($part:ident)*) => {
        impl Build for ($($part,)*) {
            fn build(value: u32) -> Self {
                ($($part::new(value + $part::INDEX as u32),)*)
            }
        }
    };
}

build!(A);
build!(B);
build!(C);
build!(D);
build!(F);
build!(C A);
build!(B A E);
build!(C D);
build!(E F);
build!(G);
build!(H);
build!(A G);
build!(G H);
build!(H G F E D C B A);

/// Runs `$change` with the bundle type of a kind as `$bundle`.
macro_rules! with_bundle {
    ($kind:expr, |$bundle:ident| $change:expr) => {
        match $kind {
            Kind::A => with_bundle!(@ $bundle, (A,), $change),
            Kind::B => with_bundle!(@ $bundle, (B,), $change),
            Kind::C => with_bundle!(@ $bundle, (C,), $change),
            Kind::D => with_bundle!(@ $bundle, (D,), $change),
            Kind::F => with_bundle!(@ $bundle, (F,), $change),
            Kind::Ca => with_bundle!(@ $bundle, (C, A), $change),
            Kind::Bae => with_bundle!(@ $bundle, (B, A, E), $change),
            Kind::Cd => with_bundle!(@ $bundle, (C, D), $change),
            Kind::Ef => with_bundle!(@ $bundle, (E, F), $change),
            Kind::G => with_bundle!(@ $bundle, (G,), $change),
            Kind::H => with_bundle!(@ $bundle, (H,), $change),
            Kind::Ag => with_bundle!(@ $bundle, (A, G), $change),
            Kind::Gh => with_bundle!(@ $bundle, (G, H), $change),
            Kind::All => with_bundle!(@ $bundle, (H, G, F, E, D, C, B, A), $change),
        }
    };
    (@ $bundle:ident, $type:ty, $change:expr) => {{
        type $bundle = $type;
        $change
    }};
}

/// The filter of a bulk operation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Test {
    WithA,
    WithoutB,
    WithC,
    WithG,
}

impl Test {
    pub(crate) fn passes(self, row: &Row) -> bool {
        match self {
            Self::WithA => row[0].is_some(),
            Self::WithoutB => row[1].is_none(),
            Self::WithC => row[2].is_some(),
            Self::WithG => row[IMMEDIATE].is_some(),
        }
    }

    /// Returns true if bulk operations visit the entities one by one instead of by table.
    pub(crate) fn is_sparse(self) -> bool {
        matches!(self, Self::WithC | Self::WithG)
    }
}

macro_rules! with_filter {
    ($test:expr, |$filter:ident| $change:expr) => {
        match $test {
            Test::WithA => with_bundle!(@ $filter, With<A>, $change),
            Test::WithoutB => with_bundle!(@ $filter, Without<B>, $change),
            Test::WithC => with_bundle!(@ $filter, With<C>, $change),
            Test::WithG => with_bundle!(@ $filter, With<G>, $change),
        }
    };
}

pub(crate) use {with_bundle, with_filter};
