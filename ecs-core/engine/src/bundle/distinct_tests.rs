use super::*;
use crate::bundle::Bundle;
use crate::meta::ConstTypeIdOf;
use crate::test_components::{Position, Stunned, Tag, Velocity};
use alloc::vec::Vec;

fn duplicate<B: Bundle>() -> Option<&'static str> {
    B::COMPONENTS.duplicate().map(ConstTypeId::name)
}

#[test]
fn a_duplicate_component_is_found_at_any_depth() {
    assert_eq!(duplicate::<Position>(), None);
    assert_eq!(
        duplicate::<(Position, (Velocity, (Tag, Stunned)), ())>(),
        None
    );
    assert_eq!(duplicate::<(Tag, Tag)>(), Some("Tag"));
    assert_eq!(
        duplicate::<(Tag, (Position, (Velocity, Tag)))>(),
        Some("Tag")
    );
    assert_eq!(
        duplicate::<((Position, Tag), Velocity, Position)>(),
        Some("Position")
    );
    assert_eq!(
        duplicate::<(Tag, ((Velocity, Velocity), Position))>(),
        Some("Velocity")
    );
}

#[test]
fn instances_of_a_generic_component_are_not_compared() {
    const ONE: Components = Components::One {
        ident: ConstTypeIdOf::<Vec<u8>>::generic("Vec", "Vec").ident(),
        required: |_| {},
    };
    static PAIR: Components = Components::All(&[&ONE, &ONE]);
    assert!(PAIR.duplicate().is_none());
}
