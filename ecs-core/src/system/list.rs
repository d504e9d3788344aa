//! The parameters of a system as one, and the function that takes them.
//!
//! `#[system]` writes parameters without their lifetimes, which only expressions allow: `Probe::<Comp<Position>>::PART`
//! is a value that knows the type, and a tuple of such values is the [`Params`] of the system. All that is done with them
//! is code of this crate, so that the compiler has little to do for each system.

use core::marker::PhantomData;

use super::direct::run_direct;
use super::function::{Refused, System, Visit};
use super::joint::Joint;
use super::param::SystemParam;
use crate::world::{CommandQueue, World};

/// One parameter of a system: the [`SystemParam`] `P` without its lifetimes.
pub struct Of<P>(PhantomData<fn() -> P>);

impl<P> Of<P> {
    /// The one value.
    pub const PART: Self = Self(PhantomData);
}

impl<P> Clone for Of<P> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<P> Copy for Of<P> {}

/// Stands in the list for what is no parameter, which is an error that was reported.
pub struct NotAParameter;

/// The parameters of a system: a tuple of up to eight [`Of`]s, or any number of them in a list that grows by statements,
/// `More(More((), a), b)`.
pub trait Params: Copy + Send + 'static {
    /// Kept by the system from run to run.
    type State: Send + 'static;
    /// Held during a run.
    type Guard<'w>;
    /// Passed to the function.
    type Item<'g>;

    /// How many they are.
    const LEN: usize;

    /// The states before the first run.
    fn init(world: &World) -> Self::State;

    /// Borrows all of them, or none.
    ///
    /// # Errors
    /// If one cannot be had.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Self::Guard<'w>, Refused>;

    /// What the function sees.
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Hands over what was put off during the run.
    fn flush(state: &mut Self::State, into: &mut CommandQueue);
}

macro_rules! tuple {
    ($($name:ident $value:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<$($name: SystemParam + 'static),*> Params for ($(Of<$name>,)*) {
            type State = ($($name::State,)*);
            type Guard<'w> = ($($name::Guard<'w>,)*);
            type Item<'g> = ($($name::Item<'g>,)*);

            const LEN: usize = 0 $(+ { let _ = $index; 1 })*;

            fn init(world: &World) -> Self::State {
                let _ = world;
                ($($name::init(world),)*)
            }

            #[inline]
            fn lock<'w>(
                state: &'w mut Self::State,
                world: &'w World,
                joint: &'w Joint<'w>,
            ) -> Result<Self::Guard<'w>, Refused> {
                let _ = (&mut *state, world, joint);
                $(
                    let $value = match $name::lock_beside(&mut state.$index, world, joint) {
                        Ok(guard) => guard,
                        Err(error) => return Err(Refused::new($index, error)),
                    };
                )*
                Ok(($($value,)*))
            }

            #[inline]
            fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g> {
                let _ = &mut *guard;
                ($($name::get(&mut guard.$index),)*)
            }

            fn flush(state: &mut Self::State, into: &mut CommandQueue) {
                let _ = (&mut *state, &mut *into);
                $($name::flush(&mut state.$index, into);)*
            }
        }
    };
}

tuple!();
tuple!(A a 0);
tuple!(A a 0, B b 1);
tuple!(A a 0, B b 1, C c 2);
tuple!(A a 0, B b 1, C c 2, D d 3);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6);
tuple!(A a 0, B b 1, C c 2, D d 3, E e 4, F f 5, G g 6, H h 7);

/// A list with one more parameter: what grows by statements, on which a `cfg` can be repeated.
#[derive(Clone, Copy)]
pub struct More<L, P>(pub L, pub P);

impl<L: Params, P: SystemParam + 'static> Params for More<L, Of<P>> {
    type State = (L::State, P::State);
    type Guard<'w> = (L::Guard<'w>, P::Guard<'w>);
    type Item<'g> = (L::Item<'g>, P::Item<'g>);

    const LEN: usize = L::LEN + 1;

    fn init(world: &World) -> Self::State {
        (L::init(world), P::init(world))
    }

    #[inline]
    fn lock<'w>(
        (list, last): &'w mut Self::State,
        world: &'w World,
        joint: &'w Joint<'w>,
    ) -> Result<Self::Guard<'w>, Refused> {
        let list = L::lock(list, world, joint)?;
        match P::lock_beside(last, world, joint) {
            Ok(last) => Ok((list, last)),
            Err(error) => Err(Refused::new(L::LEN, error)),
        }
    }

    #[inline]
    fn get<'g>((list, last): &'g mut Self::Guard<'_>) -> Self::Item<'g> {
        (L::get(list), P::get(last))
    }

    fn flush((list, last): &mut Self::State, into: &mut CommandQueue) {
        L::flush(list, into);
        P::flush(last, into);
    }
}

/// The function of a system with its parameters.
pub trait Run<Out> {
    /// What it is given.
    type Params: Params;

    /// Calls it once.
    fn run(self, guard: &mut <Self::Params as Params>::Guard<'_>) -> Out;
}

/// A function that is called once a run, with the items of the parameters.
#[derive(Clone, Copy)]
struct Once<P, F>(PhantomData<P>, F);

/// As [`Once`], with what only one call can have.
struct Now<P, F>(PhantomData<P>, F);

/// A loop that calls a function, whose parameters give their items anew each time.
#[derive(Clone, Copy)]
struct Each<P, F>(PhantomData<P>, F);

// `Copy`, so that there is nothing to drop when a parameter panics: less to compile for each system.
impl<P: Params, Out, F: FnOnce(P::Item<'_>) -> Out + Copy> Run<Out> for Once<P, F> {
    type Params = P;

    #[inline]
    fn run(self, guard: &mut P::Guard<'_>) -> Out {
        (self.1)(P::get(guard))
    }
}

impl<P: Params, Out, F: FnOnce(P::Item<'_>) -> Out> Run<Out> for Now<P, F> {
    type Params = P;

    #[inline]
    fn run(self, guard: &mut P::Guard<'_>) -> Out {
        (self.1)(P::get(guard))
    }
}

impl<P: Params, Out, F: FnOnce(&mut P::Guard<'_>) -> Out> Run<Out> for Each<P, F> {
    type Params = P;

    #[inline]
    fn run(self, guard: &mut P::Guard<'_>) -> Out {
        (self.1)(guard)
    }
}

/// The parameters of a system, to be brought together with its function.
pub struct List<P>(pub P);

impl<P: Params> List<P> {
    /// Hands a function of the parameters' items to `visitor`.
    #[inline]
    pub fn once<V, Out, F>(self, visitor: V, function: F) -> V::Output
    where
        V: Visit<Out>,
        F: FnOnce(P::Item<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.shared(Once(PhantomData::<P>, function))
    }

    /// Hands a loop to `visitor`.
    #[inline]
    pub fn each<V, Out, F>(self, visitor: V, run: F) -> V::Output
    where
        V: Visit<Out>,
        F: FnOnce(&mut P::Guard<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.shared(Each(PhantomData::<P>, run))
    }

    /// Runs the system `S` with ordinary arguments, which `function` has captured.
    #[inline]
    #[track_caller]
    pub fn direct_once<S, Out, F>(self, world: &World, function: F) -> Out
    where
        S: System,
        F: FnOnce(P::Item<'_>) -> Out,
    {
        run_direct::<S, _, _>(world, Now(PhantomData::<P>, function))
    }

    /// As [`direct_once`](Self::direct_once), for a loop.
    #[inline]
    #[track_caller]
    pub fn direct_each<S, Out, F>(self, world: &World, run: F) -> Out
    where
        S: System,
        F: FnOnce(&mut P::Guard<'_>) -> Out,
    {
        run_direct::<S, _, _>(world, Each(PhantomData::<P>, run))
    }
}

/// The methods of a list with something that is no parameter. They are found where those above do not apply, and take
/// whatever they are given, so that no second error is reported about it.
pub trait BrokenList: Sized {
    /// In the place of [`List::once`].
    fn once<V: Visit<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// In the place of [`List::each`].
    fn each<V: Visit<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// In the place of [`List::direct_once`].
    fn direct_once<S, Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// In the place of [`List::direct_each`].
    fn direct_each<S, Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }
}

impl<P> BrokenList for List<P> {}
