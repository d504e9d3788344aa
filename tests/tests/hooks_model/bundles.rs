//! The bundles and filters that verbs are about, as values.

use ecs_core::prelude::*;

use crate::parts::{A, B, C, D, E, F, G, H, IMMEDIATE, Part, Row};

/// Bundle types.
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

/// A bundle of any of the types; each part is given a value of its own.
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

/// Runs `$verb` with the bundle type of a kind as `$bundle`.
macro_rules! with_bundle {
    ($kind:expr, |$bundle:ident| $verb:expr) => {
        match $kind {
            Kind::A => with_bundle!(@ $bundle, (A,), $verb),
            Kind::B => with_bundle!(@ $bundle, (B,), $verb),
            Kind::C => with_bundle!(@ $bundle, (C,), $verb),
            Kind::D => with_bundle!(@ $bundle, (D,), $verb),
            Kind::F => with_bundle!(@ $bundle, (F,), $verb),
            Kind::Ca => with_bundle!(@ $bundle, (C, A), $verb),
            Kind::Bae => with_bundle!(@ $bundle, (B, A, E), $verb),
            Kind::Cd => with_bundle!(@ $bundle, (C, D), $verb),
            Kind::Ef => with_bundle!(@ $bundle, (E, F), $verb),
            Kind::G => with_bundle!(@ $bundle, (G,), $verb),
            Kind::H => with_bundle!(@ $bundle, (H,), $verb),
            Kind::Ag => with_bundle!(@ $bundle, (A, G), $verb),
            Kind::Gh => with_bundle!(@ $bundle, (G, H), $verb),
            Kind::All => with_bundle!(@ $bundle, (H, G, F, E, D, C, B, A), $verb),
        }
    };
    (@ $bundle:ident, $type:ty, $verb:expr) => {{
        type $bundle = $type;
        $verb
    }};
}

/// Which entities a verb over many is about.
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

    /// Whether entities are taken one by one and not by tables.
    pub(crate) fn is_sparse(self) -> bool {
        matches!(self, Self::WithC | Self::WithG)
    }
}

macro_rules! with_filter {
    ($test:expr, |$filter:ident| $verb:expr) => {
        match $test {
            Test::WithA => with_bundle!(@ $filter, With<A>, $verb),
            Test::WithoutB => with_bundle!(@ $filter, Without<B>, $verb),
            Test::WithC => with_bundle!(@ $filter, With<C>, $verb),
            Test::WithG => with_bundle!(@ $filter, With<G>, $verb),
        }
    };
}

pub(crate) use {with_bundle, with_filter};
