//! Tuples of references that are borrowed from one entity.

use super::QueryData;
use super::handle::Item;
use crate::component::ComponentId;
use crate::entity::Entity;
use crate::join::Fetch as _;
use crate::meta::{QueryAccess, Side, refuse_aliasing};
use crate::tuples::for_each_narrow_arity;
use crate::world::{EntityDataMut, GetError, World};

/// Borrows the items of one entity.
fn write<D: QueryData>(world: &mut World, entity: Entity) -> Result<Item<'_, D>, GetError> {
    let window = world.storage.clock.exclusive();
    let world = &*world;
    let storage = &world.storage;
    // Fails for a component that is named twice and written, where no constant could tell.
    D::lock(storage)?;
    // SAFETY: `lock` has succeeded just now, and no fetch was made. From here on the exclusive borrow of the world takes
    // the place of these.
    unsafe { D::unlock(storage) };
    // SAFETY: the world is borrowed exclusively as long as the items, which is stronger than run-time borrows: no view
    // exists. `lock` would have failed if two members had the same component and one wrote it.
    let fetch = unsafe { D::fetch(storage, window) };
    let items = storage.entities.get(entity).and_then(|at| {
        // SAFETY: `at` is the location of the entity, and these are the only items of the fetch.
        unsafe { fetch.get(storage, entity, at) }
    });
    items.ok_or_else(|| GetError::Missing {
        entity,
        component: missing(world, entity, D::ACCESS).unwrap_or("?"),
    })
}

/// Returns the name of the first component of the data that the entity lacks.
#[cold]
fn missing(world: &World, entity: Entity, data: &QueryAccess) -> Option<&'static str> {
    if let Some(parts) = Side::QueryAccess(data).parts() {
        let mut parts = parts.iter();
        return parts.find_map(|part| missing(world, entity, part));
    }
    let (QueryAccess::Read(ident) | QueryAccess::Write(ident)) = data else {
        return None;
    };
    let has = ComponentId::of_ident(ident).is_some_and(|id| world.has_id(entity, id) != Ok(false));
    (!has).then(|| ident.type_name())
}

macro_rules! tuple_data {
    ($($name:ident $value:ident),+) => {
        impl<$($name: QueryData),+> EntityDataMut for ($($name,)+) {
            type Item<'w> = Item<'w, Self>;

            const CHECK: () = refuse_aliasing(<Self as QueryData>::ACCESS);

            #[inline]
            fn write(world: &mut World, entity: Entity) -> Result<Self::Item<'_>, GetError> {
                write::<Self>(world, entity)
            }
        }
    };
}

for_each_narrow_arity!(tuple_data);
