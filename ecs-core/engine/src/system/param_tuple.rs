//! The parameters of a system as one type, and the functions that take them.

use core::marker::PhantomData;

use super::error::ParamLockError;
use super::held_borrows::HeldBorrows;
use super::param::SystemParam;
use super::remembered::Remember;
use crate::tuples::for_each_prefix;
use crate::world::{CommandQueue, World};

/// The parameters of a system, without lifetimes: a tuple of up to eight [`SystemParam`]s, or any number of them in a
/// list that grows by statements, `More<More<(), A>, B>`.
pub trait Params {
    /// The states that the system keeps from run to run.
    type State: Send + 'static;
    /// The guards that are held during a run.
    type Guard<'w>;
    /// The values that are passed to the function.
    type Item<'g>;

    /// The number of parameters.
    const LEN: usize;
    /// True if one of them [remembers](SystemParam::REMEMBERS) something.
    const REMEMBERS: bool;
    /// True if one of them [has readers](SystemParam::HAS_READERS).
    const HAS_READERS: bool;

    /// Creates the states before the first run.
    fn init(world: &World) -> Self::State;

    /// Locks all parameters, or none.
    ///
    /// # Errors
    /// If a parameter cannot be locked.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError>;

    /// Returns the values for the function.
    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Moves the changes deferred during the run to `into`.
    fn flush(state: &mut Self::State, into: &mut CommandQueue);

    /// Marks everything as read that their readers have not read yet.
    fn skip(state: &mut Self::State, world: &World);

    /// Calls a function with everything that the states carry from run to run.
    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>);
}

macro_rules! tuple {
    ($($name:ident $value:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<$($name: SystemParam),*> Params for ($($name,)*) {
            type State = ($($name::State,)*);
            type Guard<'w> = ($($name::Guard<'w>,)*);
            type Item<'g> = ($($name::Item<'g>,)*);

            const LEN: usize = 0 $(+ { let _ = $index; 1 })*;
            const REMEMBERS: bool = false $(|| $name::REMEMBERS)*;
            const HAS_READERS: bool = false $(|| $name::HAS_READERS)*;

            fn init(world: &World) -> Self::State {
                let _ = world;
                ($($name::init(world),)*)
            }

            #[inline]
            fn lock<'w>(
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

/// A list with one more parameter. It grows by statements, so that a `cfg` can be repeated on them. It has no values.
pub struct More<L, P>(PhantomData<(L, P)>);

impl<L: Params, P: SystemParam> Params for More<L, P> {
    type State = (L::State, P::State);
    type Guard<'w> = (L::Guard<'w>, P::Guard<'w>);
    type Item<'g> = (L::Item<'g>, P::Item<'g>);

    const LEN: usize = L::LEN + 1;
    const REMEMBERS: bool = L::REMEMBERS || P::REMEMBERS;
    const HAS_READERS: bool = L::HAS_READERS || P::HAS_READERS;

    fn init(world: &World) -> Self::State {
        (L::init(world), P::init(world))
    }

    #[inline]
    fn lock<'w>(
        (list, last): &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError> {
        let list = L::lock(list, world, held)?;
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

/// A function of the parameters `P` and the ordinary arguments `Args`: it takes the items one by one, or is an `OnceItems`
/// or `EachCall`, or one of these with arguments.
pub trait Run<P: Params, Out, Args = ()> {
    /// Calls the function once.
    fn run(self, guard: &mut P::Guard<'_>, args: Args) -> Out;
}

macro_rules! function {
    ($($name:ident $index:tt),*) => {
        impl<Func, Out, $($name: SystemParam),*> Run<($($name,)*), Out> for Func
        where
            Func: FnOnce($($name::Item<'_>),*) -> Out + Copy,
        {
            #[inline]
            fn run(self, guard: &mut ($($name::Guard<'_>,)*), (): ()) -> Out {
                let _ = &mut *guard;
                self($($name::item(&mut guard.$index)),*)
            }
        }
    };
}

function!();
for_each_prefix!(function: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7]);

/// A function that takes the items as one tuple.
#[derive(Clone, Copy)]
pub(super) struct OnceItems<F>(pub(super) F);

/// A loop that calls a function several times in a run, with new items each time.
#[derive(Clone, Copy)]
pub(super) struct EachCall<F>(pub(super) F);

impl<P: Params, Out, F: FnOnce(P::Item<'_>) -> Out> Run<P, Out> for OnceItems<F> {
    #[inline]
    fn run(self, guard: &mut P::Guard<'_>, (): ()) -> Out {
        (self.0)(P::item(guard))
    }
}

impl<P: Params, Out, F: FnOnce(&mut P::Guard<'_>) -> Out> Run<P, Out> for EachCall<F> {
    #[inline]
    fn run(self, guard: &mut P::Guard<'_>, (): ()) -> Out {
        (self.0)(guard)
    }
}

/// Like [`OnceItems`], for a function that takes ordinary arguments before the items.
#[derive(Clone, Copy)]
pub(super) struct OnceWith<F>(pub(super) F);

/// Like [`EachCall`], for a loop that takes ordinary arguments before the guards.
#[derive(Clone, Copy)]
pub(super) struct EachWith<F>(pub(super) F);

impl<P: Params, Out, Args, F> Run<P, Out, Args> for OnceWith<F>
where
    F: FnOnce(Args, P::Item<'_>) -> Out,
{
    #[inline]
    fn run(self, guard: &mut P::Guard<'_>, args: Args) -> Out {
        (self.0)(args, P::item(guard))
    }
}

impl<P: Params, Out, Args, F> Run<P, Out, Args> for EachWith<F>
where
    F: FnOnce(Args, &mut P::Guard<'_>) -> Out,
{
    #[inline]
    fn run(self, guard: &mut P::Guard<'_>, args: Args) -> Out {
        (self.0)(args, guard)
    }
}
