//! The function of a system, passed with its parameters to the code that runs it or builds a system of it.

use alloc::boxed::Box;
use core::marker::PhantomData;
use core::ptr::NonNull;

use super::definition::System;
use super::execute::{Built, Direct};
use super::param::SystemParam;
use super::param_tuple::More;
use super::run::{Each, NoFunction, Once, Plain, Run};
use super::runner::{DynSystem, RunOutput};
use crate::invariant::Invariant;
use crate::meta::SystemMeta;
use crate::world::World;

/// A system that code other than its caller can run. A schedule or [`World::run`] runs one without ordinary arguments. A
/// [registered](World::register_system) system or a part of a pipe gets its ordinary arguments as the tuple `Args`.
///
/// `#[system]` implements it for ordinary arguments of any type and any `Out`: a type in an impl would need the
/// lifetimes that a parameter may leave out. [`same`](super::definition::same) compares the types when the system runs.
///
/// # Safety
/// `META` lists the parameters, and the system accesses nothing else of the world: `visit` passes `visitor` a function
/// of these parameters, in the listed order. Or `EXCLUSIVE` is the function.
#[diagnostic::on_unimplemented(
    message = "the system `{Self}` takes ordinary arguments, so only a caller can run it",
    label = "takes ordinary arguments",
    note = "a parameter that the world should supply comes after the first one that is known to be a world parameter, or is marked `#[param]`"
)]
pub unsafe trait VisitSystem<Out, Args = ()>: System + 'static {
    /// The function of a system with `&mut World`.
    const EXCLUSIVE: Option<ExclusiveFn<Out, Args>> = None;

    /// Passes the function of a shared system, with its parameters, to `visitor`.
    ///
    /// Not an associated type: parameters are written without their lifetimes, and only expressions allow that. The
    /// type of the visitor's result has no name, because names in the types of parameters could otherwise refer to it.
    fn visit<E>(visitor: &mut SystemVisitor<Self, Args, Out, E>)
    where
        Out: RunOutput<E>,
    {
        let _ = visitor;
        unreachable!("the system takes `&mut World`, or does not compile")
    }
}

/// The system of a function with an error. It never runs: the crate does not compile.
pub struct Broken;

impl System for Broken {
    const META: SystemMeta = SystemMeta::new("", &[]);
}

// SAFETY: there is no function, and none is passed on.
#[diagnostic::do_not_recommend]
unsafe impl<Out, Args> VisitSystem<Out, Args> for Broken {}

/// The function of an exclusive system.
pub type ExclusiveFn<Out, Args = ()> = fn(&mut World, Args) -> Out;

/// Receives the function of the system `S`, to run it at once or to build the system. The function returns an `Out`.
pub struct SystemVisitor<S, Args, Out, E> {
    /// Invariant 2: points to a world that is borrowed while the visitor exists.
    world: NonNull<World>,
    /// Invariant 1: the functions that it receives have the parameters that the metadata of `S` lists, in that order.
    of: Invariant<(S, Out)>,
    /// The arguments of the run; `None` if the system is built.
    args: Option<Args>,
    pub(super) result: Option<E>,
    pub(super) built: Option<Box<dyn DynSystem<Args, E>>>,
}

impl<S, Args, Out, E> SystemVisitor<S, Args, Out, E> {
    /// # Safety
    /// Only the `visit` of `S` receives it, and while the world is borrowed.
    #[inline]
    pub(super) unsafe fn new(world: &World, args: Option<Args>) -> Self {
        // Invariant 1: by the contract of `VisitSystem`.
        Self {
            world: NonNull::from(world),
            of: PhantomData,
            args,
            result: None,
            built: None,
        }
    }
}

impl<S: System + 'static, Args, Out: RunOutput<E> + 'static, E> SystemVisitor<S, Args, Out, E> {
    /// Receives the function.
    #[inline]
    pub fn visit<R: Run<Out, Args> + Send + 'static>(&mut self, run: R) {
        // SAFETY: invariant 2.
        let world = unsafe { self.world.as_ref() };
        if const { Out::BUILDS } {
            // SAFETY: invariant 1.
            let built = unsafe { Built::<S, _, R, Out>::new(world, run) };
            self.built = Some(Box::new(built));
        } else if let Some(args) = self.args.take() {
            // SAFETY: invariant 1.
            let direct = unsafe { Direct::<S>::new(world) };
            self.result = Some(Out::convert(direct.try_call(run, args)));
        }
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
    pub fn plain<S, Out, E, F>(visitor: &mut SystemVisitor<S, (), Out, E>, function: F)
    where
        S: System + 'static,
        Out: 'static,
        Out: RunOutput<E>,
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
        Once::new(function)
    }

    /// Combines the parameters with a loop.
    #[inline]
    pub fn each<Out, Args, F>(self, function: F) -> Each<P, F>
    where
        F: FnMut(Args, &mut P::Guard<'_>) -> Out,
    {
        Each::new(function)
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
