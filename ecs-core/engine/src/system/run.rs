//! Functions with the parameters that they take: each system, condition and observer is one.

use core::marker::PhantomData;

use super::definition::System;
use super::execute::RunResult;
use super::param::SystemParam;
use super::param_tuple::More;
use super::source::SystemVisitor;
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

impl<P, F> Plain<P, F> {
    #[inline]
    pub(super) fn new(function: F) -> Self {
        Self(function, PhantomData)
    }
}

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

/// The parameters of a system, to be combined with its function.
///
/// `#[system]` writes parameters without their lifetimes, and only expressions allow that:
/// `list::<(Comp<Position>,)>()` is a value that knows their types.
pub struct DirectParams<P>(PhantomData<P>);

/// Returns the list of these parameters.
#[must_use]
pub const fn list<P>() -> DirectParams<P> {
    DirectParams(PhantomData)
}

impl<P> DirectParams<P> {
    /// Adds one more parameter to the list.
    #[must_use]
    pub fn and<Q>(self) -> DirectParams<More<P, Q>> {
        list()
    }
}

impl<P: SystemParam> DirectParams<P> {
    /// Passes a function of the parameters' items to `visitor`. An associated function compiles fastest.
    #[inline]
    pub fn plain<S, Out, E, F>(visitor: &mut SystemVisitor<S, (), E>, function: F)
    where
        S: System + 'static,
        Out: 'static,
        E: RunResult<Out>,
        Plain<P, F>: Run<Out> + Send + 'static,
    {
        visitor.visit(Plain::new(function));
    }

    /// Combines the parameters with a function of ordinary arguments and of one tuple of their items.
    #[inline]
    pub fn once<Out, Args, F>(self, function: F) -> Once<P, F>
    where
        F: FnMut(Args, P::Item<'_>) -> Out,
    {
        Once(function, PhantomData)
    }

    /// Combines the parameters with a loop.
    #[inline]
    pub fn each<Out, Args, F>(self, function: F) -> Each<P, F>
    where
        F: FnMut(Args, &mut P::Guard<'_>) -> Out,
    {
        Each(function, PhantomData)
    }
}

/// The methods of a list with a type that is not a parameter. The compiler finds them if the methods above do not
/// apply; they accept any function, so it reports no second error.
pub trait BrokenList: Sized {
    /// Replaces [`DirectParams::plain`].
    fn plain<V, F>(_: &mut V, _: F) {
        unreachable!("the program does not compile")
    }

    /// Replaces [`DirectParams::once`].
    fn once<F>(self, _: F) -> NoFunction {
        NoFunction
    }

    /// Replaces [`DirectParams::each`].
    fn each<F>(self, _: F) -> NoFunction {
        NoFunction
    }
}

impl<P> BrokenList for DirectParams<P> {}

/// The function of a system that has none: it is exclusive, or does not compile.
pub struct NoFunction;

impl<Out, Args> Run<Out, Args> for NoFunction {
    type Params = ();

    fn run(&mut self, (): &mut (), _: Args) -> Out {
        unreachable!("the system takes `&mut World`, or does not compile")
    }
}
