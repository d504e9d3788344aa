//! The parameters of a system as one type, and the function that takes them.
//!
//! `#[system]` writes parameters without their lifetimes, which only expressions allow: `list::<(Comp<Position>,)>()`
//! is a value that knows their types. All uses of it are code of this crate, so that there is little to compile for
//! each system.

use core::marker::PhantomData;

use super::direct::run_direct;
use super::function::{ParamLockError, System, SystemVisitor};
use super::held_borrows::HeldBorrows;
use super::param::SystemParam;
use crate::invariant::Invariant;
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

    /// Creates the states before the first run.
    fn init(world: &World) -> Self::State;

    /// Locks all of them, or none.
    ///
    /// # Errors
    /// If one cannot be locked.
    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamLockError>;

    /// Returns the values for the function.
    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> Self::Item<'g>;

    /// Moves the changes that were deferred during the run to `into`.
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

/// A list with one more parameter: it grows by statements, so that a `cfg` can be repeated on them. It has no values.
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
    /// The parameters of the function.
    type Params: Params;

    /// Calls the function once.
    fn run(self, guard: &mut <Self::Params as Params>::Guard<'_>) -> Out;
}

/// A function that takes the items of the parameters `P` one by one.
pub trait Function<P: Params, Out>: Copy + Send + 'static {
    /// Calls it with the items of the guards.
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

/// A function that is called once a run, with the items of the parameters as one tuple.
struct Once<P, F>(Invariant<P>, F);

/// A loop that calls a function several times a run, with new items of the parameters each time.
struct Each<P, F>(Invariant<P>, F);

/// Like [`Once`], for a closure that is not `Copy`, as it captures ordinary arguments.
struct OnceCapturing<P, F>(Invariant<P>, F);

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

impl<P: Params, Out, F: FnOnce(P::Item<'_>) -> Out> Run<Out> for OnceCapturing<P, F> {
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

/// The parameters of a system, to be combined with its function.
pub struct List<P>(Invariant<P>);

/// Returns the list of these parameters.
#[must_use]
pub const fn list<P>() -> List<P> {
    List(PhantomData)
}

impl<P> List<P> {
    /// Adds one more parameter to the list.
    #[must_use]
    pub fn and<Q>(self) -> List<More<P, Q>> {
        list()
    }

    /// Attaches the system that the parameters belong to.
    ///
    /// # Safety
    /// The parameters are those that the metadata of the system `S` lists, in that order.
    #[must_use]
    pub unsafe fn of<S>(self) -> ListOf<S, P> {
        ListOf {
            list: self,
            of: PhantomData,
        }
    }
}

impl<P: Params + 'static> List<P> {
    /// Passes a function of the parameters' items to `visitor`. An associated function, which is least to compile.
    #[inline]
    pub fn plain<V, Out, F>(visitor: V, function: F) -> V::Output
    where
        V: SystemVisitor<Out>,
        F: Function<P, Out>,
    {
        visitor.shared(Plain(PhantomData, function))
    }

    /// Like [`plain`](Self::plain), for a function that takes the items as one tuple.
    #[inline]
    pub fn once<V, Out, F>(self, visitor: V, function: F) -> V::Output
    where
        V: SystemVisitor<Out>,
        F: FnOnce(P::Item<'_>) -> Out + Copy + Send + 'static,
    {
        visitor.shared(Once(self.0, function))
    }

    /// Passes a loop to `visitor`.
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
        // SAFETY: `P` are the parameters of the metadata of `S` by invariant 1.
        unsafe { run_direct::<S, _, _>(world, OnceCapturing(self.list.0, function)) }
    }

    /// Like [`direct_once`](Self::direct_once), for a loop.
    #[inline]
    #[track_caller]
    pub fn direct_each<Out, F>(self, world: &World, run: F) -> Out
    where
        F: FnOnce(&mut P::Guard<'_>) -> Out,
    {
        // SAFETY: `P` are the parameters of the metadata of `S` by invariant 1.
        unsafe { run_direct::<S, _, _>(world, Each(self.list.0, run)) }
    }
}

/// The methods of a list with a type that is no parameter. They are found where those above do not apply, and accept
/// any arguments, so that no second error is reported.
pub trait BrokenList: Sized {
    /// Replaces [`List::plain`].
    fn plain<V: SystemVisitor<Out>, Out, F>(_: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// Replaces [`List::once`].
    fn once<V: SystemVisitor<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// Replaces [`List::each`].
    fn each<V: SystemVisitor<Out>, Out, F>(self, _: V, _: F) -> V::Output {
        unreachable!("the program does not compile")
    }

    /// Replaces [`ListOf::direct_once`].
    fn direct_once<Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }

    /// Replaces [`ListOf::direct_each`].
    fn direct_each<Out, F>(self, _: &World, _: F) -> Out {
        unreachable!("the program does not compile")
    }
}

impl<P> BrokenList for List<P> {}

impl<S, P> BrokenList for ListOf<S, P> {}
