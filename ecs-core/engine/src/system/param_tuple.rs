//! The parameters of a system as one, and the function that takes them.
//!
//! `#[system]` writes parameters without their lifetimes, which only expressions allow: `list::<(Comp<Position>,)>()` is
//! a value that knows their types. All that is done with them is code of this crate, so that the compiler has little to
//! do for each system.

use core::marker::PhantomData;

use super::direct::run_direct;
use super::function::{ParamLockError, System, SystemVisitor};
use super::held_borrows::HeldBorrows;
use super::param::SystemParam;
use crate::invariant::Invariant;
use crate::world::{CommandQueue, World};

/// The parameters of a system, without lifetimes: a tuple of up to eight [`SystemParam`]s, or any number of them in a list
/// that grows by statements, `More<More<(), A>, B>`.
pub trait Params {
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
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError>;

    /// What the function sees.
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Hands over what was put off during the run.
    fn flush(state: &mut Self::State, into: &mut CommandQueue);
}

macro_rules! tuple {
    ($($name:ident $value:ident $index:tt),*) => {
        #[allow(clippy::unused_unit, reason = "the empty tuple has no elements")]
        impl<$($name: SystemParam),*> Params for ($($name,)*) {
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

/// A list with one more parameter: what grows by statements, on which a `cfg` can be repeated. There are no values.
pub struct More<L, P>(PhantomData<(L, P)>);

impl<L: Params, P: SystemParam> Params for More<L, P> {
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
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError> {
        let list = L::lock(list, world, held)?;
        match P::lock(last, world, held) {
            Ok(last) => Ok((list, last)),
            Err(error) => Err(ParamLockError::new(L::LEN, error)),
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

/// Takes the items of the parameters `P` one by one.
pub trait Function<P: Params, Out>: Copy + Send + 'static {
    /// Calls it with what the guards give.
    fn call(self, guard: &mut P::Guard<'_>) -> Out;
}

macro_rules! function {
    ($($name:ident $index:tt),*) => {
        impl<Func, Out, $($name: SystemParam),*> Function<($($name,)*), Out> for Func
        where
            Func: FnOnce($($name::Item<'_>),*) -> Out + Copy + Send + 'static,
        {
            #[inline]
            fn call(self, guard: &mut ($($name::Guard<'_>,)*)) -> Out {
                let _ = &mut *guard;
                self($($name::get(&mut guard.$index)),*)
            }
        }
    };
}

function!();
function!(A 0);
function!(A 0, B 1);
function!(A 0, B 1, C 2);
function!(A 0, B 1, C 2, D 3);
function!(A 0, B 1, C 2, D 3, E 4);
function!(A 0, B 1, C 2, D 3, E 4, F 5);
function!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
function!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);

/// A function that is called once a run, with the items of the parameters one by one.
struct Plain<P, F>(Invariant<P>, F);

/// A function that is called once a run, with the items of the parameters as one.
struct Once<P, F>(Invariant<P>, F);

/// A loop that calls a function, whose parameters give their items anew each time.
struct Each<P, F>(Invariant<P>, F);

/// As [`Once`], with what only one call can have.
struct Now<P, F>(Invariant<P>, F);

macro_rules! copied {
    ($($name:ident),*) => {
        $(
            // `Copy`, so that there is nothing to drop when a parameter panics: less to compile for each system.
            impl<P, F: Copy> Clone for $name<P, F> {
                fn clone(&self) -> Self {
                    *self
                }
            }

            impl<P, F: Copy> Copy for $name<P, F> {}
        )*
    };
}

copied!(Plain, Once, Each);

impl<P: Params, Out, F: Function<P, Out>> Run<Out> for Plain<P, F> {
    type Params = P;

    #[inline]
    fn run(self, guard: &mut P::Guard<'_>) -> Out {
        self.1.call(guard)
    }
}

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
pub struct List<P>(Invariant<P>);

/// The list of these parameters.
#[must_use]
pub const fn list<P>() -> List<P> {
    List(PhantomData)
}

impl<P> List<P> {
    /// The list with one more parameter.
    #[must_use]
    pub fn and<Q>(self) -> List<More<P, Q>> {
        list()
    }

    /// The list, of which it is known whose parameters they are.
    ///
    /// # Safety
    /// They are those that the metadata of the system `S` lists, in that order.
    #[must_use]
    pub unsafe fn of<S>(self) -> ListOf<S, P> {
        ListOf {
            list: self,
            of: PhantomData,
        }
    }
}

impl<P: Params + 'static> List<P> {
    /// Hands a function of the parameters' items to `visitor`. Of the type alone, which is least to compile.
    #[inline]
    pub fn plain<V, Out, F>(visitor: V, function: F) -> V::Output
    where
        V: SystemVisitor<Out>,
        F: Function<P, Out>,
    {
        visitor.shared(Plain(PhantomData, function))
    }

    /// As [`plain`](Self::plain), for a function that takes the items as one.
    #[inline]
    pub fn once<V, Out, F>(self, visitor: V, function: F) -> V::Output
    where
        V: SystemVisitor<Out>,
        F: FnOnce(P::Item<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.shared(Once(self.0, function))
    }

    /// Hands a loop to `visitor`.
    #[inline]
    pub fn each<V, Out, F>(self, visitor: V, run: F) -> V::Output
    where
        V: SystemVisitor<Out>,
        F: FnOnce(&mut P::Guard<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.shared(Each(self.0, run))
    }
}

/// The parameters of the system `S`.
pub struct ListOf<S, P> {
    /// Invariant 1: `P` are the parameters that `S::META` lists, in that order.
    list: List<P>,
    of: Invariant<S>,
}

impl<S: System, P: Params + 'static> ListOf<S, P> {
    /// Runs the system with ordinary arguments, which `function` has captured.
    #[inline]
    #[track_caller]
    pub fn direct_once<Out, F>(self, world: &World, function: F) -> Out
    where
        F: FnOnce(P::Item<'_>) -> Out,
    {
        // SAFETY: by invariant 1.
        unsafe { run_direct::<S, _, _>(world, Now(self.list.0, function)) }
    }

    /// As [`direct_once`](Self::direct_once), for a loop.
    #[inline]
    #[track_caller]
    pub fn direct_each<Out, F>(self, world: &World, run: F) -> Out
    where
        F: FnOnce(&mut P::Guard<'_>) -> Out,
    {
        // SAFETY: by invariant 1.
        unsafe { run_direct::<S, _, _>(world, Each(self.list.0, run)) }
    }
}

/// The methods of a list with something that is no parameter. They are found where those above do not apply, and take
/// whatever they are given, so that no second error is reported about it.
pub trait BrokenList: Sized {
    /// In the place of [`List::plain`].
    fn plain<V: SystemVisitor<Out>, Out, F>(_: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// In the place of [`List::once`].
    fn once<V: SystemVisitor<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// In the place of [`List::each`].
    fn each<V: SystemVisitor<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// In the place of [`ListOf::direct_once`].
    fn direct_once<Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// In the place of [`ListOf::direct_each`].
    fn direct_each<Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }
}

impl<P> BrokenList for List<P> {}

impl<S, P> BrokenList for ListOf<S, P> {}
