//! Closures of an event and system parameters as observers.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;

use super::error::LockError;
use super::held_borrows::check;
use super::observer::{finish, run_once};
use super::param::SystemParam;
use super::param_tuple::Params;
use super::runner::SystemOutput;
use crate::meta::{ParamInfo, SystemMeta, refuse_conflict};
use crate::sync::{Mutex, PoisonError};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::hooks::{
    Call, DeferredWorld, IntoObserver, Observed, Observer, OfTrigger, OnComponent, Trigger,
    Triggered,
};

/// Marks closures in the `M` of [`IntoObserver`]: `Ev` stands for the event, `M` is a function of the parameters.
#[doc(hidden)]
pub struct OfClosure<Ev, M>(Ev, M);

#[diagnostic::do_not_recommend]
impl<E: 'static, M> OfTrigger for OfClosure<Triggered<E>, M> {}

/// The parameters of a closure in the form that its metadata lists.
pub(super) trait ClosureParams: Params {
    /// The descriptions of the parameters.
    const PARAMS: &'static [ParamInfo];
    /// The names of their types.
    const NAMES: &'static [fn() -> &'static str];
    /// Fails to compile if parameters are known to conflict.
    const CHECK: () = {
        let meta = SystemMeta::new("closure", Self::PARAMS);
        let mut second = 0;
        while second < meta.params.len() {
            refuse_conflict(&meta, second, &[], &[]);
            second += 1;
        }
    };
}

/// A closure that is called with an event and the items of the parameters `P`.
pub trait CallWithEvent<Ev: Observed, P: Params, Out> {
    /// Calls the closure.
    fn call_with_event(&mut self, event: Ev::Of<'_>, guard: &mut P::Guard<'_>) -> Out;
}

macro_rules! observer_closure {
    ($($name:ident $index:tt),*) => {
        impl<$($name: SystemParam),*> ClosureParams for ($($name,)*) {
            const PARAMS: &'static [ParamInfo] = &[
                $(ParamInfo { name: stringify!($index), ty: "_", of: $name::TYPE }),*
            ];
            const NAMES: &'static [fn() -> &'static str] = &[$(type_name::<$name>),*];
        }

        #[diagnostic::do_not_recommend]
        impl<Func, Ev: Observed, Out, $($name: SystemParam),*> CallWithEvent<Ev, ($($name,)*), Out> for Func
        where
            Func: FnMut(Ev::Of<'_>, $($name::Item<'_>),*) -> Out,
        {
            #[inline]
            fn call_with_event(&mut self, event: Ev::Of<'_>, guard: &mut ($($name::Guard<'_>,)*)) -> Out {
                let _ = &mut *guard;
                self(event, $($name::item(&mut guard.$index)),*)
            }
        }

        // In both, the first bound determines the parameters; the call uses the second one.
        #[diagnostic::do_not_recommend]
        impl<Func, E: 'static, Out, $($name: SystemParam),*>
            IntoObserver<OfClosure<Triggered<E>, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(Trigger<'_, E>, $($name),*) -> Out
                + CallWithEvent<Triggered<E>, ($($name,)*), Out> + Send + Sync + 'static,
            Out: SystemOutput,
        {
            #[inline]
            fn into_observer(self) -> Observer {
                observer::<Triggered<E>, ($($name,)*), Out, Func>(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Func, Ev: OnComponent, Out, $($name: SystemParam),*>
            IntoObserver<OfClosure<Ev, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(Ev, $($name),*) -> Out
                + CallWithEvent<Ev, ($($name,)*), Out> + Send + Sync + 'static,
            Out: SystemOutput,
        {
            #[inline]
            fn into_observer(self) -> Observer {
                observer::<Ev, ($($name,)*), Out, Func>(self)
            }
        }
    };
}

observer_closure!();
for_each_prefix!(observer_closure: [A 0] [B 1] [C 2] [D 3] [F 4] [G 5] [H 6] [I 7]);

/// # Panics
/// If parameters conflict.
#[inline]
fn observer<Ev, P, Out, F>(mut function: F) -> Observer
where
    Ev: Observed,
    P: ClosureParams,
    Out: SystemOutput,
    F: CallWithEvent<Ev, P, Out> + Send + Sync + 'static,
{
    const { P::CHECK };
    let (name, event) = (type_name::<F>(), Ev::name());
    let mut checked = check(&SystemMeta::new(name, P::PARAMS), "");
    // Never locked; the mutex makes the states `Sync`.
    let mut state = Mutex::new(None::<P::State>);
    let run = move |call: Call<'_>, world: DeferredWorld<'_>| {
        let Some(received) = Ev::receive(call) else {
            return;
        };
        let state = state.get_mut().unwrap_or_else(PoisonError::into_inner);
        let result = run_once::<P, Out>(state, &mut checked, &world, |guard| {
            function.call_with_event(received, guard)
        });
        let result = result.map_err(|error| LockError {
            system: name,
            parameter: P::NAMES[error.parameter]().to_owned(),
            error: error.error,
        });
        finish(event, name, result.map(SystemOutput::into_result));
    };
    Observer {
        params: P::PARAMS,
        ..Observer::new::<Ev>(name, Box::new(run))
    }
}
