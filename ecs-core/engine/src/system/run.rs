//! Functions with the parameters that they take: each system, condition and observer is one.

use core::marker::PhantomData;

use super::param::SystemParam;
use crate::tuples::for_each_prefix;

/// A function with its parameters, called with their guards and with ordinary arguments.
pub trait Run<Out, Args = ()> {
    /// The parameters, a tuple or another list.
    type Params: SystemParam;

    /// Calls the function once.
    fn run(&mut self, guard: &mut <Self::Params as SystemParam>::Guard<'_>, args: Args) -> Out;
}

/// A function that takes the items of the parameters `P` one by one; one ordinary argument may precede them.
#[derive(Clone, Copy)]
pub struct Plain<P, F>(F, PhantomData<fn() -> P>);

/// A function that takes ordinary arguments, and the items as one tuple.
#[derive(Clone, Copy)]
pub struct Once<P, F>(F, PhantomData<fn() -> P>);

/// A loop that calls a function several times in a run, with new items each time. It takes ordinary arguments, and the
/// guards.
#[derive(Clone, Copy)]
pub struct Each<P, F>(F, PhantomData<fn() -> P>);

macro_rules! new {
    ($($name:ident)+) => {$(
        impl<P, F> $name<P, F> {
            #[inline]
            pub(super) fn new(function: F) -> Self {
                Self(function, PhantomData)
            }
        }
    )+};
}

new!(Plain Once Each);

macro_rules! plain {
    ($($name:ident $index:tt),*) => {
        impl<Func, Out, $($name: SystemParam),*> Run<Out> for Plain<($($name,)*), Func>
        where
            Func: FnMut($($name::Item<'_>),*) -> Out,
        {
            type Params = ($($name,)*);

            #[inline]
            fn run(&mut self, guard: &mut ($($name::Guard<'_>,)*), (): ()) -> Out {
                let _ = &mut *guard;
                (self.0)($($name::item(&mut guard.$index)),*)
            }
        }

        impl<Func, Out, Arg, $($name: SystemParam),*> Run<Out, (Arg,)> for Plain<($($name,)*), Func>
        where
            Func: FnMut(Arg, $($name::Item<'_>),*) -> Out,
        {
            type Params = ($($name,)*);

            #[inline]
            fn run(&mut self, guard: &mut ($($name::Guard<'_>,)*), (arg,): (Arg,)) -> Out {
                let _ = &mut *guard;
                (self.0)(arg, $($name::item(&mut guard.$index)),*)
            }
        }
    };
}

plain!();
for_each_prefix!(plain: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7]);

impl<P: SystemParam, Out, Args, F> Run<Out, Args> for Once<P, F>
where
    F: FnMut(Args, P::Item<'_>) -> Out,
{
    type Params = P;

    #[inline]
    fn run(&mut self, guard: &mut P::Guard<'_>, args: Args) -> Out {
        (self.0)(args, P::item(guard))
    }
}

impl<P: SystemParam, Out, Args, F> Run<Out, Args> for Each<P, F>
where
    F: FnMut(Args, &mut P::Guard<'_>) -> Out,
{
    type Params = P;

    #[inline]
    fn run(&mut self, guard: &mut P::Guard<'_>, args: Args) -> Out {
        (self.0)(args, guard)
    }
}

/// The function of a system that has none: it is exclusive, or does not compile.
pub struct NoFunction;

impl<Out, Args> Run<Out, Args> for NoFunction {
    type Params = ();

    fn run(&mut self, (): &mut (), _: Args) -> Out {
        unreachable!("the system takes `&mut World`, or does not compile")
    }
}
