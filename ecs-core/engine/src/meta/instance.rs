//! Types of data, as declarations name them.

use super::ident::mix;
use super::{Argument, ConstTypeId, ParamAccess};

/// A type of data that a derived parameter names: its identity, and its arguments in the declaration.
///
/// The identity of an instance of a generic type knows only arguments that are components by their bounds.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Instance {
    ident: ConstTypeId,
    arguments: Argument,
}

impl Instance {
    /// The data of a parameter that accesses one type, with the arguments of that type; `None` for a parameter without data.
    #[must_use]
    #[inline]
    pub const fn new(access: &ParamAccess, arguments: &[Argument]) -> Option<Self> {
        let ParamAccess::Leaf(access) = access else {
            return None;
        };
        let mut all = Argument {
            hash: 0,
            exact: !arguments.is_empty(),
        };
        let mut i = 0;
        while i < arguments.len() {
            all.hash = mix(all.hash, arguments[i].hash);
            all.exact = all.exact && arguments[i].exact;
            i += 1;
        }
        Some(Self {
            ident: access.ident,
            arguments: all,
        })
    }

    /// Returns true if two parameters name the same types: each pair that identities leave undecided is one type by its
    /// arguments. `None` if a parameter may name other types.
    #[must_use]
    #[inline]
    pub const fn are_one(first: Option<&[Option<Self>]>, second: Option<&[Option<Self>]>) -> bool {
        let (Some(first), Some(second)) = (first, second) else {
            return false;
        };
        let mut i = 0;
        while i < first.len() * second.len() {
            if let (Some(one), Some(two)) = (&first[i / second.len()], &second[i % second.len()])
                && one.ident.const_eq(&two.ident).is_none()
                && !(one.arguments.exact
                    && two.arguments.exact
                    && one.arguments.hash == two.arguments.hash)
            {
                return false;
            }
            i += 1;
        }
        true
    }
}
