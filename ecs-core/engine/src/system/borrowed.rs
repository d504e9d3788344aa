//! System parameters that are borrowed from a world without a system.

use alloc::boxed::Box;
use core::ptr::NonNull;

use super::error::ParamError;
use super::held_borrows::{EnteredBorrows, NoConflict, check};
use super::param::SystemParam;
use crate::meta::{ParamInfo, SystemMeta, refuse_call};
use crate::type_name::type_name;
use crate::world::{CommandQueue, World};

impl World {
    /// Borrows any system parameter, or a tuple of them, until the guard is dropped.
    ///
    /// It is checked at run time, like a [view](Self::view), and needs no system: in a test, or where `&World` is all that
    /// there is. The parameter starts anew, as in the first run of a system: an
    /// [`EventReader`](crate::EventReader) reads all events that are kept, each time; an [`EventCursor`](crate::event::EventCursor)
    /// goes on from where it was. Commands are queued in the world when the
    /// guard is dropped, and applied by [`flush`](Self::flush).
    ///
    /// ```
    /// use ecs_core::prelude::*;
    ///
    /// #[derive(Component)]
    /// struct Position(f32);
    /// #[derive(Resource)]
    /// struct Wind(f32);
    ///
    /// let mut world = World::new();
    /// world.insert_resource(Wind(2.0));
    /// let leaf = world.spawn(Position(1.0));
    ///
    /// let mut borrowed = world.borrow::<(CompMut<Position>, ResMut<Wind>, Commands)>();
    /// let (mut positions, mut wind, mut commands) = borrowed.get();
    /// positions.iter_mut().for_each(|position| position.0 += wind.0);
    /// wind.0 = 0.0;
    /// commands.spawn(Position(9.0));
    /// assert!(world.try_borrow::<Res<Wind>>().is_err());
    ///
    /// drop((positions, wind, commands));
    /// drop(borrowed);
    /// assert_eq!(world.borrow::<Comp<Position>>().get().get(leaf).unwrap().0, 3.0);
    /// world.flush();
    /// assert_eq!(world.len(), 2);
    /// ```
    ///
    /// Parameters that conflict are a compile error, in `cargo build`:
    ///
    /// ```compile_fail,E0080
    /// # use ecs_core::prelude::*;
    /// # #[derive(Component)]
    /// # struct Position(f32);
    /// let world = World::new();
    /// world.borrow::<(CompMut<Position>, Query<&Position>)>();
    /// ```
    ///
    /// # Panics
    /// If a value is missing, or borrowed elsewhere in a conflicting way ([`try_borrow`](Self::try_borrow) returns an
    /// error instead); and if parameters conflict that no constant can tell apart, two instances of one generic component.
    #[track_caller]
    #[must_use]
    pub fn borrow<P: SystemParam>(&self) -> Borrowed<'_, P> {
        let () = Borrowed::<P>::CHECK;
        self.try_borrow::<P>()
            .unwrap_or_else(|error| panic!("cannot borrow `{}`: {error}", type_name::<P>()))
    }

    /// Like [`borrow`](Self::borrow), if all of it can be borrowed now.
    ///
    /// # Errors
    /// If a value is missing, or borrowed elsewhere in a conflicting way. Nothing is borrowed then.
    ///
    /// # Panics
    /// If parameters conflict that no constant can tell apart, two instances of one generic component.
    #[track_caller]
    pub fn try_borrow<P: SystemParam>(&self) -> Result<Borrowed<'_, P>, ParamError> {
        let () = Borrowed::<P>::CHECK;
        Borrowed::lock(self)
    }
}

/// A system parameter that is borrowed from a world; see [`World::borrow`].
pub struct Borrowed<'w, P: SystemParam> {
    /// Invariant 1: allocated by a `Box`, and freed by `drop` alone.
    /// Invariant 2: `guard` borrows from `state` and `entered`, and `entered` from `checked`, which are not used in any
    /// other way while they exist.
    ///
    /// A pointer, so that references among the parts stay valid where this is moved, and claim nothing where it is
    /// passed to a function that drops it.
    parts: NonNull<BorrowedParts<'w, P>>,
    world: &'w World,
}

struct BorrowedParts<'w, P: SystemParam> {
    guard: Option<P::Guard<'w>>,
    entered: Option<EnteredBorrows<'w>>,
    state: P::State,
    checked: NoConflict,
}

impl<'w, P: SystemParam> Borrowed<'w, P> {
    const META: SystemMeta = SystemMeta::new(
        "World::borrow",
        &[ParamInfo {
            name: "the tuple",
            ty: "",
            of: P::TYPE,
        }],
    );

    /// Stops the compilation if the parameter conflicts with itself. The methods that users call evaluate it, so that the
    /// compiler names their line.
    const CHECK: () = refuse_call(Self::META.name, Self::META.params[0]);

    #[track_caller]
    fn lock(world: &'w World) -> Result<Self, ParamError> {
        // Before the state, whose construction may run the user's code.
        let checked = check(&Self::META, "");
        let parts = Box::new(BorrowedParts::<P> {
            guard: None,
            entered: None,
            state: P::init(world),
            checked,
        });
        // Frees the parts if one of the following fails.
        let this = Self {
            parts: NonNull::from(Box::leak(parts)),
            world,
        };
        let parts = this.parts.as_ptr();
        // SAFETY: the parts are allocated by invariant 1. The reference is used by `entered` alone, which is dropped
        // before them (invariant 2); code that is generic over `'w` cannot keep it any longer.
        let checked = unsafe { &mut (*parts).checked };
        let entered = match checked.enter(world) {
            Ok(entered) => Some(entered),
            Err(error) => return Err(error.error),
        };
        // SAFETY: the parts are allocated by invariant 1, and there is no reference to this one.
        unsafe { (*parts).entered = entered };
        // SAFETY: the parts are allocated by invariant 1. The reference is used by `guard` alone, which is dropped before
        // `entered` (invariant 2), and only shared ones are made of it.
        let entered = unsafe { (*parts).entered.as_ref() };
        let held = entered.expect("was set above").held();
        // SAFETY: the parts are allocated by invariant 1. The reference is used by `guard` alone, which is dropped before
        // the state is used again (invariant 2); code that is generic over `'w` cannot keep it any longer.
        let state = unsafe { &mut (*parts).state };
        let guard = P::lock(state, world, held)?;
        // SAFETY: the parts are allocated by invariant 1, and there is no reference to this one.
        unsafe { (*parts).guard = Some(guard) };
        Ok(this)
    }

    /// Returns the value of the parameter, as a system gets it; of a tuple, the values of all its members.
    #[must_use]
    pub fn get(&mut self) -> P::Item<'_> {
        // SAFETY: the parts are allocated by invariant 1, and this is borrowed exclusively, so there is no other
        // reference to the guard.
        let guard = unsafe { (*self.parts.as_ptr()).guard.as_mut() };
        P::get(guard.expect("is set until `drop`"))
    }
}

impl<P: SystemParam> Drop for Borrowed<'_, P> {
    fn drop(&mut self) {
        let parts = self.parts.as_ptr();
        // SAFETY: the parts are allocated by invariant 1. Items borrow `self`, so there is no reference to the guard.
        unsafe { (*parts).guard = None };
        // SAFETY: the parts are allocated by invariant 1. The guard, which alone borrowed this, was dropped above.
        unsafe { (*parts).entered = None };
        // SAFETY: allocated by a `Box`, and freed here alone, by invariant 1; those that borrowed from the parts were
        // dropped above.
        let mut parts = unsafe { Box::from_raw(parts) };
        let mut queue = CommandQueue::new();
        P::flush(&mut parts.state, &mut queue);
        if !queue.is_empty() {
            self.world.defer(&mut queue);
        }
    }
}
