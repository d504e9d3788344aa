//! New values for old ones, all at once.

use core::mem;

use super::lookup::Found;
use super::world::{ComponentOf, StaticWorld};
use crate::component::Component;
use crate::entity::Entity;
use crate::flat::for_each_arity;
use crate::world::World;

/// What a `system!` that returns new values returns, to be put into `W`: a closed world or a `&World`.
///
/// What was found when the old value's type was looked up, or a tuple of that.
#[doc(hidden)]
pub trait NewValues<W> {
    /// What the closure returns.
    type Values;

    /// Exchanges the values with those that the entities have.
    fn swap(world: &mut W, values: &mut [(Entity, Self::Values)]);
}

impl<W: StaticWorld, T: ComponentOf<W>> NewValues<W> for Found<T> {
    type Values = T;

    #[inline]
    fn swap(world: &mut W, values: &mut [(Entity, T)]) {
        let mut view = world.view_mut::<T>();
        for (entity, value) in values {
            if let Some(old) = view.get_mut(*entity) {
                mem::swap(old, value);
            }
        }
    }
}

impl<T: Component> NewValues<&World> for Found<T> {
    type Values = T;

    #[track_caller]
    fn swap(world: &mut &World, values: &mut [(Entity, T)]) {
        let mut view = world.view_mut::<T>();
        for (entity, value) in values {
            if let Some(mut old) = view.get_mut(*entity) {
                mem::swap(&mut *old, value);
            }
        }
    }
}

macro_rules! tuple_of_new_values {
    ($($name:ident $value:ident),+) => {
        impl<World: StaticWorld, $($name: ComponentOf<World>),+> NewValues<World> for ($(Found<$name>,)+) {
            type Values = ($($name,)+);

            #[inline]
            fn swap(world: &mut World, values: &mut [(Entity, Self::Values)]) {
                for (entity, ($($value,)+)) in values {
                    $(if let Some(old) = world.get_mut::<$name>(*entity) {
                        mem::swap(old, $value);
                    })+
                }
            }
        }

        impl<$($name: Component),+> NewValues<&World> for ($(Found<$name>,)+) {
            type Values = ($($name,)+);

            #[track_caller]
            #[allow(non_snake_case, reason = "each view is called as its component")]
            fn swap(world: &mut &World, values: &mut [(Entity, Self::Values)]) {
                let ($(mut $name,)+) = ($(world.view_mut::<$name>(),)+);
                for (entity, ($($value,)+)) in values {
                    $(if let Some(mut old) = $name.get_mut(*entity) {
                        mem::swap(&mut *old, $value);
                    })+
                }
            }
        }
    };
}

for_each_arity!(tuple_of_new_values);
