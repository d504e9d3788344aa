//! Bundle types and filters, selected by values.

use ecs_core::prelude::*;

use super::model::Row;
use super::parts::{
    Felt, Hooked, Large, Loose, Mark, Needy, Now, One, Other, Part, Seen, Sparse, Table, Two,
};
use crate::targets::decode::choices;

/// A bundle that can be built from a number.
pub(super) trait Build: Bundle {
    fn build(value: u8) -> Self;
    /// Calls `note` with each value of the bundle.
    fn values(&self, note: &mut dyn FnMut(u8));
}

macro_rules! parts {
    ($($part:ident)*) => {$(
        impl Build for $part {
            fn build(value: u8) -> Self {
                Self::new(value)
            }

            fn values(&self, note: &mut dyn FnMut(u8)) {
                note(self.value());
            }
        }
    )*};
}

parts!(Table Other Large Sparse One Two Seen Felt Now Hooked Loose Needy Mark);

macro_rules! tuples {
    ($(($($part:ident $index:tt),*))*) => {$(
        impl<$($part: Build),*> Build for ($($part,)*) {
            fn build(_value: u8) -> Self {
                ($($part::build(_value),)*)
            }

            fn values(&self, _note: &mut dyn FnMut(u8)) {
                $(self.$index.values(_note);)*
            }
        }
    )*};
}

tuples!(() (A 0, B 1) (A 0, B 1, C 2) (A 0, B 1, C 2, D 3));

macro_rules! kinds {
    ($($kind:ident: $bundle:ty, $parts:expr;)*) => {
        choices! {
            /// The bundle types.
            #[derive(Clone, Copy, Debug)]
            pub enum Kind {
                $(#[doc = stringify!($bundle)] $kind,)*
            }
        }

        impl Kind {
            /// The indices of its parts, in order.
            pub(super) fn parts(self) -> &'static [usize] {
                match self {
                    $(Self::$kind => &$parts,)*
                }
            }
        }

        /// Calls `$body` with the type of the bundle.
        macro_rules! with_bundle {
            ($of:expr, |$B:ident| $body:expr) => {{
                #[allow(unused_imports, reason = "one macro for all")]
                use $crate::targets::world::parts::*;
                match $of {
                    $(Kind::$kind => {
                        type $B = $bundle;
                        $body
                    })*
                }
            }};
        }
        pub(super) use with_bundle;
    };
}

kinds! {
    Nothing: (), [];
    Table: Table, [0];
    Other: Other, [1];
    Large: Large, [2];
    Sparse: Sparse, [3];
    One: One, [4];
    Two: Two, [5];
    Seen: Seen, [6];
    Felt: Felt, [7];
    Now: Now, [8];
    Hooked: Hooked, [9];
    Loose: Loose, [10];
    Needy: Needy, [11];
    Mark: Mark, [12];
    Tables: (Table, Large, Mark), [0, 2, 12];
    Tracked: (Felt, Seen), [7, 6];
    Groups: (One, Two), [4, 5];
    AllGroups: (Two, Sparse, One), [5, 3, 4];
    Hooks: (Hooked, Loose, Table), [9, 10, 0];
    AtOnce: (Now, Hooked, Table), [8, 9, 0];
    Needs: (Needy, Sparse), [11, 3];
    All: ((Table, Other, Large, Sparse), (One, Two, Seen, Felt), (Now, Hooked, Loose, Needy), ()), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
}

choices! {
    /// The filter of a bulk operation.
    #[derive(Clone, Copy, Debug)]
    pub enum Test {
        /// With a table component.
        Table,
        /// Without a table component.
        NotOther,
        /// With a sparse component.
        Sparse,
        /// With one of two components.
        Either,
    }
}

impl Test {
    pub(super) fn passes(self, row: &Row) -> bool {
        match self {
            Self::Table => row[Table::NUMBER].is_some(),
            Self::NotOther => row[Other::NUMBER].is_none(),
            Self::Sparse => row[Sparse::NUMBER].is_some(),
            Self::Either => row[Hooked::NUMBER].is_some() || row[Now::NUMBER].is_some(),
        }
    }
}

/// Calls `$body` with the type of the filter.
macro_rules! with_filter {
    ($test:expr, |$F:ident| $body:expr) => {{
        use $crate::targets::world::parts as p;
        match $test {
            Test::Table => {
                type $F = With<p::Table>;
                $body
            }
            Test::NotOther => {
                type $F = Without<p::Other>;
                $body
            }
            Test::Sparse => {
                type $F = With<p::Sparse>;
                $body
            }
            Test::Either => {
                type $F = Or<(With<p::Hooked>, With<p::Now>)>;
                $body
            }
        }
    }};
}
pub(super) use with_filter;
