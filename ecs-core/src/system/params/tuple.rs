//! Tuples of parameters are parameters.

use crate::meta::Tree;
use crate::system::{Joint, ParamError, SystemParam};
use crate::world::{CommandQueue, World};

macro_rules! tuple_param {
    ($($name:ident $index:tt),*) => {
        // SAFETY: touches what the elements touch, and `ACCESS` lists all of them.
        #[allow(unused_variables, clippy::unused_unit, reason = "the empty tuple has no elements")]
        #[diagnostic::do_not_recommend]
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = ($($name::State,)*);
            type Guard<'w> = ($($name::Guard<'w>,)*);
            type Item<'g> = ($($name::Item<'g>,)*);

            const ACCESS: &'static Tree = &Tree::All(&[$($name::ACCESS),*]);
            const REMEMBERS: bool = false $(|| $name::REMEMBERS)*;

            fn init(world: &World) -> Self::State {
                ($($name::init(world),)*)
            }

            #[inline]
            fn lock<'w>(
                state: &'w mut Self::State,
                world: &'w World,
            ) -> Result<Self::Guard<'w>, ParamError> {
                Ok(($($name::lock(&mut state.$index, world)?,)*))
            }

            #[inline]
            fn lock_beside<'w>(
                state: &'w mut Self::State,
                world: &'w World,
                joint: &'w Joint<'w>,
            ) -> Result<Self::Guard<'w>, ParamError> {
                Ok(($($name::lock_beside(&mut state.$index, world, joint)?,)*))
            }

            #[inline]
            fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
                ($($name::get(&mut guard.$index),)*)
            }

            fn flush(state: &mut Self::State, into: &mut CommandQueue) {
                $($name::flush(&mut state.$index, into);)*
            }
        }
    };
}

tuple_param!();
tuple_param!(A 0);
tuple_param!(A 0, B 1);
tuple_param!(A 0, B 1, C 2);
tuple_param!(A 0, B 1, C 2, D 3);
tuple_param!(A 0, B 1, C 2, D 3, E 4);
tuple_param!(A 0, B 1, C 2, D 3, E 4, F 5);
tuple_param!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
tuple_param!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
