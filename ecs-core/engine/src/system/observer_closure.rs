//! Closures of an event and system parameters as observers.

use alloc::boxed::Box;

use super::closure::ClosureSystem;
use super::definition::checked;
use super::kept::KeptStates;
use super::observer::{finish, observe_once};
use super::param::SystemParam;
use super::param_tuple::Disjoint;
use super::run::{Plain, Run};
use super::runner::{SystemOutput, erased};
use crate::sync::{Mutex, PoisonError};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::hooks::{
    Call, DeferredWorld, IntoObserver, Observed, Observer, OfTrigger, OnComponent, Trigger,
    TriggerMut, Triggered, TriggeredMut,
};

/// Marks closures in the `M` of [`IntoObserver`]: `Ev` stands for the event, `M` is a function of the parameters.
#[doc(hidden)]
pub struct OfClosure<Ev, M>(Ev, M);

#[diagnostic::do_not_recommend]
impl<E: 'static, M> OfTrigger for OfClosure<Triggered<E>, M> {}

#[diagnostic::do_not_recommend]
impl<E: 'static, M> OfTrigger for OfClosure<TriggeredMut<E>, M> {}

macro_rules! observer_closure {
    ($($name:ident),*) => {
        // In both, the first bound determines the parameters; the call uses the second one.
        #[diagnostic::do_not_recommend]
        impl<Func, E: 'static, Out, $($name: SystemParam + 'static),*>
            IntoObserver<OfClosure<Triggered<E>, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(Trigger<'_, E>, $($name),*) -> Out + Send + Sync + 'static,
            Plain<($($name,)*), Func>: for<'e> Run<Out, (Trigger<'e, E>,), Params = ($($name,)*)>,
            Out: SystemOutput,
        {
            #[inline]
            fn into_observer(self) -> Observer {
                observer::<Triggered<E>, ($($name,)*), Out, Func>(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Func, E: 'static, Out, $($name: SystemParam + 'static),*>
            IntoObserver<OfClosure<TriggeredMut<E>, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(TriggerMut<'_, E>, $($name),*) -> Out + Send + Sync + 'static,
            Plain<($($name,)*), Func>: for<'e> Run<Out, (TriggerMut<'e, E>,), Params = ($($name,)*)>,
            Out: SystemOutput,
        {
            #[inline]
            fn into_observer(self) -> Observer {
                observer::<TriggeredMut<E>, ($($name,)*), Out, Func>(self)
            }
        }

        #[diagnostic::do_not_recommend]
        impl<Func, Ev: OnComponent, Out, $($name: SystemParam + 'static),*>
            IntoObserver<OfClosure<Ev, fn($($name),*) -> Out>> for Func
        where
            Func: FnMut(Ev, $($name),*) -> Out + Send + Sync + 'static,
            Plain<($($name,)*), Func>: for<'e> Run<Out, (<Ev as Observed>::Of<'e>,), Params = ($($name,)*)>,
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
for_each_prefix!(observer_closure: [A] [B] [C] [D] [F] [G] [H] [I]);

/// The description of a closure `F` of the event and the parameters `P`.
type Described<Ev, P, Out, F> =
    ClosureSystem<F, Plain<P, F>, Out, (<Ev as Observed>::Of<'static>,)>;

/// # Panics
/// If parameters conflict.
#[inline]
fn observer<Ev, P, Out, F>(function: F) -> Observer
where
    Ev: Observed,
    P: SystemParam + 'static,
    Out: SystemOutput,
    F: Send + Sync + 'static,
    Plain<P, F>: for<'e> Run<Out, (Ev::Of<'e>,), Params = P>,
{
    const { Disjoint::<P>::CHECK };
    let (name, event) = (type_name::<F>(), Ev::name());
    let mut checked = checked::<Described<Ev, P, Out, F>>();
    let mut function = Plain::<P, F>::new(function);
    // Never locked; the mutex makes the states `Sync`.
    let mut states = Mutex::new(KeptStates::default());
    let run = move |mut call: Call<'_>, world: DeferredWorld<'_>| {
        let states = states.get_mut().unwrap_or_else(PoisonError::into_inner);
        let Some(received) = Ev::receive(call.reborrow()) else {
            #[cfg(feature = "snapshot")]
            super::kept::lend(call, states, |states| {
                states.of::<P>().get_or_insert_with(|| P::init(&world));
            });
            return;
        };
        let result = observe_once::<Described<Ev, P, Out, F>, _, Out, _>(
            &mut function,
            states.of::<P>(),
            &mut checked,
            &world,
            (received,),
        );
        finish(event, name, result.map(erased));
    };
    Observer {
        params: P::PARAMS,
        captures: size_of::<F>() > 0,
        ..Observer::new::<Ev>(name, Box::new(run))
    }
}
