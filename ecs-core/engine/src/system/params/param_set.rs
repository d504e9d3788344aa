//! `ParamSet`: parameters that are had one at a time.

use core::any::type_name;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

use crate::invariant::Invariant;
use crate::meta::ParamAccess;
use crate::system::{HeldBorrows, ParamError, SystemParam};
use crate::world::{CommandQueue, World};

/// Several parameters that conflict with each other, used one at a time: `set.p0()`, `set.p1()`, ..
///
/// Each is borrowed from the world when it is asked for, and given back when another one is asked for or the system
/// ends. A set has up to eight parameters.
///
/// Its queries can stand beside others that only `With` and `Without` keep apart from them. A system with such a set that
/// is called directly borrows what its queries touch when it starts.
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
/// /// All others get as much health as the strongest leader.
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
pub struct ParamSet<'g, P> {
    /// Invariant 1: points to a [`SlotsOf`] `P`, for a time that lasts at least as long as `'g`, which nobody else uses as long
    /// as `'g`. Without its type, so that a set can be named for any `P` and what is wrong with `P` is said once.
    slots: NonNull<()>,
    borrow: PhantomData<&'g mut ()>,
    of: Invariant<P>,
}

/// What a set borrows from: the guard of a [`ParamSet`], whatever lifetimes its parameters are written with.
pub struct Slots<'w, States, Guards> {
    world: &'w World,
    held: &'w HeldBorrows<'w>,
    /// Invariant 2: borrowed for `'w`, by `guards` and nothing else.
    states: NonNull<States>,
    /// The number of the parameter that was asked for last.
    turn: usize,
    /// Invariant 3: the guard of that parameter, if it was asked for; all others are empty.
    guards: Guards,
}

/// Of the parameters `P`.
type SlotsOf<'w, P> = Slots<'w, <P as SystemParam>::State, <P as ParamList>::Guards<'w>>;

/// Tuples of parameters that a [`ParamSet`] can be made of.
///
/// # Safety
/// `TURNS` is a [`ParamAccess::OneOf`] that names all that any of the parameters touches.
#[diagnostic::on_unimplemented(
    message = "a `ParamSet` is made of a tuple of up to eight parameters, not of `{Self}`",
    label = "not a tuple of parameters",
    note = "write `ParamSet<(Comp<A>, CompMut<A>)>`"
)]
pub unsafe trait ParamList: SystemParam {
    /// A place for the guard of each parameter.
    #[doc(hidden)]
    type Guards<'w>: Default;

    /// What is touched, one parameter at a time.
    #[doc(hidden)]
    const TURNS: &'static ParamAccess;
}

// SAFETY: one at a time it touches what the elements touch, which `TURNS` lists, and hands `held` to them.
unsafe impl<P: ParamList> SystemParam for ParamSet<'_, P> {
    type State = P::State;
    type Guard<'w> = SlotsOf<'w, P>;
    type Item<'g> = ParamSet<'g, P>;

    const ACCESS: &'static ParamAccess = P::TURNS;
    const REMEMBERS: bool = P::REMEMBERS;

    fn init(world: &World) -> Self::State {
        P::init(world)
    }

    fn lock<'w>(
        state: &'w mut Self::State,
        world: &'w World,
        held: &'w HeldBorrows<'w>,
    ) -> Result<Self::Guard<'w>, ParamError> {
        Ok(Slots {
            world,
            held,
            states: NonNull::from(state),
            turn: 0,
            guards: P::Guards::default(),
        })
    }

    fn get<'g>(guard: &'g mut Self::Guard<'_>) -> ParamSet<'g, P> {
        ParamSet {
            slots: NonNull::from(guard).cast(),
            borrow: PhantomData,
            of: PhantomData,
        }
    }

    fn flush(state: &mut Self::State, into: &mut CommandQueue) {
        P::flush(state, into);
    }
}

impl<P> fmt::Debug for ParamSet<'_, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ParamSet<{}>", type_name::<P>())
    }
}

impl<P: ParamList> ParamSet<'_, P> {
    /// Has the others give back what they hold: nobody uses their states any more.
    fn turn(&mut self, turn: usize) -> &mut SlotsOf<'_, P> {
        let slots = self.slots.cast();
        // SAFETY: by invariant 1, but for the lifetime, on which no layout depends. A guard of the longer time will do for the
        // shorter one; and one that `lock` makes for the shorter time, whatever that is, is made of the world and a state
        // that are borrowed for the longer one (invariant 2), so it may stay in its slot for that.
        let slots: &mut SlotsOf<'_, P> = unsafe { &mut *slots.as_ptr() };
        if slots.turn != turn {
            slots.guards = P::Guards::default();
            slots.turn = turn;
        }
        slots
    }
}

/// Borrows a parameter from the world, unless its guard is there already.
///
/// # Safety
/// The state lives as long as `'w`, and is used by `guard` and nothing else.
unsafe fn lock_or_reuse<'g, 'w, P: SystemParam>(
    guard: &'g mut Option<P::Guard<'w>>,
    state: *mut P::State,
    world: &'w World,
    held: &'w HeldBorrows<'w>,
) -> Result<P::Item<'g>, ParamError> {
    let guard = match guard {
        Some(guard) => guard,
        None => {
            // SAFETY: by the caller's contract the state lives as long as `'w` and only `guard` uses it, which is empty.
            let state = unsafe { &mut *state };
            guard.insert(P::lock(state, world, held)?)
        }
    };
    Ok(P::get(guard))
}

#[track_caller]
fn expect<P: SystemParam>(index: usize, item: Result<P::Item<'_>, ParamError>) -> P::Item<'_> {
    match item {
        Ok(item) => item,
        Err(error) => refused::<P>(index, &error),
    }
}

#[cold]
#[track_caller]
fn refused<P>(index: usize, error: &ParamError) -> ! {
    panic!(
        "parameter {index} of the set, `{}`, cannot be had: {error}",
        type_name::<P>()
    )
}

macro_rules! param_list {
    ($($name:ident $index:tt $get:ident $try_get:ident),+) => {
        // SAFETY: `TURNS` has the `ACCESS` of each.
        unsafe impl<$($name: SystemParam),+> ParamList for ($($name,)+) {
            type Guards<'w> = ($(Option<$name::Guard<'w>>,)+);

            const TURNS: &'static ParamAccess = &ParamAccess::OneOf(&[$($name::ACCESS),+]);
        }

        impl<$($name: SystemParam),+> ParamSet<'_, ($($name,)+)> {
            $(
                #[doc = concat!("Parameter ", $index, " of the set.")]
                ///
                /// # Panics
                /// If what is wanted is missing, or borrowed elsewhere in a conflicting way.
                #[track_caller]
                pub fn $get(&mut self) -> $name::Item<'_> {
                    expect::<$name>($index, self.$try_get())
                }

                #[doc = concat!("Parameter ", $index, " of the set.")]
                ///
                /// # Errors
                /// If what is wanted is missing, or borrowed elsewhere in a conflicting way.
                pub fn $try_get(&mut self) -> Result<$name::Item<'_>, ParamError> {
                    let slots = self.turn($index);
                    // SAFETY: by invariant 2 the states live; the place of one of them is computed.
                    let state = unsafe { &raw mut (*slots.states.as_ptr()).$index };
                    // SAFETY: by invariants 2 and 3.
                    unsafe { lock_or_reuse::<$name>(&mut slots.guards.$index, state, slots.world, slots.held) }
                }
            )+
        }
    };
}

param_list!(A 0 p0 try_p0);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2, D 3 p3 try_p3);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2, D 3 p3 try_p3, E 4 p4 try_p4);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2, D 3 p3 try_p3, E 4 p4 try_p4, F 5 p5 try_p5);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2, D 3 p3 try_p3, E 4 p4 try_p4, F 5 p5 try_p5, G 6 p6 try_p6);
param_list!(A 0 p0 try_p0, B 1 p1 try_p1, C 2 p2 try_p2, D 3 p3 try_p3, E 4 p4 try_p4, F 5 p5 try_p5, G 6 p6 try_p6, H 7 p7 try_p7);
