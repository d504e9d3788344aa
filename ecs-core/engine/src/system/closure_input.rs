//! Closures with an input: systems as values.

use alloc::boxed::Box;

use super::closure::{AnyClosure, BuiltClosure, SystemClosure, build, meta};
use super::error::{LockError, ParamLockError};
use super::exclusive::exclusive_value;
use super::held_borrows::HeldBorrows;
use super::param::SystemParam;
use super::param_tuple::Params;
use super::remembered::{Remember, captured};
use super::runner::{DynSystem, Runner, SystemId};
#[cfg(doc)]
use super::value::IntoSystemValue;
use super::value::SystemValue;
use crate::meta::ParamInfo;
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

/// The input of a closure that is a system: its first argument.
///
/// Pass such a closure to [`from_fn`](super::from_fn): it becomes a value ([`IntoSystemValue`]), which can be the second
/// system of a [pipe](IntoSystemValue::pipe) and can be [registered](World::register_system). Up to eight system
/// parameters follow the input, or a `&mut World`. The input must be `Send`. A `#[system]` function takes ordinary
/// arguments instead.
///
/// ```
/// use ecs_core::from_fn;
/// use ecs_core::prelude::*;
/// use ecs_core::system::In;
///
/// #[derive(Component)]
/// struct Health(i32);
///
/// let mut world = World::new();
/// let hero = world.spawn(Health(40));
/// let heal = world.register_system(from_fn(|In((who, by)): In<(Entity, i32)>, mut healths: CompMut<Health>| {
///     healths.get_mut(who).unwrap().0 += by;
/// }));
/// world.run_system(heal, (hero, 2))?;
///
/// let wounded = |healths: Query<&Health>| healths.iter().filter(|health| health.0 < 50).count();
/// let report = from_fn(|In(count): In<usize>, mut log: ResMut<Vec<usize>>| log.push(count));
/// world.insert_resource(Vec::<usize>::new());
/// let mut frame = Schedule::new();
/// frame.add(wounded.pipe(report));
/// frame.run(&mut world)?;
/// assert_eq!(*world.resource::<Vec<usize>>(), [1]);
/// assert_eq!(world.get::<Health>(hero).unwrap().0, 42);
/// # Ok::<(), Box<dyn core::error::Error>>(())
/// ```
///
/// Conflicting parameters are a compile error, which `cargo build` shows and `cargo check` does not:
///
/// ```compile_fail,E0080
/// use ecs_core::prelude::*;
/// # #[derive(Component)]
/// # struct Health(i32);
/// # let mut world = World::new();
/// world.register_system(ecs_core::from_fn(
///     |ecs_core::system::In(by): ecs_core::system::In<i32>, a: CompMut<Health>, b: Comp<Health>| {},
/// ));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct In<T>(pub T);

/// Marks closures with an input, in the `M` of [`AnyClosure`].
#[doc(hidden)]
pub struct WithInput<T, M>(T, M);

/// Marks closures of an input and a `&mut World`, in the `M` of [`AnyClosure`].
#[doc(hidden)]
pub struct ExclusiveWithInput<T, Out>(T, Out);

/// Marks closures that receive their input, in the `M` of [`SystemClosure`].
#[doc(hidden)]
pub struct OfInput<M>(M);

/// A closure stored together with its input, so that it needs only the parameters.
#[doc(hidden)]
pub struct ClosureWithInput<F, T> {
    function: F,
    /// `Some` during a run, until the closure is called.
    input: Option<T>,
}

/// A closure that is called with an input and the items of the parameters `P`.
#[doc(hidden)]
pub trait CallWithInput<T, P: Params, Out> {
    /// Calls the closure.
    fn call_with_input(&mut self, input: In<T>, guard: &mut P::Guard<'_>) -> Out;
}

macro_rules! closure_input {
    ($($name:ident $index:tt),*) => {
        #[diagnostic::do_not_recommend]
        impl<Func, Input, Out, $($name: SystemParam),*> CallWithInput<Input, ($($name,)*), Out> for Func
        where
            Func: FnMut(In<Input>, $($name::Item<'_>),*) -> Out,
        {
            #[inline]
            fn call_with_input(&mut self, input: In<Input>, guard: &mut ($($name::Guard<'_>,)*)) -> Out {
                let _ = &mut *guard;
                self(input, $($name::item(&mut guard.$index)),*)
            }
        }

        // SAFETY: `PARAMS` and `call`, which locks the parameters by `Params::lock`, are expanded from the same list.
        #[diagnostic::do_not_recommend]
        unsafe impl<Func, Input, Out, $($name: SystemParam),*> SystemClosure<OfInput<fn($($name),*) -> Out>>
            for ClosureWithInput<Func, Input>
        where
            // The first bound determines the parameters; the call uses the second one.
            Func: FnMut(In<Input>, $($name),*) -> Out + CallWithInput<Input, ($($name,)*), Out>,
        {
            type Params = ($($name,)*);
            type Out = Out;

            const PARAMS: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($index), ty: "_", of: $name::TYPE }),*
            ];
            const NAMES: &'static [fn() -> &'static str] = &[$(type_name::<$name>),*];

            fn name() -> &'static str {
                type_name::<Func>()
            }

            fn call(
                &mut self,
                state: &mut <Self::Params as SystemParam>::State,
                world: &World,
                held: &HeldBorrows<'_>,
            ) -> Result<Out, ParamLockError> {
                match <Self::Params as Params>::lock(state, world, held) {
                    Ok(mut guard) => {
                        let input = self.input.take().expect("given before each run");
                        Ok(self.function.call_with_input(In(input), &mut guard))
                    }
                    Err(error) => Err(error),
                }
            }
        }
    };
}

closure_input!();
for_each_prefix!(closure_input: [A 0] [B 1] [C 2] [D 3] [E 4] [F 5] [G 6] [H 7]);

#[diagnostic::do_not_recommend]
impl<F, T, M, Out> AnyClosure<WithInput<T, M>> for F
where
    F: Send + 'static,
    T: Send + 'static,
    M: 'static,
    ClosureWithInput<F, T>: SystemClosure<OfInput<M>, Out = Out>,
{
    type In = T;
    type Out = Out;

    const CHECK: () = <ClosureWithInput<F, T> as SystemClosure<OfInput<M>>>::CHECK;

    fn value(self) -> SystemValue<T, Out>
    where
        Out: 'static,
    {
        let given = ClosureWithInput {
            function: self,
            input: None,
        };
        // Invariant 1 of the value: by the contract of `SystemClosure`, the metadata names all accesses.
        SystemValue::new(
            SystemId::of::<F>(),
            meta::<ClosureWithInput<F, T>, OfInput<M>>(type_name::<F>()),
            Box::new(|world| Runner::Shared(Box::new(TakesInput(build(given, world))))),
        )
    }
}

#[diagnostic::do_not_recommend]
impl<F, T, Out> AnyClosure<ExclusiveWithInput<T, Out>> for F
where
    F: FnMut(In<T>, &mut World) -> Out + Send + 'static,
    T: 'static,
{
    type In = T;
    type Out = Out;

    const CHECK: () = ();

    fn value(mut self) -> SystemValue<T, Out>
    where
        Out: 'static,
    {
        exclusive_value::<F, _, _>(type_name::<F>(), move |world, input| self(In(input), world))
    }
}

/// A built closure that receives its input when it runs.
struct TakesInput<F, T, S, M>(BuiltClosure<ClosureWithInput<F, T>, S, M>);

impl<F, T, S, M> DynSystem<T, Result<<ClosureWithInput<F, T> as SystemClosure<M>>::Out, LockError>>
    for TakesInput<F, T, S, M>
where
    ClosureWithInput<F, T>: SystemClosure<M, Params: SystemParam<State = S>> + Send,
    S: Send,
{
    unsafe fn run(
        &mut self,
        world: &World,
        input: T,
    ) -> Result<<ClosureWithInput<F, T> as SystemClosure<M>>::Out, LockError> {
        self.0.function.input = Some(input);
        // SAFETY: the caller keeps the contract of `DynSystem::run`, which `run_once` requires.
        let result = unsafe { self.0.run_once(world) };
        // The input is still there if a parameter could not be locked.
        self.0.function.input = None;
        result
    }

    fn flush(&mut self, into: &mut CommandQueue) {
        <ClosureWithInput<F, T> as SystemClosure<M>>::Params::flush(&mut self.0.state, into);
    }

    unsafe fn skip(&mut self, world: &World) {
        <ClosureWithInput<F, T> as SystemClosure<M>>::Params::skip(&mut self.0.state, world);
    }

    fn remembered(&mut self, remember: &mut Remember<'_>) {
        captured::<F>(remember);
        <ClosureWithInput<F, T> as SystemClosure<M>>::Params::remembered(
            &mut self.0.state,
            remember,
        );
    }
}
