//! Tuples of bundles are bundles.

use super::{Bundle, Components, EffectVisitor, FieldSource, FieldVisitor, TypeVisitor};
use crate::tuples::for_each_prefix;

macro_rules! tuple_bundle {
    ($($name:ident $index:tt),*) => {
        // SAFETY: each function visits the tuple's elements in order; the elements are bundles, which fulfil this contract,
        // and are everything that a tuple owns.
        unsafe impl<$($name: Bundle),*> Bundle for ($($name,)*) {
            const MAY_REQUIRE: bool = false $(|| $name::MAY_REQUIRE)*;

            const HAS_EFFECTS: bool = false $(|| $name::HAS_EFFECTS)*;

            const IS_VARIABLE: bool = false $(|| $name::IS_VARIABLE)*;

            const COMPONENTS: &'static Components = &Components::All(&[$($name::COMPONENTS),*]);

            #[allow(unused_variables, reason = "the empty tuple has nothing to visit")]
            fn types<Visitor: TypeVisitor>(visitor: &mut Visitor) {
                $($name::types(visitor);)*
            }

            #[inline]
            #[allow(unused_variables, reason = "the empty tuple has nothing to visit")]
            unsafe fn fields<Visitor: FieldVisitor>(this: *mut Self, visitor: &mut Visitor) {
                $(
                    // SAFETY: `this` points to an initialised tuple by the caller's contract, so the field is in
                    // bounds.
                    let field = unsafe { &raw mut (*this).$index };
                    // SAFETY: a field of an initialised tuple is initialised, and may be moved out as `this` may, by
                    // the caller's contract.
                    unsafe { $name::fields(field, visitor) };
                )*
            }

            #[inline]
            #[allow(unused_variables, reason = "the empty tuple has no effects")]
            fn take_effects<Visitor: EffectVisitor>(&mut self, visitor: &mut Visitor) {
                $(self.$index.take_effects(visitor);)*
            }

            #[inline]
            #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has nothing to read")]
            unsafe fn read<Source: FieldSource>(source: &mut Source) -> Self {
                // SAFETY: the source was made for the whole tuple by the caller's contract; its types are the elements'
                // types in order.
                ($(unsafe { $name::read(source) },)*)
            }
        }
    };
}

tuple_bundle!();
for_each_prefix!(tuple_bundle: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7] [I 8] [J 9] [K 10] [L 11] [M 12] [N 13] [O 14] [P 15]);
