//! Tests of guards that are passed by value and dropped in a function, which then uses the borrowed data. Mainly for Miri: a
//! reference in a parameter of a function is protected until the function returns.

use super::{Ref, World};
use crate::entity::Entity;
use crate::query::Query;
use crate::resource::{NonSend, NonSendMut, Res, ResMut};
use crate::test_components::{Position, Stunned};
use crate::view::{Comp, CompMut};

fn with_everything() -> (World, Entity) {
    let mut world = World::new();
    let entity = world.spawn((Position([0.0; 3]), Stunned(0)));
    world.insert_resource(0_u32);
    world.insert_non_send(0_u64);
    (world, entity)
}

#[test]
fn a_borrowed_component_may_be_written_after_its_guard_was_dropped_in_the_same_function() {
    fn in_a_table(guard: Ref<'_, Position>, world: &World, entity: Entity) {
        drop(guard);
        world.view_mut::<Position>().get_mut(entity).unwrap().0[0] += 1.0;
    }
    fn in_a_set(guard: Ref<'_, Stunned>, world: &World, entity: Entity) {
        drop(guard);
        world.view_mut::<Stunned>().get_mut(entity).unwrap().0 += 1;
    }
    let (world, entity) = with_everything();
    in_a_table(world.get(entity).unwrap(), &world, entity);
    in_a_set(world.get(entity).unwrap(), &world, entity);
    assert_eq!(world.get::<Position>(entity).unwrap().0[0], 1.0);
    assert_eq!(world.get::<Stunned>(entity).unwrap().0, 1);
}

#[test]
fn a_borrowed_resource_may_be_written_after_its_guard_was_dropped_in_the_same_function() {
    fn read(guard: Res<'_, u32>, world: &World) {
        let clone = Res::clone(&guard);
        assert_eq!(*guard, *clone);
        drop((guard, clone));
        *world.resource_mut::<u32>() += 1;
    }
    fn write(mut guard: ResMut<'_, u32>, world: &World) {
        *guard.reborrow() += 1;
        *guard += 1;
        drop(guard);
        *world.resource_mut::<u32>() += 1;
    }
    let (world, _) = with_everything();
    read(world.resource(), &world);
    write(world.resource_mut(), &world);
    assert_eq!(*world.resource::<u32>(), 4);
}

#[test]
fn a_borrowed_non_send_value_may_be_written_after_its_guard_was_dropped_in_the_same_function() {
    fn read(guard: NonSend<'_, u64>, world: &World) {
        assert_eq!(*guard.reborrow(), *guard);
        drop(guard);
        *world.non_send_mut::<u64>() += 1;
    }
    fn write(mut guard: NonSendMut<'_, u64>, world: &World) {
        *guard.reborrow() += 1;
        *guard += 1;
        drop(guard);
        *world.non_send_mut::<u64>() += 1;
    }
    let (world, _) = with_everything();
    read(world.non_send(), &world);
    write(world.non_send_mut(), &world);
    assert_eq!(*world.non_send::<u64>(), 4);
}

#[test]
fn a_viewed_component_may_be_written_after_the_view_was_dropped_in_the_same_function() {
    fn read(view: Comp<'_, Stunned>, world: &World, entity: Entity) {
        assert!(view.get(entity).is_some());
        drop(view);
        world.view_mut::<Stunned>().get_mut(entity).unwrap().0 += 1;
    }
    fn write(mut view: CompMut<'_, Stunned>, world: &World, entity: Entity) {
        view.get_mut(entity).unwrap().0 += 1;
        drop(view);
        world.view_mut::<Stunned>().get_mut(entity).unwrap().0 += 1;
    }
    fn query(mut query: Query<'_, (&mut Position, &Stunned)>, world: &World, entity: Entity) {
        query.for_each(|(position, stunned)| position.0[0] = f32::from(stunned.0));
        drop(query);
        world.view_mut::<Stunned>().get_mut(entity).unwrap().0 += 1;
        world.view_mut::<Position>().get_mut(entity).unwrap().0[0] += 1.0;
    }
    let (world, entity) = with_everything();
    read(world.view(), &world, entity);
    write(world.view_mut(), &world, entity);
    query(world.query(), &world, entity);
    assert_eq!(world.get::<Stunned>(entity).unwrap().0, 4);
    assert_eq!(world.get::<Position>(entity).unwrap().0[0], 4.0);
}

#[test]
fn guards_are_send_and_sync_like_references() {
    /// The auto traits that a type implements.
    trait Bounds {
        const SEND: bool;
        const SYNC: bool;
    }
    struct Of<T>(core::marker::PhantomData<T>);
    impl<T> Bounds for Of<T> {
        const SEND: bool = false;
        const SYNC: bool = false;
    }
    impl<T: Send> Of<T> {
        const SEND: bool = true;
    }
    impl<T: Sync> Of<T> {
        const SYNC: bool = true;
    }
    /// Checks that guards of four types of values are `Send` and `Sync` if and only if a reference is.
    macro_rules! same {
        ($($guard:ident $($mut:ident)?;)*) => {$(
            same!(@ $guard $($mut)?, u8);
            same!(@ $guard $($mut)?, core::cell::Cell<u8>);
            same!(@ $guard $($mut)?, std::sync::MutexGuard<'static, u8>);
            same!(@ $guard $($mut)?, std::rc::Rc<u8>);
        )*};
        (@ $guard:ident $($mut:ident)?, $value:ty) => {
            const {
                assert!(Of::<$guard<'static, $value>>::SEND == Of::<&'static $($mut)? $value>::SEND);
                assert!(Of::<$guard<'static, $value>>::SYNC == Of::<&'static $($mut)? $value>::SYNC);
            }
        };
    }
    same! {
        Ref;
        Res;
        ResMut mut;
        NonSend;
        NonSendMut mut;
    }
}
