//! Tuples of components to spawn entities of a closed world with.

use ecs_engine::__private::{for_each_narrow_arity, for_each_wide_arity};

use crate::access::StaticAccess;
use crate::component::ComponentOf;

/// A tuple of components of a closed world.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of components of the world `{W}`",
    label = "not a tuple of up to 16 components",
    note = "write `spawn!(world; component, ..)` or `world.spawn((component, ..))`; a single one is `(component,)`"
)]
pub trait ComponentValues<W> {
    /// The components, in the order of the tuple.
    #[doc(hidden)]
    const ACCESS: &'static StaticAccess;

    /// Inserts the components into the entity with this index, which has none.
    #[doc(hidden)]
    fn fill(self, world: &mut W, index: u32);
}

impl<W> ComponentValues<W> for () {
    const ACCESS: &'static StaticAccess = &StaticAccess::None;

    #[inline]
    fn fill(self, _: &mut W, _: u32) {}
}

macro_rules! tuple_values {
    ($($name:ident $value:ident),+) => {
        impl<World, $($name: ComponentOf<World>),+> ComponentValues<World> for ($($name,)+) {
            const ACCESS: &'static StaticAccess =
                &StaticAccess::All(&[$(&StaticAccess::Write(<$name as ComponentOf<World>>::INDEX)),+]);

            #[inline]
            fn fill(self, world: &mut World, index: u32) {
                let ($($value,)+) = self;
                $(<$name as ComponentOf<World>>::parts_mut(world).1.fill(index, $value);)+
            }
        }
    };
}

for_each_narrow_arity!(tuple_values);

/// Has bounds for the inner tuples only, because the compiler proves them faster than one for each member.
macro_rules! wide_values {
    ($($left:ident $l:ident),+; $($right:ident $r:ident),+) => {
        impl<World, $($left,)+ $($right),+> ComponentValues<World> for ($($left,)+ $($right,)+)
        where
            ($($left,)+): ComponentValues<World>,
            ($($right,)+): ComponentValues<World>,
        {
            const ACCESS: &'static StaticAccess =
                &StaticAccess::All(&[<($($left,)+)>::ACCESS, <($($right,)+)>::ACCESS]);

            #[inline]
            fn fill(self, world: &mut World, index: u32) {
                let ($($l,)+ $($r,)+) = self;
                ($($l,)+).fill(world, index);
                ($($r,)+).fill(world, index);
            }
        }
    };
}

for_each_wide_arity!(wide_values);
