//! Parameters that are borrowed one at a time.

use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::invariant::Invariant;
use crate::meta::ParamAccess;
use crate::system::{HeldBorrows, ParamError, Remember, SystemParam};
use crate::tuples::for_each_prefix;
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

/// Several parameters that conflict with each other, used one at a time: `set.p0()`, `set.p1()`, ..
///
/// A call of one of its methods borrows that parameter from the world. The next call of another method, or the end of
/// the system, releases it. A set has up to eight parameters.
///
/// You can combine its queries with other queries of the system if only `With` and `Without` keep them disjoint. When
/// you call a system with such a set directly, it takes the borrows of its queries at the start.
///
/// ```
/// use ecs_core::prelude::*;
///
/// #[derive(Component, Clone, Copy)]
/// struct Health(i32);
///
/// #[derive(Component)]
/// struct Leader;
///
/// /// Gives all others as much health as the strongest leader has.
/// #[system]
/// fn inspire(mut set: ParamSet<(Query<&Health, With<Leader>>, CompMut<Health>)>) {
///     let most = set.p0().iter().map(|health| health.0).max();
///     for health in set.p1().iter_mut() {
///         health.0 = most.unwrap_or(health.0);
///     }
/// }
///
/// let mut world = World::new();
/// world.spawn((Health(5), Leader));
/// let weak = world.spawn(Health(1));
/// inspire(&world);
/// assert_eq!(world.get::<Health>(weak).unwrap().0, 5);
/// ```
#[doc(alias = "QuerySet")]
pub struct ParamSet<'g, P> {
    /// Invariant 1: points to a [`SlotsOf`] `P`, for a lifetime at least as long as `'g`, which no other code uses
    /// during `'g`. Untyped, so that a set can be named for any `P`, and an error about `P` is reported once.
    slots: NonNull<()>,
    borrow: PhantomData<&'g mut ()>,
    of: Invariant<P>,
}

/// The guard of a [`ParamSet`], for whichever lifetimes its parameters are written with.
pub struct ParamSetGuard<'w, States, Guards> {
    world: &'w World,
    held: &'w HeldBorrows<'w>,
    /// Invariant 2: borrowed for `'w`, by `guards` and nothing else.
    states: NonNull<States>,
    /// The number of the parameter that was borrowed last.
    current: usize,
    /// Invariant 3: holds the guard of that parameter if it is borrowed; all others are empty.
    guards: Guards,
}

/// The slots of the parameters `P`.
type SlotsOf<'w, P> = ParamSetGuard<'w, <P as SystemParam>::State, <P as ParamList>::Guards<'w>>;

/// Tuples of parameters that a [`ParamSet`] accepts.
///
/// # Safety
/// `TURNS` is a [`ParamAccess::OneOf`] that names everything that any of the parameters accesses.
#[diagnostic::on_unimplemented(
    message = "a `ParamSet` is made of a tuple of up to eight parameters, not of `{Self}`",
    label = "not a tuple of parameters",
    note = "write `ParamSet<(Comp<A>, CompMut<A>)>`"
)]
pub unsafe trait ParamList: SystemParam {
    /// A slot for the guard of each parameter.
    #[doc(hidden)]
    type Guards<'w>: Default;

    /// The access of the parameters, one at a time.
    #[doc(hidden)]
    const TURNS: &'static ParamAccess;
}

// SAFETY: accesses the data of its elements, which `TURNS` lists, one at a time, and passes `held` to them.
unsafe impl<P: ParamList> SystemParam for ParamSet<'_, P> {
    type State = P::State;
    type Guard<'w> = SlotsOf<'w, P>;
    type Item<'g> = ParamSet<'g, P>;

    const ACCESS: &'static ParamAccess = P::TURNS;
    const REMEMBERS: bool = P::REMEMBERS;
    const HAS_READERS: bool = P::HAS_READERS;

    fn init(world: &World) -> Self::State {
        P::init(world)
    }

    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        Ok(ParamSetGuard {
            world,
            held,
            states: NonNull::from(state),
            current: 0,
            guards: P::Guards::default(),
        })
    }

    fn item<'g>(guard: &'g mut Self::Guard<'_>) -> ParamSet<'g, P> {
        ParamSet {
            slots: NonNull::from(guard).cast(),
            borrow: PhantomData,
            of: PhantomData,
        }
    }

    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        P::flush(state, into);
    }

    fn skip(state: &mut Self::State, world: &World) {
        P::skip(state, world);
    }

    fn remembered(state: &mut Self::State, remember: &mut Remember<'_>) {
        P::remembered(state, remember);
    }
}

impl<P> fmt::Debug for ParamSet<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParamSet<{}>", type_name::<P>())
    }
}

impl<P: ParamList> ParamSet<'_, P> {
    /// Drops the guards of the other parameters, so that no code uses their states any more.
    fn switch_to(&mut self, index: usize) -> &mut SlotsOf<'_, P> {
        let slots = self.slots.cast();
        // SAFETY: valid and not used by other code by invariant 1, apart from the lifetime; no layout depends on it. A
        // guard of the longer lifetime is valid for the shorter one. A guard that `lock` makes for the shorter one
        // borrows the world and a state that are borrowed for the longer one (invariant 2), so it may stay in its slot
        // that long.
        let slots: &mut SlotsOf<'_, P> = unsafe { &mut *slots.as_ptr() };
        if slots.current != index {
            slots.guards = P::Guards::default();
            slots.current = index;
        }
        slots
    }
}

/// Borrows a parameter from the world, unless its guard exists already.
///
/// # Safety
/// `state` is valid for `'w`, and used by `guard` and nothing else.
unsafe fn lock_or_reuse<'g, 'w, P: SystemParam>(
    guard: &'g mut Option<P::Guard<'w>>,
    state: *mut P::State,
    world: &'w World,
    held: &'w HeldBorrows<'w>,
) -> Result<P::Item<'g>, ParamError> {
    let guard = match guard {
        Some(guard) => guard,
        None => {
            // SAFETY: by the caller's contract the state is valid for `'w` and used by `guard` alone, which is empty.
            let state = unsafe { &mut *state };
            guard.insert(P::lock(state, world, held)?)
        }
    };
    Ok(P::item(guard))
}

#[track_caller]
fn expect<P: SystemParam>(index: usize, item: Result<P::Item<'_>, ParamError>) -> P::Item<'_> {
    match item {
        Ok(item) => item,
        Err(error) => lock_failed::<P>(index, &error),
    }
}

#[cold]
#[track_caller]
fn lock_failed<P>(index: usize, error: &ParamError) -> ! {
    panic!(
        "parameter {index} of the set, `{}`, cannot be borrowed: {error}",
        type_name::<P>()
    )
}

macro_rules! param_list {
    ($($name:ident $index:tt $get:ident $try_get:ident),+) => {
        // SAFETY: `TURNS` is a `OneOf` with the `ACCESS` of each.
        unsafe impl<$($name: SystemParam),+> ParamList for ($($name,)+) {
            type Guards<'w> = ($(Option<$name::Guard<'w>>,)+);

            const TURNS: &'static ParamAccess = &ParamAccess::OneOf(&[$($name::ACCESS),+]);
        }

        impl<$($name: SystemParam),+> ParamSet<'_, ($($name,)+)> {
            $(
                #[doc = concat!("Parameter ", $index, " of the set.")]
                ///
                /// # Panics
                /// If the value is missing, or borrowed elsewhere in a conflicting way.
                #[track_caller]
                pub fn $get(&mut self) -> $name::Item<'_> {
                    expect::<$name>($index, self.$try_get())
                }

                #[doc = concat!("Parameter ", $index, " of the set.")]
                ///
                /// # Errors
                /// If the value is missing, or borrowed elsewhere in a conflicting way.
                pub fn $try_get(&mut self) -> Result<$name::Item<'_>, ParamError> {
                    let slots = self.switch_to($index);
                    // SAFETY: `states` points to a live tuple by invariant 2; only the address of one of its fields is
                    // computed.
                    let state = unsafe { &raw mut (*slots.states.as_ptr()).$index };
                    // SAFETY: the state is borrowed for `'w` by `guards` alone (invariant 2); only the guard of this
                    // parameter uses it, because all others are empty (invariant 3).
                    unsafe { lock_or_reuse::<$name>(&mut slots.guards.$index, state, slots.world, slots.held) }
                }
            )+
        }
    };
}

for_each_prefix!(param_list: [A 0 p0 try_p0] [B 1 p1 try_p1] [C 2 p2 try_p2] [D 3 p3 try_p3] [E 4 p4 try_p4] [F 5 p5 try_p5] [G 6 p6 try_p6] [H 7 p7 try_p7]);
