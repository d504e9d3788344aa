//! New values for old ones, all at once.

use core::mem;

use super::world::{ComponentOf, StaticWorld};
use crate::component::Component;
use crate::entity::Entity;
use crate::join::for_each_arity;
use crate::world::World;

/// One component is returned.
#[doc(hidden)]
#[derive(Debug)]
pub enum One {}

/// A tuple of components is returned.
#[doc(hidden)]
#[derive(Debug)]
pub enum Many {}

/// What a `system!` that returns new values returns, to be put into `W`: a `&mut` closed world or a `&World`.
#[doc(hidden)]
pub trait NewValues<W, Kind>: Sized {
    /// Exchanges the values with those that the entities have.
    fn swap(world: W, values: &mut [(Entity, Self)]);
}

impl<W: StaticWorld, T: ComponentOf<W>> NewValues<&mut W, One> for T {
    #[inline]
    fn swap(world: &mut W, values: &mut [(Entity, Self)]) {
        let mut view = world.view_mut::<T>();
        for (entity, value) in values {
            if let Some(old) = view.get_mut(*entity) {
                mem::swap(old, value);
            }
        }
    }
}

impl<T: Component> NewValues<&World, One> for T {
    #[track_caller]
    fn swap(world: &World, values: &mut [(Entity, Self)]) {
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
        impl<World: StaticWorld, $($name: ComponentOf<World>),+> NewValues<&mut World, Many> for ($($name,)+) {
            #[inline]
            fn swap(world: &mut World, values: &mut [(Entity, Self)]) {
                for (entity, ($($value,)+)) in values {
                    $(if let Some(old) = world.get_mut::<$name>(*entity) {
                        mem::swap(old, $value);
                    })+
                }
            }
        }

        impl<$($name: Component),+> NewValues<&World, Many> for ($($name,)+) {
            #[track_caller]
            #[allow(non_snake_case, reason = "each view is called as its component")]
            fn swap(world: &World, values: &mut [(Entity, Self)]) {
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
