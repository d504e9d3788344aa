//! Bundles that have a component twice, found while compiling.
//!
//! Types are compared by the hashes of their identities. What these leave open, two instances of one generic component, is
//! found by the world when it meets the bundle.

use crate::meta::{ConstTypeId, Message};

/// The component types of a bundle, as a constant.
#[derive(Debug)]
pub enum Components {
    /// A component.
    One(ConstTypeId),
    /// Several bundles in one.
    All(&'static [&'static Components]),
}

impl Components {
    /// The first component that stands in `self` twice.
    #[inline]
    const fn twice(&self) -> Option<&ConstTypeId> {
        let Self::All(parts) = self else {
            return None;
        };
        let mut i = 0;
        while i < parts.len() {
            if let Some(ident) = twice_with(parts, i) {
                return Some(ident);
            }
            i += 1;
        }
        None
    }

    /// The first component of `self` that is one of `other` too.
    #[inline]
    const fn common(&self, other: &Self) -> Option<&ConstTypeId> {
        match (self, other) {
            (Self::One(one), Self::One(two)) => match one.const_eq(two) {
                Some(true) => Some(one),
                _ => None,
            },
            (Self::All(parts), _) => {
                let mut i = 0;
                while i < parts.len() {
                    if let Some(ident) = parts[i].common(other) {
                        return Some(ident);
                    }
                    i += 1;
                }
                None
            }
            (Self::One(one), Self::All(parts)) => {
                let mut i = 0;
                while i < parts.len() {
                    if parts[i].common(self).is_some() {
                        return Some(one);
                    }
                    i += 1;
                }
                None
            }
        }
    }
}

/// The first component that stands twice in the part at `index`, or there and in an earlier one.
#[inline]
const fn twice_with(parts: &[&'static Components], index: usize) -> Option<&'static ConstTypeId> {
    let mut earlier = 0;
    while earlier < index {
        if let Some(ident) = parts[index].common(parts[earlier]) {
            return Some(ident);
        }
        earlier += 1;
    }
    parts[index].twice()
}

/// Stops the compilation if a component stands twice in a bundle.
///
/// # Panics
/// If it does.
#[track_caller]
#[inline]
pub(super) const fn refuse_twice(all: &'static Components) {
    if let Some(ident) = all.twice() {
        refuse(ident);
    }
}

/// Stops the compilation at the caller if a component of the field at `index` is one of an earlier field too. Called by
/// the code that `#[derive(Bundle)]` generates.
///
/// # Panics
/// If it is.
#[track_caller]
#[inline]
pub const fn refuse_field(fields: &'static [&'static Components], index: usize) {
    if let Some(ident) = twice_with(fields, index) {
        refuse(ident);
    }
}

#[track_caller]
#[inline]
const fn refuse(ident: &ConstTypeId) -> ! {
    let mut text = Message::new();
    text.push("the component `");
    text.push(ident.name());
    text.push("` is in the bundle twice; an entity has one value of a component: take one out");
    panic!("{}", text.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::Bundle;
    use crate::meta::ConstTypeIdOf;
    use crate::test_components::{Position, Stunned, Tag, Velocity};

    fn twice<B: Bundle>() -> Option<&'static str> {
        B::COMPONENTS.twice().map(ConstTypeId::name)
    }

    #[test]
    fn a_component_twice_is_found_however_deep_it_lies() {
        assert_eq!(twice::<Position>(), None);
        assert_eq!(twice::<(Position, (Velocity, (Tag, Stunned)), ())>(), None);
        assert_eq!(twice::<(Tag, Tag)>(), Some("Tag"));
        assert_eq!(twice::<(Tag, (Position, (Velocity, Tag)))>(), Some("Tag"));
        assert_eq!(
            twice::<((Position, Tag), Velocity, Position)>(),
            Some("Position")
        );
        assert_eq!(
            twice::<(Tag, ((Velocity, Velocity), Position))>(),
            Some("Velocity")
        );
    }

    #[test]
    fn instances_of_a_generic_component_are_left_to_the_world() {
        const ONE: ConstTypeId = ConstTypeIdOf::<Vec<u8>>::generic("Vec", "Vec").ident();
        static PAIR: Components = Components::All(&[&Components::One(ONE), &Components::One(ONE)]);
        assert!(PAIR.twice().is_none());
    }
}
