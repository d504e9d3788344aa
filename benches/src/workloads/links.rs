//! A tree of entities that know their parents: each adds up the values of four ancestors.

/// How far each entity looks up.
pub(crate) const LEVELS: u32 = 4;

/// The number of the parent of the `number`th entity; always a lower one, none for the first.
pub(crate) const fn parent(number: u32) -> Option<u32> {
    if number == 0 {
        return None;
    }
    // Spreads parents over all that are there, so that each look-up goes somewhere else.
    Some(((number as u64 * 2_654_435_761) % number as u64) as u32)
}

/// The value of the `number`th entity: small integers, whose sums are exact.
pub(crate) const fn value(number: u32) -> f32 {
    (number % 1000) as f32
}

/// Adds up the values of the ancestors, up to [`LEVELS`]; `get` returns an ancestor's value and parent.
#[inline]
pub(crate) fn sum_up<I>(
    parent: Option<I>,
    mut get: impl FnMut(I) -> Option<(f32, Option<I>)>,
) -> f32 {
    let mut sum = 0.0;
    let mut next = parent;
    for _ in 0..LEVELS {
        let Some((value, parent)) = next.and_then(&mut get) else {
            break;
        };
        sum += value;
        next = parent;
    }
    sum
}

/// Declares the components for a peer whose entities are of type `$entity`.
#[allow(unused_macros, reason = "used by peers that may be off")]
macro_rules! link_components {
    ($(#[$derive:meta])* $entity:ty) => {
        /// The parent of an entity, and a value.
        $(#[$derive])*
        struct Link {
            parent: Option<$entity>,
            value: f32,
        }

        /// The sum of the values of the ancestors.
        $(#[$derive])*
        struct Sum(f32);
    };
}
pub(crate) use link_components;
