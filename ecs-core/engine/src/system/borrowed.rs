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
    /// Checks the borrows at run time, like a [view](Self::view), and needs no system: use it in a test, or where you only
    /// have a `&World`. The parameter starts anew, as in the first run of a system. So an
    /// [`EventReader`](crate::EventReader) reads all kept events each time; an [`EventCursor`](crate::event::EventCursor)
    /// remembers its position. Dropping the guard queues its commands in the world, and [`flush`](Self::flush) applies them.
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
    /// Conflicting parameters are a compile error in `cargo build`:
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
    /// error instead). Also if parameters conflict in a way that the compiler cannot decide: two instances of one
    /// generic component.
    #[track_caller]
    #[must_use]
    pub fn borrow<P: SystemParam>(&self) -> Borrowed<'_, P> {
        let () = Borrowed::<P>::CHECK;
        self.try_borrow::<P>()
            .unwrap_or_else(|error| panic!("cannot borrow `{}`: {error}", type_name::<P>()))
    }

    /// Like [`borrow`](Self::borrow), but returns an error if a parameter cannot be borrowed now.
    ///
    /// # Errors
    /// If a value is missing, or borrowed elsewhere in a conflicting way. In that case nothing is borrowed.
    ///
    /// # Panics
    /// If parameters conflict in a way that the compiler cannot decide: two instances of one generic component.
    #[track_caller]
    pub fn try_borrow<P: SystemParam>(&self) -> Result<Borrowed<'_, P>, ParamError> {
        let () = Borrowed::<P>::CHECK;
        Borrowed::lock(self)
    }
}

/// A system parameter that is borrowed from a world; see [`World::borrow`].
pub struct Borrowed<'w, P: SystemParam> {
    /// Invariant 1: allocated by a `Box`, and freed by `drop` alone.
    /// Invariant 2: `guard` borrows from `state` and `entered`, and `entered` borrows from `checked`; they are not used
    /// in any other way while the borrow exists.
    ///
    /// A pointer, so that references among the parts stay valid when this value moves, and so that passing it to a
    /// function that drops it claims nothing about them.
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

    /// Stops the compilation if the parameter conflicts with itself. The methods that users call evaluate it, so the
    /// compiler points at their line.
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
        // SAFETY: the parts are allocated by invariant 1. Only `entered` uses the reference, and it is dropped before
        // them (invariant 2); code that is generic over `'w` cannot keep it any longer.
        let checked = unsafe { &mut (*parts).checked };
        let entered = match checked.enter(world) {
            Ok(entered) => Some(entered),
            Err(error) => return Err(error.error),
        };
        // SAFETY: the parts are allocated by invariant 1, and no reference to this one exists.
        unsafe { (*parts).entered = entered };
        // SAFETY: the parts are allocated by invariant 1. Only `guard` uses the reference, and it is dropped before
        // `entered` (invariant 2); it makes only shared references of it.
        let entered = unsafe { (*parts).entered.as_ref() };
        let held = entered.expect("was set above").held();
        // SAFETY: the parts are allocated by invariant 1. Only `guard` uses the reference, and it is dropped before the
        // state is used again (invariant 2); code that is generic over `'w` cannot keep it any longer.
        let state = unsafe { &mut (*parts).state };
        let guard = P::lock(state, world, held)?;
        // SAFETY: the parts are allocated by invariant 1, and no reference to this one exists.
        unsafe { (*parts).guard = Some(guard) };
        Ok(this)
    }

    /// Returns the value that a system would get for the parameter. For a tuple: the values of all its members.
    #[must_use]
    pub fn get(&mut self) -> P::Item<'_> {
        // SAFETY: the parts are allocated by invariant 1, and `self` is borrowed exclusively, so no other reference to
        // the guard exists.
        let guard = unsafe { (*self.parts.as_ptr()).guard.as_mut() };
        P::item(guard.expect("is set until `drop`"))
    }
}

impl<P: SystemParam> Drop for Borrowed<'_, P> {
    fn drop(&mut self) {
        let parts = self.parts.as_ptr();
        // SAFETY: the parts are allocated by invariant 1. Items borrow `self`, so no reference to the guard exists.
        unsafe { (*parts).guard = None };
        // SAFETY: the parts are allocated by invariant 1. The guard, which alone borrowed this, was dropped above.
        unsafe { (*parts).entered = None };
        // SAFETY: allocated by a `Box`, and freed only here, by invariant 1; everything that borrowed from the parts
        // was dropped above.
        let mut parts = unsafe { Box::from_raw(parts) };
        let mut queue = CommandQueue::new();
        P::flush(&mut parts.state, &mut queue);
        if !queue.is_empty() {
            self.world.defer(&mut queue);
        }
    }
}
