//! Tuples of parameters are parameters: all but what they touch is done by the lists of systems.

use crate::meta::ParamAccess;
use crate::system::{HeldBorrows, ParamError, Params, SystemParam};
use crate::world::{CommandQueue, World};

macro_rules! tuple_param {
    ($($name:ident),*) => {
        // SAFETY: touches what the elements touch, and `ACCESS` lists all of them.
        #[diagnostic::do_not_recommend]
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = <Self as Params>::State;
            type Guard<'w> = <Self as Params>::Guard<'w>;
            type Item<'g> = <Self as Params>::Item<'g>;

            const ACCESS: &'static ParamAccess = &ParamAccess::All(&[$($name::ACCESS),*]);
            const REMEMBERS: bool = false $(|| $name::REMEMBERS)*;

            fn init(world: &World) -> Self::State {
                <Self as Params>::init(world)
            }

            #[inline]
            fn lock<'w>(
                state: &'w mut Self::State,
                world: &'w World,
                held: &'w HeldBorrows<'w>,
            ) -> Result<Self::Guard<'w>, ParamError> {
                match <Self as Params>::lock(state, world, held) {
                    Ok(guard) => Ok(guard),
                    Err(refused) => Err(refused.error),
                }
            }

            #[inline]
            fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
                <Self as Params>::get(guard)
            }

            fn flush(state: &mut Self::State, into: &mut CommandQueue) {
                <Self as Params>::flush(state, into);
            }
        }
    };
}

tuple_param!();
tuple_param!(A);
tuple_param!(A, B);
tuple_param!(A, B, C);
tuple_param!(A, B, C, D);
tuple_param!(A, B, C, D, E);
tuple_param!(A, B, C, D, E, F);
tuple_param!(A, B, C, D, E, F, G);
tuple_param!(A, B, C, D, E, F, G, H);
