//! Tuples of parameters as parameters: [`Params`] implements everything except `ACCESS`.

use crate::meta::ParamAccess;
use crate::system::{HeldBorrows, ParamError, Params, Remember, SystemParam};
use crate::tuples::for_each_prefix;
use crate::world::{CommandQueue, World};

macro_rules! tuple_param {
    ($($name:ident),*) => {
        // SAFETY: accesses only the data of its elements, and `ACCESS` lists it all; passes `held` to each element
        // once.
        #[diagnostic::do_not_recommend]
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = <Self as Params>::State;
            type Guard<'w> = <Self as Params>::Guard<'w>;
            type Item<'g> = <Self as Params>::Item<'g>;

            const ACCESS: &'static ParamAccess = &ParamAccess::All(&[$($name::ACCESS),*]);
            const REMEMBERS: bool = false $(|| $name::REMEMBERS)*;
            const HAS_READERS: bool = false $(|| $name::HAS_READERS)*;

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
                    Err(error) => Err(error.error),
                }
            }

            #[inline]
            fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
                <Self as Params>::item(guard)
            }

            fn flush(state: &mut Self::State, into: &mut CommandQueue) {
                <Self as Params>::flush(state, into);
            }

            fn skip(state: &mut Self::State, world: &World) {
                <Self as Params>::skip(state, world);
            }

            fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
                <Self as Params>::remembered(state, remember);
            }
        }
    };
}

tuple_param!();
for_each_prefix!(tuple_param: [A] [B] [C] [D] [E] [F] [G] [H]);
