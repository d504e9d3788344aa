//! Components that are turned off without being removed.
//!
//! A component with `#[component(toggle)]` has a [`Toggle`] beside it: a byte, on at first. The filters [`TurnedOn`] and
//! [`TurnedOff`] test it. Turning a component off and on again moves nothing; removing it would move the entity to another
//! table and drop the value.
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::toggle::{Toggle, TurnedOff, TurnedOn};
//!
//! #[derive(Component)]
//! #[component(toggle)]
//! struct Shield {
//!     strength: u32,
//! }
//!
//! #[system]
//! fn recharge(mut shields: Query<&mut Shield, TurnedOn<Shield>>) {
//!     shields.for_each(|shield| shield.strength += 1);
//! }
//!
//! #[system]
//! fn switch_off_if_full(mut shields: Query<(&Shield, &mut Toggle<Shield>), TurnedOn<Shield>>) {
//!     for (shield, toggle) in &mut shields {
//!         if shield.strength >= 10 {
//!             toggle.turn_off();
//!         }
//!     }
//! }
//!
//! let mut world = World::new();
//! let [full, empty] = [9, 0].map(|strength| world.spawn(Shield { strength }));
//! for _ in 0..2 {
//!     recharge(&world);
//!     switch_off_if_full(&world);
//! }
//! assert_eq!(world.get::<Shield>(full).unwrap().strength, 10, "it was turned off after the first run");
//! assert_eq!(world.is_on::<Shield>(full), Some(false));
//! assert!(world.query_filtered::<Entity, TurnedOff<Shield>>().iter().eq([full]));
//!
//! world.turn_on::<Shield>(full);
//! recharge(&world);
//! assert_eq!(world.get::<Shield>(full).unwrap().strength, 11);
//! assert_eq!(world.get::<Shield>(empty).unwrap().strength, 3);
//! ```
//!
//! # Who sees it
//! Only the two filters, which are parts of a query's type like all others: they negate (`Not<TurnedOn<T>>` also matches
//! entities without a `T`), combine by `Or`, and are used in `Single` and [`Related`](crate::relation::Related). Everything
//! else, such as `With<T>`, `&T` and access by id, finds a component that is turned off as if it were on. So a system that
//! turns components on and off conflicts only with those that ask about it, and loops that do not ask get all values in
//! blocks.
//!
//! # When it comes and goes
//! A [`Toggle`] is inserted together with its component (it is [required](crate::component::Required)), turned on, and
//! removed with it. A new value that replaces an old one leaves the toggle unchanged. It is a component like others. It
//! takes after its component: it is stored in the same place (in tables or in a sparse set), and is tracked or data if the
//! component is. Its name is then the component's name followed by `.toggle`, and snapshots, saves, hashes, differences
//! and replication have it.
//!
//! # Changes while it is off
//! A query with [`Changed<T>`](crate::Changed) or [`Added<T>`](crate::Added) and `TurnedOn<T>` leaves out components that
//! are off, but does not lose changes made in that time. If a `T` was changed or added since it was turned off,
//! [`World::turn_on`] and the command write the current tick over its ticks, like the removal of a component that
//! [disables](crate::Disabled). So does everything that inserts another value of the toggle: [`World::insert`], access by
//! name, a difference that is applied, an undo, a replica. A query that has no filter by the toggle then sees such a change
//! twice.
//!
//! A loop that writes toggles has not borrowed the components themselves. So it leaves their ticks alone, and does not note
//! which readers leave them out. If loops turn components on or off, ask for the toggle too, which has changed:
//!
//! ```
//! use ecs_core::prelude::*;
//! use ecs_core::toggle::{Toggle, TurnedOn};
//!
//! #[derive(Component)]
//! #[component(track, toggle)]
//! struct Shield(u32);
//!
//! #[system]
//! fn draw(
//!     shields: Query<&Shield, (TurnedOn<Shield>, Or<(Changed<Shield>, Changed<Toggle<Shield>>)>)>,
//! ) -> usize {
//!     shields.count()
//! }
//!
//! let mut world = World::new();
//! let entity = world.spawn(Shield(1));
//! world.turn_off::<Shield>(entity);
//! world.get_mut::<Shield>(entity).unwrap().0 = 2;
//! assert_eq!(draw(&world), 0);
//! for mut toggle in &mut world.query::<&mut Toggle<Shield>>() {
//!     toggle.turn_on();
//! }
//! assert_eq!(draw(&world), 1);
//! ```
//!
//! # Cost
//! A byte per entity that has the component, and ticks if it is tracked. A loop with a filter reads 32 bytes at once and
//! skips rows that do not match; components without `toggle` pay nothing. Because the toggle is required, entities with the
//! component are spawned one by one, even in batches. Because a hook removes the toggle, a removal of the component is two
//! moves.

mod changes;
mod filter;

pub use filter::{TurnedOff, TurnedOn};

use core::fmt;
use core::marker::PhantomData;

use crate::component::{Component, ComponentId, IdSlot, StorageKind, TrackedComponent, Turned};
use crate::data_type::DataType;
use crate::entity::Entity;
use crate::invariant::Invariant;
use crate::join::Flag;
#[cfg(feature = "data")]
use crate::meta::ConstTypeId;
use crate::meta::ConstTypeIdOf;
use crate::world::World;
use crate::world::hooks::DeferredWorld;

/// A component with `#[component(toggle)]`, which can be [turned off](self).
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be turned on and off",
    label = "not a component with a toggle",
    note = "add `#[component(toggle)]` to the component"
)]
pub trait ToggleComponent: Component {
    /// The data of its toggle, for each instance of a generic type.
    #[doc(hidden)]
    const DATA: &'static [DataType] = &[];

    /// The static that caches the id of its toggle.
    #[doc(hidden)]
    #[must_use]
    fn slot() -> Option<&'static ToggleIdSlot<Self>> {
        None
    }
}

/// The cached id of a toggle; the derive defines a static of it.
#[doc(hidden)]
pub struct ToggleIdSlot<T>(IdSlot<Toggle<T>>);

impl<T> ToggleIdSlot<T> {
    /// Creates an empty slot.
    #[must_use]
    #[allow(clippy::new_without_default, reason = "only the derive creates it")]
    pub const fn new() -> Self {
        Self(IdSlot::new())
    }
}

/// The component that says whether another one, `T`, is on; the [module](self) has an example.
#[repr(transparent)]
pub struct Toggle<T> {
    is_on: bool,
    of: Invariant<T>,
}

impl<T> Toggle<T> {
    /// Returns true if the component is on.
    #[inline]
    #[must_use]
    pub const fn is_on(&self) -> bool {
        self.is_on
    }

    /// Turns the component on.
    #[inline]
    pub const fn turn_on(&mut self) {
        self.is_on = true;
    }

    /// Turns the component off.
    #[inline]
    pub const fn turn_off(&mut self) {
        self.is_on = false;
    }
}

/// On.
impl<T> Default for Toggle<T> {
    fn default() -> Self {
        Self {
            is_on: true,
            of: PhantomData,
        }
    }
}

#[diagnostic::do_not_recommend]
impl<T: ToggleComponent> Component for Toggle<T> {
    const IDENTITY: ConstTypeIdOf<Self> =
        ConstTypeIdOf::exact("ecs_core", "ecs_core::toggle::Toggle")
            .with_argument(T::IDENTITY.argument())
            .with_data(T::DATA);
    // A filter of toggles depends on the component.
    #[cfg(feature = "data")]
    const IDENT: ConstTypeId = Self::IDENTITY
        .ident()
        .requiring(|f| T::IDENT.for_each_data(f));
    const STORAGE: StorageKind = T::STORAGE;
    type Tracking = T::Tracking;

    fn id_slot() -> Option<&'static IdSlot<Self>> {
        T::slot().map(|slot| &slot.0)
    }

    fn turned() -> Option<Turned> {
        // SAFETY: a toggle is a `bool` in a transparent struct, with a type that has no size.
        Some(unsafe { Turned::new(ComponentId::of::<T>()) })
    }
}

// SAFETY: it is a `bool` in a transparent struct, with a type that has no size.
unsafe impl<T: ToggleComponent> Flag for Toggle<T> {}

#[diagnostic::do_not_recommend]
impl<T: ToggleComponent + TrackedComponent> TrackedComponent for Toggle<T> {}

/// The hook that removes a toggle with its component.
#[doc(hidden)]
pub fn removed<T: ToggleComponent>(mut world: DeferredWorld<'_>, entity: Entity) {
    world.commands().queue(move |world: &mut World| {
        // The entity may be gone.
        let _ = world.remove::<Toggle<T>>(entity);
    });
}

impl<T> Clone for Toggle<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Toggle<T> {}

impl<T> PartialEq for Toggle<T> {
    fn eq(&self, other: &Self) -> bool {
        self.is_on == other.is_on
    }
}

impl<T> Eq for Toggle<T> {}

impl<T> fmt::Debug for Toggle<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_on { "On" } else { "Off" })
    }
}

/// Saved as a `bool`.
#[cfg(feature = "data")]
impl<T> serde_core::Serialize for Toggle<T> {
    fn serialize<S: serde_core::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.is_on.serialize(serializer)
    }
}

#[cfg(feature = "data")]
impl<'de, T> serde_core::Deserialize<'de> for Toggle<T> {
    fn deserialize<D: serde_core::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let is_on = bool::deserialize(deserializer)?;
        Ok(Self {
            is_on,
            of: PhantomData,
        })
    }
}
