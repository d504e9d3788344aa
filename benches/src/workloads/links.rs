//! A tree of entities that store their parents: each sums the values of four ancestors.

/// The number of ancestors that each entity visits.
pub(crate) const LEVELS: u32 = 4;

/// Returns the number of the parent of the `number`th entity: a lower one, or `None` for the first.
pub(crate) const fn parent(number: u32) -> Option<u32> {
    if number == 0 {
        return None;
    }
    // A fraction that is spread evenly, times the number: parents are all over the earlier entities, so that look-ups are scattered.
    let fraction = number.wrapping_mul(2_654_435_761) as u64;
    Some(((fraction * number as u64) >> 32) as u32)
}

// Two thirds of the entities have no children, and none has many.
const _: () = {
    let mut children = [0; 1000];
    let (mut number, mut leaves) = (1, 0);
    while number < 1000 {
        if let Some(parent) = parent(number) {
            children[parent as usize] += 1;
        }
        number += 1;
    }
    while number > 0 {
        number -= 1;
        assert!(children[number as usize] < 20);
        leaves += (children[number as usize] == 0) as u32;
    }
    assert!(500 < leaves && leaves < 800);
};

/// Returns the value of the `number`th entity: small integers, whose sums are exact.
pub(crate) const fn value(number: u32) -> f32 {
    (number % 1000) as f32
}

/// Sums the values of the ancestors, up to [`LEVELS`]; `get` returns an ancestor's value and parent.
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
