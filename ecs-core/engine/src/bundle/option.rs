//! A bundle that may be missing is a bundle.
//!
//! The components of such a bundle are known by its value: `Bundles::info_of_value` finds the info of the components that
//! are there, which is the same one for all bundles with these components. `Bundle::IS_VARIABLE` is a constant, so a
//! bundle without options is compiled to the same code as if there were none.

use super::{Bundle, Components, EffectVisitor, FieldSource, FieldVisitor, TypeVisitor};

// SAFETY: `types` announces the inner bundle as optional. If there is one, each function visits it, and it fulfils this
// contract; otherwise none does, and the option owns nothing. `read` asks the source which of them is the case.
unsafe impl<B: Bundle> Bundle for Option<B> {
    const MAY_REQUIRE: bool = B::MAY_REQUIRE;

    const HAS_EFFECTS: bool = B::HAS_EFFECTS;

    const IS_VARIABLE: bool = true;

    const COMPONENTS: &'static Components = B::COMPONENTS;

    #[inline]
    fn types<V: TypeVisitor>(visitor: &mut V) {
        visitor.optional::<B>();
    }

    #[inline]
    unsafe fn fields<V: FieldVisitor>(this: *mut Self, visitor: &mut V) {
        // SAFETY: `this` points to an initialised option by the caller's contract, and no other code uses it meanwhile.
        if let Some(bundle) = unsafe { &mut *this } {
            // SAFETY: the bundle is initialised, and may be moved out as `this` may, by the caller's contract.
            unsafe { B::fields(bundle, visitor) };
        }
    }

    #[inline]
    fn take_effects<V: EffectVisitor>(&mut self, visitor: &mut V) {
        if let Some(bundle) = self {
            bundle.take_effects(visitor);
        }
    }

    #[inline]
    unsafe fn read<S: FieldSource>(source: &mut S) -> Self {
        // SAFETY: the source has the values of the inner bundle if it says so, by the caller's contract.
        source.has_optional().then(|| unsafe { B::read(source) })
    }
}
