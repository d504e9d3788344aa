//! Lists of parameters, which are parameters too: tuples, and lists that grow by statements.

use core::marker::PhantomData;

use super::error::{ParamError, ParamLockError};
use super::held_borrows::HeldBorrows;
use super::param::SystemParam;
use super::remembered::Remember;
use crate::meta::{ParamAccess, ParamInfo, SystemMeta, refuse_conflict, refuse_immutable_in};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

macro_rules! tuple {
    ($($name:ident $value:ident $index:tt),*) => {
        // SAFETY: accesses only the data of its elements, and `ACCESS` lists it all; passes `held` to each element
        // once.
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        #[diagnostic::do_not_recommend]
        unsafe impl<$($name: SystemParam),*> SystemParam for ($($name,)*) {
            type State = ($($name::State,)*);
            type Guard<'w> = ($($name::Guard<'w>,)*);
            type Item<'g> = ($($name::Item<'g>,)*);

            const ACCESS: &'static ParamAccess = &ParamAccess::All(&[$($name::ACCESS),*]);
            const REMEMBERS: bool = false $(|| $name::REMEMBERS)*;
            const HAS_READERS: bool = false $(|| $name::HAS_READERS)*;
            const LEN: usize = 0 $(+ { let _ = $index; 1 })*;
            const PARAMS: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($index), ty: "_", of: $name::TYPE }),*
            ];
            const NAMES: &'static [fn() -> &'static str] = &[$(type_name::<$name>),*];

            fn init(world: &World) -> Self::State {
                let _ = world;
                ($($name::init(world),)*)
            }

            #[inline]
            fn lock<'w>(
                state: &'w mut Self::State,
                world: &'w World,
                held: &'w HeldBorrows<'w>,
            ) -> Result<Self::Guard<'w>, ParamError> {
                match Self::lock_list(state, world, held) {
                    Ok(guard) => Ok(guard),
                    Err(error) => Err(error.error),
                }
            }

            #[inline]
            fn lock_list<'w>(
                state: &'w mut Self::State,
                world: &'w World,
                held: &'w HeldBorrows<'w>,
            ) -> Result<Self::Guard<'w>, ParamLockError> {
                let _ = (&mut *state, world, held);
                $(
                    let $value = match $name::lock(&mut state.$index, world, held) {
                        Ok(guard) => guard,
                        Err(error) => return Err(ParamLockError::new($index, error)),
                    };
                )*
                Ok(($($value,)*))
            }

            #[inline]
            fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
                let _ = &mut *guard;
                ($($name::item(&mut guard.$index),)*)
            }

            fn flush(state: &mut Self::State, into: &mut CommandQueue) {
                let _ = (&mut *state, &mut *into);
                $($name::flush(&mut state.$index, into);)*
            }

            fn skip(state: &mut Self::State, world: &World) {
                let _ = (&mut *state, world);
                $($name::skip(&mut state.$index, world);)*
            }

            fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
                let _ = (&mut *state, &mut *remember);
                $($name::remembered(&mut state.$index, remember);)*
            }
        }
    };
}

tuple!();
for_each_prefix!(tuple: [A a 0] [B b 1] [C c 2] [D d 3] [E e 4] [F f 5] [G g 6] [H h 7]);

/// A list with one more parameter: any number of them as `More<More<(), A>, B>`. It grows by statements, so that a `cfg`
/// can be repeated on them. It has no values.
pub struct More<L, P>(PhantomData<(L, P)>);

// SAFETY: accesses only the data of the list and of the last parameter, and `ACCESS` lists it all; passes `held` to both
// once.
#[diagnostic::do_not_recommend]
unsafe impl<L: SystemParam, P: SystemParam> SystemParam for More<L, P> {
    type State = (L::State, P::State);
    type Guard<'w> = (L::Guard<'w>, P::Guard<'w>);
    type Item<'g> = (L::Item<'g>, P::Item<'g>);

    const ACCESS: &'static ParamAccess = &ParamAccess::All(&[L::ACCESS, P::ACCESS]);
    const REMEMBERS: bool = L::REMEMBERS || P::REMEMBERS;
    const HAS_READERS: bool = L::HAS_READERS || P::HAS_READERS;
    const LEN: usize = L::LEN + 1;

    fn init(world: &World) -> Self::State {
        (L::init(world), P::init(world))
    }

    #[inline]
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        match Self::lock_list(state, world, held) {
            Ok(guard) => Ok(guard),
            Err(error) => Err(error.error),
        }
    }

    #[inline]
    fn lock_list<'w>(
        (list, last): &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError> {
        let list = L::lock_list(list, world, held)?;
        match P::lock(last, world, held) {
            Ok(last) => Ok((list, last)),
            Err(error) => Err(ParamLockError::new(L::LEN, error)),
        }
    }

    #[inline]
    fn item<'g>((list, last): &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        (L::item(list), P::item(last))
    }

    fn flush((list, last): &mut Self::State, into: &mut CommandQueue) {
        L::flush(list, into);
        P::flush(last, into);
    }

    fn skip((list, last): &mut Self::State, world: &World) {
        L::skip(list, world);
        P::skip(last, world);
    }

    fn remembered((list, last): &mut Self::State, remember: &mut Remember<'_>) {
        L::remembered(list, remember);
        P::remembered(last, remember);
    }
}

/// A check of the parameters in a tuple.
pub(super) struct Disjoint<P>(PhantomData<P>);

impl<P: SystemParam> Disjoint<P> {
    /// Fails to compile if parameters are known to conflict.
    pub(super) const CHECK: () = {
        // A constant cannot know the closure's name; the compiler points at its place.
        let meta = SystemMeta::new("closure", P::PARAMS);
        let mut second = 0;
        while second < meta.params.len() {
            refuse_conflict(&meta, second, &[], &[]);
            refuse_immutable_in(meta.params[second].of.access);
            second += 1;
        }
    };
}
